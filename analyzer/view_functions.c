/* view_functions.c: the flat tables, of functions, lines and pcs, and their long forms. */
#include "view.h"

#include "name.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>

static const char *const titles[TREE_MODES] = {[TREE_FUNCTIONS] = "Functions",
					       [TREE_LINES] = "Lines",
					       [TREE_PCS] = "PCs",
					       [TREE_FRAMES] = "Frames"};

static const char *const names[TREE_MODES] = {[TREE_FUNCTIONS] = "functions",
					      [TREE_LINES] = "lines",
					      [TREE_PCS] = "pcs",
					      [TREE_FRAMES] = "frames"};

/* All items that have something to show, <Total> first, in the user's order. */
static struct table make_table(struct session *session, enum tree_mode mode)
{
	const struct tree *tree = session_tree(session, mode);
	const struct fold_row *rows = session_fold(session, mode);
	struct table table = {.sum = tree->total[TREE_ROOT]};

	/* All that happened happened in <Total>, itself and below. */
	table_add(&table, &rows[0].total, &rows[0].total, tree, 0,
		  name_item(session, mode, &tree->items[0]));
	for (size_t i = 1; i < tree->item_count; i++)
		if (table_is_worth(&rows[i].own, &rows[i].total, &session->metrics, &session->sort))
			table_add(&table, &rows[i].own, &rows[i].total, tree, (uint32_t)i,
				  name_item(session, mode, &tree->items[i]));
	table_sort(&table, 1, &session->sort, &session->metrics);
	return table;
}

/* The row to look into: the first where something happens, not only below it. */
static const struct sym_function *find_top(const struct session *session, const struct table *table)
{
	unsigned metric = session->sort.metric.id;

	for (size_t i = 1; i < table->count && metric < METRIC_VALUES; i++)
		if (table->rows[i].function->name[0] != '<' && table->rows[i].own->of[metric] != 0)
			return table->rows[i].function;
	return NULL;
}

static void put_hints(struct session *session, const struct table *table)
{
	const struct sym_function *top = find_top(session, table);

	if (top != NULL)
		report_put_next(session, "csingle", top, "who calls it and what it calls");
	if (table->count > 2)
		report_put_next(session, "calltree", NULL, "where the calls come from");
	if (table->sum.of[METRIC_HEAPLEAKCNT] != 0)
		report_put_next(session, "leaks", NULL,
				"the stacks that allocated what was not freed");
	else if (table->sum.of[METRIC_SYNC] != 0)
		report_put_next(session, "locks", NULL, "what was waited for");
	else if (top != NULL && top->line != 0)
		report_put_next(session, "lines", NULL, "the same by source line");
}

static void put_table(struct session *session, enum tree_mode mode)
{
	struct table table = make_table(session, mode);

	report_put_title(session, titles[mode]);
	table_put(session, &table, &session->metrics, session->limit, names[mode]);
	if (mode == TREE_FUNCTIONS)
		put_hints(session, &table);
	fputc('\n', session->out);
	table_fini(&table);
}

void view_functions(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_table(session, TREE_FUNCTIONS);
}

void view_lines(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_table(session, TREE_LINES);
}

void view_pcs(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_table(session, TREE_PCS);
}

/* One metric of a summary: "   Exclusive User CPU Time:  1.250 ( 12.50 %)". */
static void put_metric(struct session *session, unsigned id, unsigned flavor, uint64_t value,
		       uint64_t sum)
{
	const struct metric metric = {.id = (uint8_t)id, .flavor = (uint8_t)flavor};
	char name[METRIC_ERROR_MAX], number[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];

	fprintf(session->out, "%28s: %14s (%6s %%)\n", metric_describe(&metric, name),
		metric_format(id, value, number), metric_format_percent(value, sum, share));
}

static void put_text(struct session *session, const char *what, const char *text)
{
	fprintf(session->out, "%28s: ", what);
	text_put(session->out, text);
	fputc('\n', session->out);
}

