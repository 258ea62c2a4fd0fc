/* callers.c: each function between those that call it and those that it calls. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/report/pick.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>
#include <string.h>

/* The edges of a tree, by caller and by callee: edge numbers of item i are at[start[i]..start[i +
 * 1]). */
struct index {
	uint32_t *start, *at;
};

static uint32_t key_of(const struct fold_edge *edge, int by_caller)
{
	return by_caller ? edge->caller : edge->callee;
}

static struct index make_index(const struct fold_edges *edges, size_t items, int by_caller)
{
	struct index index = {.start = memory_take(items + 2, sizeof(uint32_t)),
	                      .at = memory_take(edges->count, sizeof(uint32_t))};

	for (size_t i = 0; i < edges->count; i++)
		index.start[key_of(&edges->edges[i], by_caller) + 2]++;
	for (size_t i = 2; i < items + 2; i++)
		index.start[i] += index.start[i - 1];
	for (size_t i = 0; i < edges->count; i++)
		index.at[index.start[key_of(&edges->edges[i], by_caller) + 1]++] = (uint32_t)i;
	return index;
}

static void free_index(struct index *index)
{
	free(index->start);
	free(index->at);
}

/* What the panels of one report share. */
struct panels {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	const struct tree *tree;
	const struct fold **folds;       /* by column */
	const struct fold_edges **edges; /* by column */
	size_t columns;
	struct index callers_of, callees_of;
	struct metric_list metrics;
	struct metric_sort sort;
};

static struct panels open_panels(const struct dataset *dataset, const struct choices *choices,
                                 struct output *output)
{
	struct panels panels = {
		.dataset = dataset, .choices = choices, .output = output, .sort = choices->sort};

	panels.tree = dataset_tree(dataset, TREE_FUNCTIONS);
	panels.folds = compare_folds(dataset, TREE_FUNCTIONS);
	panels.edges = compare_edges(dataset);
	panels.columns = dataset_columns(dataset);
	panels.callers_of = make_index(panels.edges[0], panels.tree->item_count, 0);
	panels.callees_of = make_index(panels.edges[0], panels.tree->item_count, 1);
	metric_list_attributed(&choices->metrics, &panels.metrics);
	if (panels.sort.metric.id < METRIC_VALUES)
		panels.sort.metric.flavor = METRIC_ATTRIBUTED;
	return panels;
}

static void close_panels(struct panels *panels)
{
	free_index(&panels->callers_of);
	free_index(&panels->callees_of);
	free(panels->folds);
	free(panels->edges);
}

/* The values of an item itself. <Total> has no exclusive values: it stands for everything, as in
 * all tables. */
static void set_values(const struct panels *panels, struct table *table, uint32_t item)
{
	for (size_t i = 0; i < panels->columns; i++) {
		const struct fold *fold = panels->folds[i];

		table->next[i] = (struct table_values){
			columns_view(item == 0 ? &fold->total : &fold->own, item),
			columns_view(&fold->total, item)};
	}
}

/* Add a row for the caller or the callee of an edge. */
static void add_row(struct panels *panels, struct table *table, uint32_t edge, int is_caller)
{
	const struct fold_edge *base = &panels->edges[0]->edges[edge];
	uint32_t item = is_caller ? base->caller : base->callee;

	for (size_t i = 0; i < panels->columns; i++) {
		const struct fold_edges *edges = panels->edges[i];
		struct metric_view values = columns_view(
			is_caller ? &edges->as_caller : &edges->as_callee, edge);

		table->next[i] = (struct table_values){values, values};
	}
	if (table_next_is_worth(table, &panels->metrics, &panels->sort))
		table_add_next(table, panels->tree, item,
		               name_function(panels->choices, panels->tree->items[item].function));
}

static void add_callers(struct panels *panels, struct table *table, uint32_t item)
{
	for (uint32_t i = panels->callers_of.start[item]; i < panels->callers_of.start[item + 1];
	     i++)
		add_row(panels, table, panels->callers_of.at[i], 1);
	table_sort(table, 0, &panels->sort, &panels->metrics);
}

