/* overview_tops.c: the functions with the most of a metric. See overview.h. */
#include "analyzer/views/experiments/overview.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"
#include "analyzer/model/datakind.h"
#include "analyzer/model/name.h"
#include "analyzer/model/owncode.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>

enum { TOP = 3 };

/* What each function of a part of the tree has of one metric. */
struct sums {
	const struct tree *tree;
	const uint32_t *items; /* that the values of a node go to, see owncode_items */
};

static uint64_t *make_sums(const void *source, unsigned id)
{
	const struct sums *sums = source;

	return owncode_sums(sums->tree, sums->items, id);
}

/* The functions with the most of a metric, <Total> first, and the one column that they have. */
struct top {
	struct table table;
	struct metric_list metrics;
	/* Of a metric by the program's own code, for each group; else NULL: */
	struct columns *own;
	struct sums *sums;
	uint32_t *items;
};

static const struct columns *top_values(const struct top *top, const struct fold *fold,
                                        uint32_t item, size_t group)
{
	if (item == 0)
		return &fold->total;
	return top->own ? &top->own[group] : &fold->own;
}

static void make_own(const struct dataset *dataset, const struct tree *tree,
                     const struct fold *const *folds, struct top *top)
{
	size_t count = dataset_columns(dataset);

	top->items = owncode_items(tree);
	top->sums = memory_take(count, sizeof(*top->sums));
	top->own = memory_take(count, sizeof(*top->own));
	for (size_t i = 0; i < count; i++) {
		top->sums[i] = (struct sums){folds[i]->tree, top->items};
		top->own[i] = (struct columns){
			.count = tree->item_count, .make = make_sums, .source = &top->sums[i]};
	}
}

static void find_top(const struct dataset *dataset, const struct choices *choices, unsigned id,
                     struct top *top)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold **folds = compare_folds(dataset, TREE_FUNCTIONS);
	struct metric_sort sort = {
		.metric = {(uint8_t)id, METRIC_EXCLUSIVE, METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT}};
	const char *title;

	*top = (struct top){.metrics = {.at = {sort.metric}, .count = 1}};
	if (metric_overview_of(id, &title) == METRIC_OWN)
		make_own(dataset, tree, folds, top);
	compare_table(dataset, &top->table, TREE_FUNCTIONS);
	for (uint32_t i = 0; i < tree->item_count; i++) {
		for (size_t j = 0; j < top->table.group_count; j++)
			top->table.next[j] = (struct table_values){
				columns_view(top_values(top, folds[j], i, j), i),
				columns_view(&folds[j]->total, i)};
		if (i == 0 || table_next_is_worth(&top->table, &top->metrics, &sort))
			table_add_next(&top->table, tree, i,
			               name_function(choices, tree->items[i].function));
	}
	free(folds);
	table_sort(&top->table, 1, &sort, &top->metrics);
}

static void top_fini(const struct dataset *dataset, struct top *top)
{
	for (size_t i = 0; top->own && i < dataset_columns(dataset); i++)
		columns_fini(&top->own[i]);
	table_fini(&top->table);
	free(top->own);
	free(top->sums);
	free(top->items);
}

static const char *title_end(unsigned id)
{
	const char *title;

	return metric_overview_of(id, &title) == METRIC_OWN
	               ? ", by the innermost function of the program"
	               : "";
}

char *overview_grouped(const FILE *out, unsigned id, char *value)
{
	return metric_unit_of(id) == METRIC_UNIT_SECONDS ? value : terminal_group(out, value);
}

static void put_top(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, unsigned id, const char *title)
{
	char value[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];
	const struct table *table;
	struct top top;

	find_top(dataset, choices, id, &top);
	table = &top.table;
	if (table->count > 1) {
		struct metric_scale scale = table_scale(table, &top.metrics.at[0]);
		int is_told = metric_unit_of(id) == METRIC_UNIT_SECONDS &&
		              scale.unit_ns != METRIC_SECOND_NS;

		fprintf(output->out, "  %s%s%s%s:\n", title, title_end(id), is_told ? ", in " : "",
		        is_told ? metric_scale_unit(&scale) : "");
	}
	for (size_t i = 1; i < table->count && i <= TOP; i++) {
		const struct metric *metric = &top.metrics.at[0];

		fprintf(output->out, "    %14s  %6s %%  ",
		        overview_grouped(output->out, id,
		                         table_format(table, &table->rows[i], metric, 0, value)),
		        table_format_percent(table, &table->rows[i], metric, 0, share));
		text_put(output->out, table->rows[i].name);
		fputc('\n', output->out);
	}
	top_fini(dataset, &top);
}

/* Pass each metric of a kind of data that has functions in the overview to `put`. */
static void for_each_top(const struct dataset *dataset, const struct choices *choices,
                         struct output *output, unsigned kind,
                         void (*put)(const struct dataset *dataset, const struct choices *choices,
                                     struct output *output, unsigned id, const char *title))
{
	const char *title;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) == 1u << kind &&
		    metric_overview_of(id, &title) >= METRIC_FUNCTIONS)
			put(dataset, choices, output, id, title);
}

void overview_put_tops(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, unsigned kind)
{
	for_each_top(dataset, choices, output, kind, put_top);
}

static void put_top_table(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, unsigned id, const char *title)
{
	char *name = memory_format("top.%s", metric_keyword(id));
	struct top top;

	find_top(dataset, choices, id, &top);
	if (!print_is_data(output))
		fprintf(output->out, "%s%s\n\n", title, title_end(id));
	table_put(dataset, output, &top.table, &top.metrics, TOP + 1, name);
	fputc('\n', output->out);
	free(name);
	top_fini(dataset, &top);
}

void overview_put_top_tables(const struct dataset *dataset, const struct choices *choices,
                             struct output *output)
{
	for (size_t i = 0; i < FMT_DATAKINDS; i++)
		if (dataset->have & 1u << datakinds_shown[i])
			for_each_top(dataset, choices, output, datakinds_shown[i], put_top_table);
}
