/* fragment.c: callers and callees of a fragment of stacks, which csingle begins, and which
 * cprepend, cappend, crmfirst and crmlast change. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/fragment.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"
#include "analyzer/report/pick.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>
#include <string.h>

/* What one report needs, by column of a comparison. */
struct panel {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	const struct tree *tree;
	struct fragment_values *values; /* values[columns] */
	size_t columns;
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;
};

static void add_rows(struct panel *panel, int are_callers)
{
	struct table *table = &panel->table;
	size_t from = table->count;

	for (uint32_t item = 0; item < panel->tree->item_count; item++) {
		for (size_t i = 0; i < panel->columns; i++) {
			struct metric_view of = columns_view(
				are_callers ? &panel->values[i].callers : &panel->values[i].callees,
				item);

			table->next[i] = (struct table_values){of, of};
		}
		if (table_next_is_worth(table, &panel->metrics, &panel->sort))
			table_add_next(
				table, panel->tree, item,
				name_function(panel->choices, panel->tree->items[item].function));
	}
	table_sort(table, from, &panel->sort, &panel->metrics);
	for (size_t i = from; i < table->count; i++)
		table->rows[i].mark = ' ';
}

/* "main > work": the functions themselves. */
static char *name_fragment(const struct choices *choices, const struct fragment *fragment)
{
	char *whole = memory_text("", 0);

	for (size_t i = 0; i < fragment->count; i++) {
		char *name = name_function(choices, fragment->functions[i]);
		char *longer = memory_format("%s%s%s", whole, i ? " > " : "", name);

		free(name);
		free(whole);
		whole = longer;
	}
	return whole;
}

static void add_fragment(struct panel *panel, const struct fragment *fragment)
{
	struct table *table = &panel->table;
	uint32_t item = fragment_item(panel->tree, fragment->functions[fragment->count - 1]);

	for (size_t i = 0; i < panel->columns; i++)
		table->next[i] = (struct table_values){metric_view_of(&panel->values[i].own),
		                                       metric_view_of(&panel->values[i].total)};
	table_add_next(table, panel->tree, item, name_fragment(panel->choices, fragment));
	table->rows[table->count - 1].mark = '*';
}

static void put_title(const struct panel *panel)
{
	char text[METRIC_ERROR_MAX];

	quality_put(panel->dataset, panel->output);
	if (print_is_data(panel->output))
		print_note(panel->output, "Callers and callees sorted by metric: %s",
		           metric_describe(&panel->sort.metric, text));
	else
		fprintf(panel->output->out, "Callers and callees sorted by metric: %s\n\n",
		        metric_describe(&panel->sort.metric, text));
}

static void put_panel(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct fragment *fragment)
{
	const struct tree **trees = compare_trees(dataset, TREE_FUNCTIONS);
	struct panel panel = {.dataset = dataset,
	                      .choices = choices,
	                      .output = output,
	                      .columns = dataset_columns(dataset),
	                      .sort = choices->sort,
	                      .tree = trees[0]};

	panel.values = memory_take(panel.columns, sizeof(*panel.values));
	for (size_t i = 0; i < panel.columns; i++)
		panel.values[i] = fragment_find(fragment, trees[i]);
	metric_list_attributed(&choices->metrics, &panel.metrics);
	if (panel.sort.metric.id < METRIC_VALUES)
		panel.sort.metric.flavor = METRIC_ATTRIBUTED;
	compare_table(dataset, &panel.table, TREE_FUNCTIONS);
	add_rows(&panel, 1);
	add_fragment(&panel, fragment);
	add_rows(&panel, 0);
	put_title(&panel);
	table_put(dataset, output, &panel.table, &panel.metrics, 0, "callers-callees");
	fputc('\n', output->out);
	table_fini(&panel.table);
	for (size_t i = 0; i < panel.columns; i++)
		fragment_values_fini(&panel.values[i]);
	free(panel.values);
	free(trees);
}

/* Functions that are shown no more, since experiments were dropped or objects hidden, end the
 * fragment. */
static int is_there(const struct dataset *dataset, struct choices *choices, struct output *output,
                    const char *command)
{
	const struct fragment *fragment = &choices->fragment;
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);

	for (size_t i = 0; i < fragment->count; i++)
		if (fragment_item(tree, fragment->functions[i]) == TREE_NONE)
			choices->fragment.count = 0;
	if (choices->fragment.count != 0)
		return 1;
	output_fail(output, EXIT_USAGE,
	            "%s: there is no function to begin with (csingle FUNCTION chooses one)",
	            command);
	return 0;
}

/* Add a function at an end. */
static void add(const struct dataset *dataset, struct choices *choices, struct output *output,
                const char *command, const struct command_argument *argument, int is_first)
{
	struct fragment *fragment = &choices->fragment;
	uint32_t item;

	if (!is_there(dataset, choices, output, command))
		return;
	item = pick_function(dataset, choices, output, command, argument->text, argument->number);
	if (item == TREE_NONE)
		return;
	if (fragment->count == FRAGMENT_MAX) {
		output_fail(output, EXIT_USAGE, "%s: no more than %d functions", command,
		            FRAGMENT_MAX);
		return;
	}
	if (is_first)
		memmove(&fragment->functions[1], &fragment->functions[0],
		        fragment->count * sizeof(fragment->functions[0]));
	fragment->functions[is_first ? 0 : fragment->count] = dataset_tree(dataset, TREE_FUNCTIONS)
	                                                              ->items[item]
	                                                              .function;
	fragment->count++;
	put_panel(dataset, choices, output, fragment);
}

void view_cprepend(struct analysis *analysis, const struct command_argument *argument)
{
	add(&analysis->dataset, &analysis->choices, &analysis->output, "cprepend", argument, 1);
}

void view_cappend(struct analysis *analysis, const struct command_argument *argument)
{
	add(&analysis->dataset, &analysis->choices, &analysis->output, "cappend", argument, 0);
}

static void take(const struct dataset *dataset, struct choices *choices, struct output *output,
                 const char *command, int is_first)
{
	struct fragment *fragment = &choices->fragment;

	if (!is_there(dataset, choices, output, command))
		return;
	if (fragment->count == 1) {
		output_fail(output, EXIT_USAGE, "%s: only one function is left", command);
		return;
	}
	fragment->count--;
	if (is_first)
		memmove(&fragment->functions[0], &fragment->functions[1],
		        fragment->count * sizeof(fragment->functions[0]));
	put_panel(dataset, choices, output, fragment);
}

void view_crmfirst(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	take(&analysis->dataset, &analysis->choices, &analysis->output, "crmfirst", 1);
}

void view_crmlast(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	take(&analysis->dataset, &analysis->choices, &analysis->output, "crmlast", 0);
}