static void add_callees(struct panels *panels, struct table *table, uint32_t item)
{
	size_t from = table->count;

	for (uint32_t i = panels->callees_of.start[item]; i < panels->callees_of.start[item + 1];
	     i++)
		add_row(panels, table, panels->callees_of.at[i], 0);
	table_sort(table, from, &panels->sort, &panels->metrics);
}

static void put_panel(struct panels *panels, uint32_t item)
{
	struct table table = {.count = 0};
	size_t callers;

	compare_table(panels->dataset, &table, TREE_FUNCTIONS);
	add_callers(panels, &table, item);
	callers = table.count;
	set_values(panels, &table, item);
	table_add_next(&table, panels->tree, item,
	               name_function(panels->choices, panels->tree->items[item].function));
	add_callees(panels, &table, item);
	for (size_t i = 0; i < table.count; i++)
		table.rows[i].mark = i == callers ? '*' : ' ';
	table_put(panels->dataset, panels->output, &table, &panels->metrics, 0, "callers-callees");
	fputc('\n', panels->output->out);
	table_fini(&table);
}

static void put_title(struct panels *panels)
{
	const struct dataset *dataset = panels->dataset;
	const struct choices *choices = panels->choices;
	struct output *output = panels->output;
	char text[METRIC_ERROR_MAX];

	quality_put(dataset, output);
	if (print_is_data(output)) {
		print_note(output, "Callers and callees sorted by metric: %s",
		           metric_describe(&panels->sort.metric, text));
		return;
	}
	fprintf(output->out, "Functions sorted by metric: %s\n",
	        metric_describe(&choices->sort.metric, text));
	fprintf(output->out, "Callers and callees sorted by metric: %s\n\n",
	        metric_describe(&panels->sort.metric, text));
}

/* Items in the order of the table of functions, <Total> first. */
static uint32_t *sorted_items(struct panels *panels, size_t *count)
{
	const struct dataset *dataset = panels->dataset;
	const struct choices *choices = panels->choices;
	struct table table = {.count = 0};
	uint32_t *items = memory_take(panels->tree->item_count, sizeof(*items));

	*count = 0;
	compare_table(dataset, &table, TREE_FUNCTIONS);
	for (uint32_t i = 0; i < panels->tree->item_count; i++) {
		set_values(panels, &table, i);
		if (i == 0 || table_next_is_worth(&table, &choices->metrics, &choices->sort))
			table_add_next(&table, panels->tree, i,
			               name_function(choices, panels->tree->items[i].function));
	}
	table_sort(&table, 1, &choices->sort, &choices->metrics);
	for (size_t i = 0; i < table.count; i++)
		items[(*count)++] = table.rows[i].item;
	table_fini(&table);
	return items;
}

void view_callers(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	struct panels panels = open_panels(dataset, choices, output);
	size_t count;
	uint32_t *items = sorted_items(&panels, &count);

	(void)argument;
	put_title(&panels);
	for (size_t i = 0; i < count && (choices->limit == 0 || i < choices->limit); i++)
		put_panel(&panels, items[i]);
	free(items);
	close_panels(&panels);
}

void view_csingle(struct analysis *analysis, const struct command_argument *argument)
{
	uint32_t item = pick_function(&analysis->dataset, &analysis->choices, &analysis->output,
	                              "csingle", argument->text, argument->number);
	struct panels panels;

	if (item == TREE_NONE)
		return;
	analysis->choices.fragment = (struct fragment){
		.functions =
			{dataset_tree(&analysis->dataset, TREE_FUNCTIONS)->items[item].function},
		.count = 1};
	panels = open_panels(&analysis->dataset, &analysis->choices, &analysis->output);
	put_title(&panels);
	put_panel(&panels, item);
	close_panels(&panels);
}
