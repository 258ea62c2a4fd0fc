/* functions.c: the flat tables, of functions, lines and pcs, and their long forms. */
#include "analyzer/views/view.h"

#include "analyzer/report/pick.h"

#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/names.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>
#include <string.h>

static const char *const titles[TREE_MODES] = {[TREE_FUNCTIONS] = "Functions",
                                               [TREE_LINES] = "Lines",
                                               [TREE_PCS] = "PCs",
                                               [TREE_FRAMES] = "Frames"};

static const char *const names[TREE_MODES] = {[TREE_FUNCTIONS] = "functions",
                                              [TREE_LINES] = "lines",
                                              [TREE_PCS] = "pcs",
                                              [TREE_FRAMES] = "frames"};

/* The values of an item for the next row. <Total> has all of them, both exclusive and inclusive. */
static void set_values(struct table *table, const struct fold *const *folds, uint32_t item)
{
	for (size_t i = 0; i < table->group_count; i++)
		table->next[i] = (struct table_values){
			columns_view(item == 0 ? &folds[i]->total : &folds[i]->own, item),
			columns_view(&folds[i]->total, item)};
}

/* All items that have something to show, <Total> first, in the user's order. Of programs, which
 * have no values, all of them but <Total>. */
static struct table make_table(const struct dataset *dataset, const struct choices *choices,
                               enum tree_mode mode)
{
	const struct tree *tree = dataset_tree(dataset, mode);
	const struct fold **folds = compare_folds(dataset, mode);
	struct table table = {.count = 0};
	int is_programs = dataset_is_programs(dataset);

	compare_table(dataset, &table, mode);
	for (uint32_t i = is_programs ? 1 : 0; i < tree->item_count; i++) {
		set_values(&table, folds, i);
		if (i == 0 || is_programs ||
		    table_next_is_worth(&table, &choices->metrics, &choices->sort))
			table_add_next(&table, tree, i, name_item(choices, mode, &tree->items[i]));
	}
	free(folds);
	table_sort(&table, is_programs ? 0 : 1, &choices->sort, &choices->metrics);
	return table;
}

/* The row to look into: the first one with an exclusive value. */
static const struct sym_function *find_top(const struct choices *choices, const struct table *table)
{
	unsigned metric = choices->sort.metric.id;

	for (size_t i = 1; i < table->count && metric < METRIC_VALUES; i++)
		if (table->rows[i].function->name[0] != '<' &&
		    metric_at(&table->rows[i].own, metric) != 0)
			return table->rows[i].function;
	return NULL;
}

/* What stands for the missing part of stacks, if that is of a tenth of all or more; NULL: none. */
static const struct sym_function *find_cut(const struct choices *choices, const struct table *table)
{
	unsigned metric = choices->sort.metric.id;

	for (size_t i = 1; i < table->count && metric < METRIC_VALUES; i++) {
		const struct table_row *row = &table->rows[i];

		if ((strcmp(row->function->name, "<Truncated-stack>") == 0 ||
		     strcmp(row->function->name, "<Stack-unwind-failed>") == 0) &&
		    metric_at(&row->total, metric) != 0 &&
		    metric_at(&row->total, metric) >= table->sum.of[metric] / 10)
			return row->function;
	}
	return NULL;
}

static void put_more_columns(const struct dataset *dataset, const struct choices *choices,
                             struct output *output)
{
	size_t more = metric_left_out(dataset->have, &choices->metrics);
	char why[64];

	snprintf(why, sizeof(why), "%zu more columns of what was recorded", more);
	if (more != 0)
		report_put_next(dataset, choices, output, "metrics wide", NULL, why);
}

static void put_hints(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct table *table)
{
	const struct sym_function *top = find_top(choices, table), *cut = find_cut(choices, table);

	if (cut)
		report_put_next(dataset, choices, output, "csingle", cut,
		                "code whose callers cannot be found");
	if (top)
		report_put_next(dataset, choices, output, "csingle", top,
		                "who calls it and what it calls");
	if (table->count > 2)
		report_put_next(dataset, choices, output, "calltree", NULL,
		                "where the calls come from");
	if (table->sum.of[METRIC_HEAPLEAKCNT] != 0 || table->sum.of[METRIC_HEAPLEAKBYTES] != 0)
		report_put_next(dataset, choices, output, "leaks", NULL,
		                "the stacks that allocated what was not freed");
	else if (table->sum.of[METRIC_SYNC] != 0)
		report_put_next(dataset, choices, output, "locks", NULL, "what was waited for");
	else if (top && top->line != 0)
		report_put_next(dataset, choices, output, "lines", NULL, "the same by source line");
	put_more_columns(dataset, choices, output);
}

static void put_table(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, enum tree_mode mode)
{
	struct table table = make_table(dataset, choices, mode);

	quality_put_title(dataset, choices, output, titles[mode]);
	table_put(dataset, output, &table, &choices->metrics, choices->limit, names[mode]);
	if (mode == TREE_FUNCTIONS && !dataset_is_programs(dataset))
		put_hints(dataset, choices, output, &table);
	fputc('\n', output->out);
	table_fini(&table);
}

void view_functions(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_table(dataset, choices, output, TREE_FUNCTIONS);
}

void view_lines(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	(void)argument;
	put_table(dataset, choices, output, TREE_LINES);
}

