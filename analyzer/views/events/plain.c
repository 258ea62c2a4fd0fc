/* plain.c: the views of the kinds of data that are in the form CALLS in format/datakind.def: call
 * stacks with all metrics of the kind. */
#include "analyzer/views/events/plain.h"

#include "analyzer/model/datakind.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/view.h"
#include "experiment/base/totals.h"

#include <stdlib.h>

/* What is shown: the context of the functions below. */
struct plain {
	unsigned data;   /* enum exp_data */
	unsigned count;  /* the metric that counts the events */
	unsigned weight; /* the metric that stacks are sorted by */
	size_t stacks;
};

static uint64_t count_of(const struct metric_view *values, const void *context)
{
	const struct plain *plain = context;

	return metric_at(values, plain->count);
}

static uint64_t weight_of(const struct metric_view *values, const void *context)
{
	const struct plain *plain = context;

	return metric_at(values, plain->weight);
}

static void put_values(struct output *output, const struct plain *plain, const char *before,
                       struct metric_view values)
{
	char text[METRIC_TEXT_MAX];

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) == plain->data)
			fprintf(output->out, ", %s%s = %s", before, metric_meaning(id),
			        metric_format(id, metric_at(&values, id), text));
	fputc('\n', output->out);
}

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	(void)dataset;
	(void)choices;
	fprintf(output->out, "Stack #%zu", number);
	put_values(output, context, "", tree_own_view(tree, node));
}

static void put_summary(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct tree *tree, const void *context)
{
	const struct plain *plain = context;

	(void)dataset;
	(void)choices;
	fprintf(output->out, "Summary Results: Distinct Stacks = %zu", plain->stacks);
	put_values(output, plain, "Total ", metric_view_of(&tree->sum));
}

/* Stacks are sorted by a metric that is not a number of events, if there is one. */
static struct plain find_metrics(unsigned data)
{
	struct plain plain = {.data = data, .count = METRIC_VALUES, .weight = METRIC_VALUES};

	for (unsigned id = METRIC_VALUES; id-- > 0;) {
		if (metric_data_of(id) != data)
			continue;
		if (metric_unit_of(id) != METRIC_UNIT_COUNT)
			plain.weight = id;
		else if (exp_totals[metric_from[id][0]].role == EXP_ROLE_EVENTS)
			plain.count = id;
	}
	if (plain.weight == METRIC_VALUES)
		plain.weight = plain.count;
	return plain;
}

void plain_view(const struct dataset *dataset, const struct choices *choices, struct output *output,
                unsigned data, const char *name)
{
	struct plain plain = find_metrics(data);
	const struct stacks_kind kind = {count_of, weight_of, put_head, &plain, name, data};
	const struct tree *tree = stacks_tree(dataset, output, &kind, metric_set_of(data));
	uint32_t *stacks = stacks_find(tree, &kind, &plain.stacks);

	quality_put(dataset, output);
	stacks_put_parts(dataset, choices, output, tree, put_summary, &plain);
	stacks_put(dataset, choices, output, tree, &kind, stacks, plain.stacks);
	if (plain.stacks != 0) {
		const struct sym_function *function = stacks_culprit(tree, stacks[0]);

		if (function)
			report_put_next(dataset, choices, output, "csingle", function,
			                "who calls it and what it calls");
		fputc('\n', output->out);
	}
	free(stacks);
}

#define IF_OWN(field, kind)
#define IF_CALLS(field, kind) \
	void view_##field(const struct dataset *dataset, const struct choices *choices, \
	                  struct output *output, const struct command_argument *argument) \
	{ \
		(void)argument; \
		plain_view(dataset, choices, output, EXP_DATA_##kind, #field); \
	}
#define SWITCH(field, kind, key, form, meaning) IF_##form(field, kind)
#include "format/datakind.def"
