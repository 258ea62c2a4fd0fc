/* threadtime.c: see threadtime.h. */
#include "analyzer/views/experiments/threadtime.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/model/name.h"
#include "analyzer/model/owncode.h"
#include "analyzer/report/idle.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "format/record.h"

#include <stdlib.h>

enum { SHOWN_NS = 500000 /* less would be shown as 0.000 s */ };

/* Together they are METRIC_TOTALTIME. */
static const uint8_t parts[] = {
	METRIC_TOTALCPU,   METRIC_WAIT,       METRIC_LOCK,     METRIC_COND,
	METRIC_JOIN,       METRIC_SLEEP,      METRIC_FILEWAIT, METRIC_PIPEWAIT,
	METRIC_SOCKETWAIT, METRIC_TTYWAIT,    METRIC_POLLWAIT, METRIC_CHILDWAIT,
	METRIC_SIGNALWAIT, METRIC_DATAPFAULT, METRIC_STOP,     METRIC_OTHERWAIT};

/* <Unknown> and the like are no code. */
static int is_code(const struct sym_function *function)
{
	return function->name[0] != '<' || function->address != 0;
}

/* The time of idle threads, which is shown apart. */
struct idle {
	uint64_t threads;
	uint64_t ns;          /* of all */
	uint64_t of[METRICS]; /* by state */
	const struct dataset *dataset;
	const uint32_t *own; /* the items of the program's own code, see owncode_items */
};

static unsigned metric_of(unsigned state)
{
	static const uint8_t metrics[] = {[FMT_wall_state_COND] = METRIC_COND,
	                                  [FMT_wall_state_PIPE] = METRIC_PIPEWAIT,
	                                  [FMT_wall_state_SOCKET] = METRIC_SOCKETWAIT,
	                                  [FMT_wall_state_POLL] = METRIC_POLLWAIT,
	                                  [FMT_wall_state_SIGNAL] = METRIC_SIGNALWAIT};

	return metrics[state];
}

static struct idle find_idle(const struct dataset *dataset, const struct metric_values *sum)
{
	struct idle idle = {.dataset = dataset};
	const struct dataset_experiment *at = NULL;
	const struct exp_wait *wait;
	size_t index = 0;

	while ((wait = idle_next(dataset, &at, &index))) {
		unsigned id = metric_of(wait->state);
		uint64_t left = sum->of[id] - idle.of[id];
		uint64_t ns = wait->wait_ns < left ? wait->wait_ns : left;

		idle.threads++;
		idle.of[id] += ns;
		idle.ns += ns;
	}
	return idle;
}

/* What idle threads have of a metric in a function. */
static uint64_t idle_in(const struct idle *idle, unsigned id, const struct sym_function *function)
{
	const struct dataset_experiment *at = NULL;
	const struct exp_wait *wait;
	uint64_t ns = 0;
	size_t index = 0;

	while (idle->of[id] > 0 && (wait = idle_next(idle->dataset, &at, &index)))
		if (metric_of(wait->state) == id &&
		    stacks_function_node(idle->dataset, at, wait->node) == function)
			ns += wait->wait_ns;
	return ns;
}

/* What each item has of a metric: CPU time where it was used, a wait where the program's own code
 * called what waits. NULL: nobody has any. The caller frees. */
static uint64_t *sums_of(const struct idle *idle, unsigned id)
{
	const struct tree *tree = dataset_tree(idle->dataset, TREE_FUNCTIONS);
	const struct fold *fold = dataset_fold(idle->dataset, TREE_FUNCTIONS);
	uint64_t *sums;

	if (id != METRIC_TOTALCPU)
		return owncode_sums(tree, idle->own, id);
	sums = memory_take(tree->item_count, sizeof(*sums));
	for (uint32_t i = 1; i < tree->item_count; i++)
		sums[i] = columns_at(&fold->own, i, id);
	return sums;
}

/* The function with the most of a metric, if that is half of it or more: the number of its item; 0:
 * there is none. */
static uint32_t find_half(const struct idle *idle, unsigned id, uint64_t whole)
{
	const struct tree *tree = dataset_tree(idle->dataset, TREE_FUNCTIONS);
	uint64_t *sums = sums_of(idle, id), half = whole - whole / 2;
	uint32_t found = 0;

	for (uint32_t i = 1; sums && i < tree->item_count && found == 0; i++)
		if (sums[i] >= half && sums[i] >= half + idle_in(idle, id, tree->items[i].function))
			found = i;
	free(sums);
	return found != 0 && is_code(tree->items[found].function) ? found : 0;
}

static void put_part(const struct idle *idle, const struct choices *choices, FILE *out, unsigned id,
                     uint64_t value)
{
	const struct tree *tree = dataset_tree(idle->dataset, TREE_FUNCTIONS);
	uint32_t item = find_half(idle, id, value);
	char *name;

	fprintf(out, "%s %.3f",
	        id == METRIC_TOTALCPU ? "CPU"
	        : id == METRIC_WAIT   ? "ready"
	                              : metric_keyword(id),
	        report_seconds(value));
	if (item == 0)
		return;
	name = name_function(choices, tree->items[item].function);
	fputs(" (", out);
	text_put(out, name);
	fputc(')', out);
	free(name);
}

void thread_time_put(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	const char *before = " = ";
	struct idle idle;
	uint32_t *own;

	if (!(dataset->have & EXP_DATA_WALL))
		return;
	own = owncode_items(dataset_tree(dataset, TREE_FUNCTIONS));
	idle = find_idle(dataset, sum);
	idle.own = own;
	fprintf(output->out, "Thread time %.3f s", report_seconds(sum->of[METRIC_TOTALTIME]));
	for (size_t i = 0; i < sizeof(parts); i++) {
		uint64_t ns = sum->of[parts[i]] - idle.of[parts[i]];

		if (ns < SHOWN_NS)
			continue;
		fputs(before, output->out);
		put_part(&idle, choices, output->out, parts[i], ns);
		before = " + ";
	}
	if (idle.ns >= SHOWN_NS)
		fprintf(output->out, "%sidle %.3f (%llu %s)", before, report_seconds(idle.ns),
		        (unsigned long long)idle.threads, idle.threads == 1 ? "thread" : "threads");
	fputs("\n\n", output->out);
	free(own);
}
