/* threadtime.c: see threadtime.h. */
#include "analyzer/views/experiments/threadtime.h"

#include "analyzer/base/text.h"
#include "analyzer/model/name.h"
#include "analyzer/report/report.h"

#include <stdlib.h>

enum { SHOWN_NS = 500000 /* less would be shown as 0.000 s */ };

/* Together they are METRIC_TOTALTIME. */
static const uint8_t parts[] = {
	METRIC_TOTALCPU,  METRIC_WAIT,       METRIC_LOCK,       METRIC_COND,    METRIC_SLEEP,
	METRIC_FILEWAIT,  METRIC_PIPEWAIT,   METRIC_SOCKETWAIT, METRIC_TTYWAIT, METRIC_POLLWAIT,
	METRIC_CHILDWAIT, METRIC_SIGNALWAIT, METRIC_DATAPFAULT, METRIC_STOP,    METRIC_OTHERWAIT};

/* <Unknown> and the like are no code. */
static int is_code(const struct sym_function *function)
{
	return function->name[0] != '<' || function->address != 0;
}

/* The function with the most of a metric, of its own, if that is half of it or more: the number of
 * its item; 0: there is none. */
static uint32_t find_half(const struct dataset *dataset, unsigned id, uint64_t whole)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold *fold = dataset_fold(dataset, TREE_FUNCTIONS);

	for (uint32_t i = 1; i < tree->item_count; i++)
		if (columns_at(&fold->own, i, id) >= whole - whole / 2)
			return is_code(tree->items[i].function) ? i : 0;
	return 0;
}

static void put_part(const struct dataset *dataset, const struct choices *choices, FILE *out,
                     unsigned id, uint64_t value)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	uint32_t item = find_half(dataset, id, value);
	char *name;

	fprintf(out, "%s %.3f", id == METRIC_TOTALCPU ? "CPU" : metric_keyword(id),
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

	if (!(dataset->have & EXP_DATA_WALL))
		return;
	fprintf(output->out, "Thread time %.3f s", report_seconds(sum->of[METRIC_TOTALTIME]));
	for (size_t i = 0; i < sizeof(parts); i++) {
		if (sum->of[parts[i]] < SHOWN_NS)
			continue;
		fputs(before, output->out);
		put_part(dataset, choices, output->out, parts[i], sum->of[parts[i]]);
		before = " + ";
	}
	fputs("\n\n", output->out);
}