void view_pcs(const struct dataset *dataset, const struct choices *choices, struct output *output,
              const struct command_argument *argument)
{
	(void)argument;
	put_table(dataset, choices, output, TREE_PCS);
}

/* One metric of a summary: "   Exclusive User CPU Time:  1.250 ( 12.50 %)", the groups of a
 * comparison side by side. */
static void put_metric(struct output *output, const struct table *table,
                       const struct table_row *row, unsigned id, unsigned flavor)
{
	const struct metric metric = {.id = (uint8_t)id, .flavor = (uint8_t)flavor};
	char name[METRIC_ERROR_MAX], number[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];

	fprintf(output->out, "%28s:", metric_describe(&metric, name));
	for (size_t i = 0; i < table->group_count; i++)
		fprintf(output->out, " %14s (%6s %%)", table_format(table, row, &metric, i, number),
		        table_format_percent(table, row, &metric, i, share));
	fputc('\n', output->out);
}

/* Which column of a summary is which group. */
static void put_labels(struct output *output, const struct table *table)
{
	if (table->group_count < 2)
		return;
	fprintf(output->out, "%29s", "");
	for (size_t i = 0; i < table->group_count; i++)
		fprintf(output->out, " %25s", table->groups[i].label);
	fputs("\n\n", output->out);
}

static void put_text(struct output *output, const char *what, const char *text)
{
	fprintf(output->out, "%28s: ", what);
	text_put(output->out, text);
	fputc('\n', output->out);
}

static void put_properties(const struct dataset *dataset, struct output *output,
                           enum tree_mode mode, const struct sym_frame *item)
{
	const struct sym_function *function = item->function;
	uint64_t address = mode == TREE_PCS ? item->address : function->address;
	const char *file = name_file(dataset, function);

	if (mode != TREE_LINES) {
		if (mode == TREE_FUNCTIONS)
			fprintf(output->out, "%28s: %14llu\n", "Size",
			        (unsigned long long)function->size);
		fprintf(output->out, "%28s: %zu:0x%08llx\n", "PC Address", function->object->index,
		        (unsigned long long)address);
	}
	put_text(output, "Source File", file ? file : "(unknown)");
	put_text(output, "Load Object", function->object->path);
	put_text(output, "Mangled Name", function->mangled);
}

static void put_summary(const struct dataset *dataset, struct output *output, enum tree_mode mode,
                        const struct table *table, const struct table_row *row,
                        const struct sym_frame *item)
{
	text_put(output->out, row->name);
	fputc('\n', output->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (!(metric_data_of(id) & dataset->have))
			continue;
		put_metric(output, table, row, id, METRIC_EXCLUSIVE);
		put_metric(output, table, row, id, METRIC_INCLUSIVE);
	}
	if (item->function != symbols_total(dataset->symbols))
		put_properties(dataset, output, mode, item);
	fputc('\n', output->out);
}

/* For programs: a row each, every metric a column, then what else is known. */
static void put_all(const struct dataset *dataset, struct output *output, struct table *table,
                    size_t count, enum tree_mode mode)
{
	static const char *const all[TREE_MODES] = {"fsummary", "lsummary", "psummary", "summary"};
	struct metric_list metrics = {.count = 0};

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		for (unsigned flavor = METRIC_EXCLUSIVE; flavor <= METRIC_INCLUSIVE; flavor++)
			if (metric_data_of(id) & dataset->have)
				metrics.at[metrics.count++] = (struct metric){
					(uint8_t)id, (uint8_t)flavor, METRIC_SHOW_VALUE};
	table->has_properties = 1;
	table_put(dataset, output, table, &metrics, count, all[mode]);
}

static void put_summaries(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, enum tree_mode mode)
{
	const struct tree *tree = dataset_tree(dataset, mode);
	struct table table = make_table(dataset, choices, mode);
	size_t count = choices->limit != 0 && choices->limit < table.count ? choices->limit
	                                                                   : table.count;

	quality_put_title(dataset, choices, output, titles[mode]);
	if (print_is_data(output)) {
		put_all(dataset, output, &table, count, mode);
		table_fini(&table);
		return;
	}
	put_labels(output, &table);
	for (size_t i = 0; i < count; i++)
		put_summary(dataset, output, mode, &table, &table.rows[i],
		            &tree->items[table.rows[i].item]);
	table_fini(&table);
}

void view_fsummary(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(dataset, choices, output, TREE_FUNCTIONS);
}

void view_lsummary(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(dataset, choices, output, TREE_LINES);
}

void view_psummary(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(dataset, choices, output, TREE_PCS);
}

void view_fsingle(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	uint32_t item = pick_function(dataset, choices, output, "fsingle", argument->text,
	                              argument->number);
	struct table table = {.count = 0};
	const struct fold **folds;

	if (item == TREE_NONE)
		return;
	folds = compare_folds(dataset, TREE_FUNCTIONS);
	compare_table(dataset, &table, TREE_FUNCTIONS);
	set_values(&table, folds, item);
	table_add_next(&table, tree, item, name_function(choices, tree->items[item].function));
	quality_put(dataset, output);
	if (print_is_data(output)) {
		put_all(dataset, output, &table, 1, TREE_FUNCTIONS);
		table_fini(&table);
		free(folds);
		return;
	}
	put_labels(output, &table);
	put_summary(dataset, output, TREE_FUNCTIONS, &table, &table.rows[0], &tree->items[item]);
	table_fini(&table);
	free(folds);
}
