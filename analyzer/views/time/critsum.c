/* critsum.c: see critsum.h. */
#include "analyzer/views/time/critsum.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/stacks.h"
#include "analyzer/report/wallwait.h"
#include "experiment/table/index.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

static const char running[] = "running", unsampled[] = "<without a CPU, or not sampled>";

struct reading {
	const struct dataset *dataset;
	const struct choices *choices;
	const struct crit_waits *waits;
	const struct crit_path *path;
	struct crit_sum *out;
	/* Of the experiment that is read: */
	const struct dataset_experiment *at;
	int64_t offset_ns;
	size_t first_thread;
	struct exp_index rows; /* node -> row of what runs there */
	uint64_t sampled_ns;   /* of all */
	/* What there was before it, since an experiment that grows is read several times: */
	uint64_t *rows_before; /* [count_before], ns */
	size_t count_before;
	uint64_t sampled_before;
};

/* The row of a state and a name, which is taken. */
static size_t row_of(struct crit_sum *sum, const char *state, char *name)
{
	for (size_t i = 0; i < sum->count; i++)
		if (strcmp(sum->rows[i].state, state) == 0 &&
		    strcmp(sum->rows[i].name, name) == 0) {
			free(name);
			return i;
		}
	sum->rows = memory_grow(sum->rows, sum->count, &sum->capacity, sizeof(*sum->rows));
	sum->rows[sum->count] = (struct crit_sum_row){state, name, 0};
	return sum->count++;
}

/* ---- waits */

static char *name_wait(const struct reading *reading, const struct crit_wait *wait)
{
	const struct dataset_experiment *at = reading->waits->threads[wait->thread].at;
	const char *func = wait_func_name(wait->family, wait->func);
	char *caller = stacks_name_place(reading->dataset, reading->choices, at, wait->node, 0),
	     *name;

	name = memory_format("%s%s%s", func, caller ? " <- " : "", caller ? caller : "");
	free(caller);
	return name;
}

/* Which waits have a row already: of a stack of an experiment, then of what was waited for there.
 */
struct known {
	struct exp_index stacks; /* experiment, node -> their number */
	struct exp_index rows;   /* that, state, family, func -> row */
	uint32_t count;          /* of stacks */
};

static uint64_t key_of(const struct reading *reading, struct known *known,
                       const struct crit_wait *wait)
{
	uint64_t stack = (uint64_t)reading->waits->threads[wait->thread].at->id << 32 | wait->node;
	uint64_t number = exp_index_find(&known->stacks, stack);

	if (number == EXP_INDEX_NONE) {
		number = known->count++;
		if (exp_index_add(&known->stacks, stack, (uint32_t)number) != 0)
			memory_fail();
	}
	return number << 24 | (uint64_t)wait->state << 16 | (uint64_t)wait->family << 8 |
	       wait->func;
}

static void add_wait(struct reading *reading, struct known *known, const struct crit_step *step)
{
	const struct crit_wait *wait = step->wait;
	uint64_t key = key_of(reading, known, wait);
	uint32_t row = exp_index_find(&known->rows, key);
	const char *state = fmt_enum_name("wall_state", wait->state);

	if (row == EXP_INDEX_NONE) {
		row = (uint32_t)row_of(reading->out, state ? state : "other",
		                       name_wait(reading, wait));
		if (exp_index_add(&known->rows, key, row) != 0)
			memory_fail();
	}
	reading->out->rows[row].ns += (uint64_t)(step->to_ns - step->from_ns);
}

/* ---- what ran */

