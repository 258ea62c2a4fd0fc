/* waits.c: the longest waits of all kinds, one by one. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/idle.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/waitname.h"
#include "analyzer/views/events/waitowner.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_FRAMES = 6 };

struct listed {
	const struct dataset_experiment *at;
	const struct exp_wait *wait;
	int is_last; /* see waits_for_end */
};

/* Did the process end in order? Then what has not ended was no trouble. */
static int has_ended(const struct dataset_experiment *at)
{
	return at->info->status == EXP_ENDED || at->info->status == EXP_EXECED ||
	       at->info->status == EXP_DETACHED;
}

/* Of a process that may hang, or was killed for that, first those that have not ended. */
static int is_stuck(const struct listed *listed)
{
	return listed->wait->error == EXP_SYNC_OPEN && !has_ended(listed->at);
}

static int by_length(const void *left, const void *right)
{
	const struct listed *one = left, *other = right;
	const struct exp_wait *a = one->wait, *b = other->wait;

	if (is_stuck(one) != is_stuck(other))
		return is_stuck(one) ? -1 : 1;
	if (one->is_last != other->is_last)
		return one->is_last ? 1 : -1;
	if (a->wait_ns != b->wait_ns)
		return a->wait_ns > b->wait_ns ? -1 : 1;
	return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

/* Is it told with others in one line? */
static int is_idle(const struct listed *listed)
{
	return has_ended(listed->at) && idle_is(listed->at, listed->wait);
}

static const char *state_of(const struct exp_wait *wait)
{
	const char *state = wait_is_join(wait) ? "join" : fmt_enum_name("wall_state", wait->state);

	return state ? state : "other";
}

static void put_wait(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct writers *writers,
                     const struct listed *listed, size_t number)
{
	const struct exp_wait *wait = listed->wait;
	FILE *out = output->out;

	fprintf(out, "\nWait #%zu, %s, %.6f (secs.), from %.6f to %.6f, ", number, state_of(wait),
	        report_seconds(wait->wait_ns), wait->time_s - report_seconds(wait->span_ns),
	        wait->time_s);
	if (dataset->count > 1)
		fprintf(out, "experiment %u, ", listed->at->id);
	wait_put_thread(out, listed->at->data, wait->tid, wait->time_s);
	fputc('\n', out);
	wait_put_call(dataset, out, listed->at, wait);
	stacks_put_node(dataset, choices, output, listed->at, wait->node, WAIT_FRAMES, "    ");
	wait_put_owner(dataset, choices, output, writers, listed->at, wait);
}

static void put_owner(const struct dataset *dataset, const struct choices *choices,
                      struct print_table *table, const struct writers *writers,
                      const struct listed *listed)
{
	static const char *const kinds[] = {[WAIT_HOLDER] = "holder",
	                                    [WAIT_JOINED] = "joined",
	                                    [WAIT_SIGNALLER] = "signaller",
	                                    [WAIT_RELEASER] = "last at the barrier",
	                                    [WAIT_WRITER] = "writer"};
	const struct exp_wait *wait = listed->wait;
	struct wait_waker waker = wait_find_waker(dataset, writers, listed->at, wait);
	struct wait_meanwhile meanwhile = wait_meanwhile(dataset, listed->at, wait, &waker);
	char *where = NULL, *site = wait_name_site(dataset, choices, &waker);

	print_number(table, waker.tid);
	print_word(table,
	           !waker.at ? NULL : wait_thread_name(waker.at->whole, waker.tid, wait->time_s));
	print_word(table, site);
	print_number(table, meanwhile.ns);
	if (meanwhile.wait)
		where = stacks_name_node(dataset, choices, waker.at, meanwhile.wait->node);
	print_word(table, meanwhile.wait
	                          ? wait_func_name(meanwhile.wait->family, meanwhile.wait->func)
	                          : NULL);
	print_word(table, where);
	print_word(table, waker.at ? kinds[waker.kind] : NULL);
	print_number(table, waker.at ? waker.at->id : 0);
	free(where);
	free(site);
}

/* For programs. */
static void put_table(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct writers *writers,
                      const struct listed *waits, size_t count)
{
	struct print_table *table = print_table_begin("waits");

	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_ID, "tid", "Thread");
	print_column(table, PRINT_WORD, "thread", "Name");
	print_column(table, PRINT_WORD, "state", "State");
	print_column(table, PRINT_NS, "wait", "Wait Time");
	print_column(table, PRINT_NS, "span", "From Begin to End");
	print_column(table, PRINT_SECONDS, "end", "Until");
	print_column(table, PRINT_WORD, "function", "Function");
	print_column(table, PRINT_WORD, "object", "Object");
	print_column(table, PRINT_WORD, "error", "Error");
	print_column(table, PRINT_WORD, "where", "Where");
	print_column(table, PRINT_COUNT, "owner", "Owner of the Lock, Signaller, or Writer");
	print_column(table, PRINT_WORD, "owner_thread", "Its Name");
	print_column(table, PRINT_WORD, "owner_site", "Locked, Signalled or Written At");
	print_column(table, PRINT_NS, "owner_wait", "It Waited Meanwhile");
	print_column(table, PRINT_WORD, "owner_function", "In");
	print_column(table, PRINT_WORD, "owner_where", "Of It, Where");
	print_column(table, PRINT_WORD, "owner_kind", "What That Thread Is");
	print_column(table, PRINT_ID, "owner_experiment", "Its Experiment");
	print_column(table, PRINT_COUNT, "idle", "Of an Idle Thread");
	print_column(table, PRINT_COUNT, "ready", "Descriptors That Were Ready");
	for (size_t i = 0; i < count; i++) {
		const struct exp_wait *wait = waits[i].wait;
		char *where = stacks_name_node(dataset, choices, waits[i].at, wait->node);
		char *object = wait_object_name(dataset, waits[i].at, wait);

		print_number(table, waits[i].at->id);
		print_number(table, wait->tid);
		print_word(table, wait_thread_name(waits[i].at->data, wait->tid, wait->time_s));
		print_word(table, state_of(wait));
		print_number(table, wait->wait_ns);
		print_number(table, wait->span_ns);
		print_real(table, wait->time_s);
		print_word(table, wait_func_name(wait->family, wait->func));
		print_word(table, object);
		print_word(table, wait->error != 0 ? strerrorname_np((int)wait->error) : NULL);
		print_word(table, where);
		put_owner(dataset, choices, table, writers, &waits[i]);
		print_number(table, (uint64_t)is_idle(&waits[i]));
		print_number(table, wait->ready);
		free(object);
		free(where);
	}
	print_table_end(output, table, 0);
}