static void put_properties(struct session *session, enum tree_mode mode,
			   const struct sym_frame *item)
{
	const struct sym_function *function = item->function;
	uint64_t address = mode == TREE_PCS ? item->address : function->address;

	if (mode != TREE_LINES) {
		if (mode == TREE_FUNCTIONS)
			fprintf(session->out, "%28s: %14llu\n", "Size",
				(unsigned long long)function->size);
		fprintf(session->out, "%28s: %zu:0x%08llx\n", "PC Address", function->object->index,
			(unsigned long long)address);
	}
	put_text(session, "Source File", function->file != NULL ? function->file : "(unknown)");
	put_text(session, "Load Object", function->object->path);
	put_text(session, "Mangled Name", function->mangled);
}

static void put_summary(struct session *session, enum tree_mode mode, const struct table_row *row,
			const struct sym_frame *item, const struct metric_values *sum)
{
	text_put(session->out, row->name);
	fputc('\n', session->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (!(metric_data_of(id) & session->have))
			continue;
		put_metric(session, id, METRIC_EXCLUSIVE, row->own->of[id], sum->of[id]);
		put_metric(session, id, METRIC_INCLUSIVE, row->total->of[id], sum->of[id]);
	}
	if (item->function != symbols_total(session->symbols))
		put_properties(session, mode, item);
	fputc('\n', session->out);
}

static void put_summaries(struct session *session, enum tree_mode mode)
{
	const struct tree *tree = session_tree(session, mode);
	struct table table = make_table(session, mode);
	size_t count =
		session->limit != 0 && session->limit < table.count ? session->limit : table.count;

	report_put_title(session, titles[mode]);
	for (size_t i = 0; i < count; i++)
		put_summary(session, mode, &table.rows[i], &tree->items[table.rows[i].item],
			    &table.sum);
	table_fini(&table);
}

void view_fsummary(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(session, TREE_FUNCTIONS);
}

void view_lsummary(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(session, TREE_LINES);
}

void view_psummary(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	put_summaries(session, TREE_PCS);
}

static void put_choices(struct session *session, const uint32_t *items, size_t count)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);

	for (size_t i = 0; i < count; i++) {
		const struct sym_function *function = tree->items[items[i]].function;

		fprintf(session->out, "%4zu) ", i + 1);
		text_put(session->out, function->name);
		fprintf(session->out, " - %zu:0x%08llx in ", function->object->index,
			(unsigned long long)function->address);
		text_put(session->out, function->object->path);
		fputc('\n', session->out);
	}
}

uint32_t view_pick_function(struct session *session, const char *command,
			    const struct command_argument *argument)
{
	uint32_t *items;
	size_t count = name_find(session, argument->text, &items);
	uint32_t found = TREE_NONE;

	if (count == 1) {
		found = items[0];
	} else if (count == 0) {
		session_fail(session, EXIT_TROUBLE, "%s: no function '%s' in the recorded data",
			     command, argument->text);
	} else if (argument->number >= 1 && argument->number <= count) {
		found = items[argument->number - 1];
	} else {
		put_choices(session, items, count);
		session_fail(session, EXIT_USAGE,
			     "%s: %zu functions are called '%s': add a number from 1 to %zu",
			     command, count, argument->text, count);
	}
	free(items);
	return found;
}

void view_fsingle(struct session *session, const struct command_argument *argument)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);
	const struct fold_row *rows = session_fold(session, TREE_FUNCTIONS);
	uint32_t item = view_pick_function(session, "fsingle", argument);
	struct table_row row;

	if (item == TREE_NONE)
		return;
	row = (struct table_row){.own = item == 0 ? &rows[item].total : &rows[item].own,
				 .total = &rows[item].total};
	row.name = name_function(session, tree->items[item].function);
	report_put_quality(session);
	put_summary(session, TREE_FUNCTIONS, &row, &tree->items[item], &tree->total[TREE_ROOT]);
	free(row.name);
}