/* Is the path in the thread at that time? Its steps go back in time. */
static int is_on_path(const struct crit_path *path, uint32_t thread, int64_t ns)
{
	size_t low = 0, high = path->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (path->steps[middle].from_ns < ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low < path->count && path->steps[low].to_ns >= ns &&
	       path->steps[low].thread == thread;
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct reading *reading = context;
	int64_t ns = axis_ticks_ns(reading->at->experiment, reading->offset_ns, fact->ticks);
	uint32_t thread = exp_thread_at(reading->at->whole, fact->tid,
	                                (double)(ns - reading->offset_ns) / 1e9);
	uint32_t row;
	char *name;

	if (fact->data != EXP_DATA_PROFILE || thread == EXP_NO_INDEX ||
	    !is_on_path(reading->path, (uint32_t)reading->first_thread + thread, ns))
		return EXP_ROW_NONE;
	row = exp_index_find(&reading->rows, fact->node);
	if (row == EXP_INDEX_NONE) {
		name = stacks_name_place(reading->dataset, reading->choices, reading->at,
		                         fact->node, 0);
		row = (uint32_t)row_of(reading->out, running,
		                       name ? name : memory_text("<Unknown>", 9));
		if (exp_index_add(&reading->rows, fact->node, row) != 0)
			memory_fail();
	}
	reading->out->rows[row].ns += fact->cpu_ns;
	reading->sampled_ns += fact->cpu_ns;
	return EXP_ROW_NONE;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct reading *reading = context;

	(void)nodes;
	for (size_t i = 0; i < reading->out->count; i++)
		reading->out->rows[i].ns = i < reading->count_before ? reading->rows_before[i] : 0;
	reading->sampled_ns = reading->sampled_before;
	exp_index_fini(&reading->rows);
	reading->rows = (struct exp_index){.count = 0};
	return 0;
}

static void keep_before(struct reading *reading)
{
	reading->count_before = reading->out->count;
	reading->sampled_before = reading->sampled_ns;
	reading->rows_before = memory_take(reading->count_before + 1,
	                                   sizeof(*reading->rows_before));
	for (size_t i = 0; i < reading->count_before; i++)
		reading->rows_before[i] = reading->out->rows[i].ns;
}

static int read_samples(struct reading *reading, const struct dataset_experiment *at)
{
	const struct exp_selection selection = {.context = reading,
	                                        .begin = on_begin,
	                                        .row = on_fact,
	                                        .left_out = ~(unsigned)EXP_DATA_PROFILE,
	                                        .is_grouped = 1};
	const struct exp_data_set *set;
	int status;

	reading->at = at;
	reading->offset_ns = axis_offset_ns(reading->dataset, at);
	reading->rows = (struct exp_index){.count = 0};
	keep_before(reading);
	status = experiment_select(at->experiment, &selection, &set);
	if (status == 0)
		exp_data_set_destroy(set);
	exp_index_fini(&reading->rows);
	free(reading->rows_before);
	return status;
}

/* Those of all experiments on the path. */
static int read_all(struct reading *reading)
{
	unsigned char *is_there = memory_take(reading->waits->thread_count + 1, 1);
	const struct dataset_experiment *at = NULL;
	int status = 0;

	for (size_t i = 0; i < reading->path->count; i++) {
		uint32_t thread = reading->path->steps[i].thread;

		is_there[thread - reading->waits->threads[thread].number] = 1;
	}
	while (status == 0 && (at = dataset_next(reading->dataset, at))) {
		if (at->whole->thread_count > 0 && is_there[reading->first_thread])
			status = read_samples(reading, at);
		reading->first_thread += at->whole->thread_count;
	}
	free(is_there);
	return status;
}

static int by_time(const void *left, const void *right)
{
	const struct crit_sum_row *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

int crit_sum_make(const struct dataset *dataset, const struct choices *choices,
                  const struct crit_waits *waits, const struct crit_path *path,
                  struct crit_sum *out)
{
	struct reading reading = {
		.dataset = dataset, .choices = choices, .waits = waits, .path = path, .out = out};
	struct known known = {.count = 0};
	uint64_t run_ns = 0;
	int status;

	*out = (struct crit_sum){.count = 0};
	for (size_t i = 0; i < path->count; i++)
		if (path->steps[i].wait)
			add_wait(&reading, &known, &path->steps[i]);
		else
			run_ns += (uint64_t)(path->steps[i].to_ns - path->steps[i].from_ns);
	exp_index_fini(&known.stacks);
	exp_index_fini(&known.rows);
	status = read_all(&reading);
	if (run_ns > reading.sampled_ns) {
		size_t row = row_of(out, "ready", memory_text(unsampled, strlen(unsampled)));

		out->rows[row].ns += run_ns - reading.sampled_ns;
	}
	if (out->count > 1)
		qsort(out->rows, out->count, sizeof(*out->rows), by_time);
	if (status != 0)
		crit_sum_fini(out);
	return status;
}

void crit_sum_fini(struct crit_sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		free(sum->rows[i].name);
	free(sum->rows);
	*sum = (struct crit_sum){.count = 0};
}