/* Who waits for the end of a thread or of a process waits for what that does, which is recorded,
 * too. Such waits are the longest of most programs. */
static int waits_for_end(const struct dataset *dataset, const struct exp_wait *wait)
{
	return wait_is_join(wait) || (wait->state == FMT_wall_state_CHILD && dataset->count > 1);
}

/* Those of all experiments. The caller frees. */
static struct listed *list(const struct dataset *dataset, size_t *count)
{
	const struct dataset_experiment *at = NULL;
	struct listed *waits = NULL;
	size_t capacity = 0;

	*count = 0;
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->data->wall.longest_count; i++) {
			waits = memory_grow(waits, *count, &capacity, sizeof(*waits));
			waits[(*count)++] = (struct listed){
				at, &at->data->wall.longest[i],
				waits_for_end(dataset, &at->data->wall.longest[i])};
		}
	if (*count > 1)
		qsort(waits, *count, sizeof(*waits), by_length);
	return waits;
}

/* Put those of idle threads behind the others. Returns how many others there are. */
static size_t set_apart(struct listed *waits, size_t count)
{
	struct listed *idle = memory_take(count, sizeof(*idle));
	size_t kept = 0, found = 0;

	for (size_t i = 0; i < count; i++)
		if (is_idle(&waits[i]))
			idle[found++] = waits[i];
		else
			waits[kept++] = waits[i];
	if (found > 0) /* without waits there is no array */
		memcpy(&waits[kept], idle, found * sizeof(*idle));
	free(idle);
	return kept;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* "pthread_cond_wait <- worker, line 12 in "pool.c"". The caller frees. */
static char *name_place(const struct dataset *dataset, const struct choices *choices,
                        const struct listed *listed)
{
	const struct exp_wait *wait = listed->wait;
	char *where = stacks_name_node(dataset, choices, listed->at, wait->node);
	char *name = memory_format("%s%s%s", wait_func_name(wait->family, wait->func),
	                           where ? " <- " : "", where ? where : "");

	free(where);
	return name;
}

/* A line for each place. */
static void put_idle(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct listed *waits, size_t count)
{
	char **places = memory_take(count, sizeof(*places));
	uint64_t ns = 0;

	for (size_t i = 0; i < count; i++) {
		ns += waits[i].wait->wait_ns;
		places[i] = name_place(dataset, choices, &waits[i]);
	}
	if (count > 0)
		fprintf(output->out,
		        "\nIdle: %zu %s, %.6f (secs.), each in one wait from its begin to the end\n",
		        count, count == 1 ? "thread" : "threads", report_seconds(ns));
	if (count > 1)
		qsort(places, count, sizeof(*places), by_text);
	for (size_t i = 0, first = 0; i < count; i++) {
		if (i + 1 < count && strcmp(places[i], places[i + 1]) == 0)
			continue;
		fprintf(output->out, "  %zu in ", i + 1 - first);
		text_put(output->out, places[i]);
		fputc('\n', output->out);
		first = i + 1;
	}
	for (size_t i = 0; i < count; i++)
		free(places[i]);
	free(places);
}

void view_waits(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	size_t count, busy, shown;
	struct listed *waits = list(dataset, &count);
	struct writers *writers;

	(void)argument;
	busy = print_is_data(output) ? count : set_apart(waits, count);
	shown = choices->limit != 0 && choices->limit < busy ? choices->limit : busy;
	writers = writers_create(dataset);
	quality_put(dataset, output);
	fputs("# The longest waits, those for the end of a thread or process last; times are from the "
	      "start of their experiment, in seconds\n",
	      output->out);
	if (print_is_data(output))
		put_table(dataset, choices, output, writers, waits, shown);
	for (size_t i = 0; i < shown && !print_is_data(output); i++)
		put_wait(dataset, choices, output, writers, &waits[i], i + 1);
	put_idle(dataset, choices, output, &waits[busy], count - busy);
	fputc('\n', output->out);
	writers_destroy(writers);
	free(waits);
}
