/* index.c: tables of index objects and memory objects, and the commands that list and define
 * them. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/filter/ranges.h"
#include "analyzer/print/print.h"
#include "analyzer/report/compare/beside.h"
#include "analyzer/report/compare/named.h"
#include "analyzer/report/indexnames.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Each measured metric of the current ones once, exclusive: there is nothing below a thread. */
static void reduce_metrics(const struct choices *choices, struct metric_list *metrics,
                           struct metric_sort *sort)
{
	metric_list_attributed(&choices->metrics, metrics);
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].flavor == METRIC_ATTRIBUTED)
			metrics->at[i].flavor = METRIC_EXCLUSIVE;
	*sort = choices->sort;
	if (sort->metric.id < METRIC_VALUES)
		sort->metric.flavor = METRIC_EXCLUSIVE;
	else if (sort->metric.id != METRIC_NAME)
		metric_sort_adjust(metrics, sort);
}

static int by_key(const void *left, const void *right)
{
	const struct index_row *a = left, *b = right;

	if (a->is_missing != b->is_missing)
		return a->is_missing - b->is_missing;
	return (a->key > b->key) - (a->key < b->key);
}

static void add_row(struct table *table, const struct metric_view *values, char *name)
{
	table->rows = memory_grow(table->rows, table->count, &table->capacity,
	                          sizeof(*table->rows));
	table->rows[table->count++] = (struct table_row){
		.own = *values, .total = *values, .has_values = 1, .name = name};
}

static struct table make_table(const struct dataset *dataset, const struct choices *choices,
                               const struct index_type *type, const struct index_rows *rows,
                               const struct metric_list *metrics, const struct metric_sort *sort)
{
	struct table table = {.count = 0};
	struct metric_view none = {.values = NULL};

	table.sum = columns_sum(&rows->values);
	add_row(&table, &none, memory_text("<Total>", strlen("<Total>")));
	for (size_t i = 0; i < rows->count; i++) {
		struct metric_view values = columns_view(&rows->values, rows->rows[i].number);

		if (table_is_worth(&values, &values, metrics, sort))
			add_row(&table, &values,
			        index_row_name(dataset, choices, type, rows, &rows->rows[i]));
	}
	return table;
}

static void put_title(const struct dataset *dataset, struct output *output,
                      const struct index_type *type, const struct metric_sort *sort,
                      int has_overflow)
{
	char text[METRIC_ERROR_MAX];

	quality_put(dataset, output);
	if (type->is_by_key)
		fprintf(output->out, "%s in their order\n\n", type->heading);
	else
		fprintf(output->out, "%s sorted by %s: %s%s\n\n", type->heading,
		        sort->metric.id < METRIC_VALUES ? "metric" : "property",
		        metric_describe(&sort->metric, text), sort->reverse ? ", reversed" : "");
	if (has_overflow)
		print_note(output, "warning: too many rows: events of others are left out");
}

/* Where a row stands among those in order of their keys. Samples count from 1 in every experiment.
 */
static int64_t place_of(const struct index_type *type, const struct index_row *row)
{
	if (!type->is_by_key)
		return 0;
	if (row->is_missing)
		return INT64_MAX;
	return type->label == INDEX_SAMPLE ? row->key & UINT32_MAX : row->key;
}

/* The rows of the compared groups side by side. */
static void put_compared(const struct dataset *dataset, const struct choices *choices,
                         struct output *output, const struct index_type *type,
                         const struct expression *list)
{
	struct compare_form form = {.key = type->name, .is_by_place = type->is_by_key};
	struct compare_named *named = compare_named_create();
	int has_overflow = 0;

	for (size_t i = 0, columns = dataset_columns(dataset); i < columns; i++) {
		const struct dataset part = compare_part(dataset, i);
		struct index_rows rows = index_gather(&part, output, type, list);

		for (size_t j = 0; j < rows.count; j++) {
			struct metric_values values = columns_values(&rows.values,
			                                             rows.rows[j].number);

			compare_named_add(
				named, i,
				index_row_compared_name(&part, choices, type, &rows, &rows.rows[j]),
				place_of(type, &rows.rows[j]), &values);
		}
		has_overflow |= rows.has_overflow;
		index_rows_fini(&rows);
	}
	reduce_metrics(choices, &form.metrics, &form.sort);
	put_title(dataset, output, type, &form.sort, has_overflow);
	compare_named_put(dataset, choices, output, named, &form);
}

static void put_index(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct index_type *type,
                      const struct expression *list)
{
	struct index_rows rows = index_gather(dataset, output, type, list);
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;

	if (rows.count > 1)
		qsort(rows.rows, rows.count, sizeof(*rows.rows), by_key);
	reduce_metrics(choices, &metrics, &sort);
	table = make_table(dataset, choices, type, &rows, &metrics, &sort);
	/* Rows keep their place in `rows`, and their values: the total's are the table's. */
	table.rows[0].own = table.rows[0].total = metric_view_of(&table.sum);
	if (!type->is_by_key && sort.metric.id != METRIC_NAME)
		table_sort(&table, 1, &sort, &metrics);
	put_title(dataset, output, type, &sort, rows.has_overflow);
	table_put(dataset, output, &table, &metrics, choices->limit, type->name);
	fputc('\n', output->out);
	table_fini(&table);
	index_rows_fini(&rows);
}

/* A table, of the rows in `list` only if that is not NULL. */
static void view_type(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct index_type *type, const char *list)
{
	struct expression_error error = {.column = 0};
	struct expression *wanted = NULL;
	char *text = NULL;

	if (list && !type->token) {
		output_fail(output, EXIT_USAGE, "%s: its rows cannot be chosen by number",
		            type->name);
		return;
	}
	if (list && ranges_expression(list, type->token, &text, &error) != 0) {
		output_fail_at(output, type->name, error.column, error.text);
		return;
	}
	if (text)
		wanted = expression_compile(text, &error);
	free(text);
	if (dataset_columns(dataset) > 1)
		put_compared(dataset, choices, output, type, wanted);
	else
		put_index(dataset, choices, output, type, wanted);
	expression_destroy(wanted);
}

static void view_named(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, int is_memory, const char *command, const char *name)
{
	char error[200];
	const struct index_type *type = index_find(dataset->indexes, is_memory, name, error,
	                                           sizeof(error));

	if (!type)
		output_fail(output, EXIT_USAGE, "%s: %s", command, error);
	else
		view_type(dataset, choices, output, type, NULL);
}

/* Pieces of time of another length than a second. */
static void view_pieces(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct index_type *seconds,
                        const struct command_argument *argument)
{
	struct expression_error error;
	struct index_type pieces = *seconds;
	char *text;

	if (argument->second[0] == '\0') {
		output_fail(output, EXIT_USAGE, "%s: -grain needs a length of time, such as 10ms",
		            seconds->name);
		return;
	}
	if (ranges_length_ns(argument->second, &pieces.length_ns, &error) != 0) {
		output_fail(output, EXIT_USAGE, "%s: -grain %s: %s", seconds->name,
		            argument->second, error.text);
		return;
	}
	text = memory_format("TSTAMP / %lld", (long long)pieces.length_ns);
	pieces.expression = expression_compile(text, &error);
	pieces.token = text;
	pieces.label = INDEX_PIECE;
	pieces.heading = (char[]){"Pieces of time"};
	view_type(dataset, choices, output, &pieces, argument->text);
	expression_destroy(pieces.expression);
	free(text);
}

/* With the arguments of a command. */
static void view_index(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *name,
                       const struct command_argument *argument)
{
	char error[200];
	const struct index_type *type = index_find(dataset->indexes, 0, name, error, sizeof(error));

	if (argument->second)
		view_pieces(dataset, choices, output, type, argument);
	else
		view_type(dataset, choices, output, type, argument->text);
}

#define VIEW_INDEX(name) \
	void view_index_##name(const struct dataset *dataset, const struct choices *choices, \
	                       struct output *output, const struct command_argument *argument) \
	{ \
		view_index(dataset, choices, output, #name, argument); \
	}
#define VIEW_MEMORY(name)
#define INDEX(name, group, expression, label, shift, order, token, heading, meaning) \
	VIEW_##group(name)
#include "analyzer/data/indexobj.def"

void view_indxobj(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	view_named(dataset, choices, output, 0, "indxobj", argument->text);
}

void view_memobj(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	view_named(dataset, choices, output, 1, "memobj", argument->text);
}

const char *view_own_index(const struct dataset *dataset, const char *name, const char **own)
{
	const struct index_type *type;

	for (size_t i = 0; (type = index_at(dataset->indexes, i)); i++)
		if (type->is_own && strcasecmp(type->name, name) == 0) {
			*own = type->name;
			return type->is_memory ? "memobj" : "indxobj";
		}
	return NULL;
}

static void put_cpus(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	char error[200];
	struct index_rows rows = index_gather(
		dataset, output, index_find(dataset->indexes, 0, "cpus", error, sizeof(error)),
		NULL);
	struct print_table *table = print_table_begin("cpus");

	print_describe(table, "CPUs", 1);
	print_column(table, PRINT_ID, "cpu", "CPU");
	print_column(table, PRINT_NS, "time", "CPU Time");
	if (rows.count > 1)
		qsort(rows.rows, rows.count, sizeof(*rows.rows), by_key);
	for (size_t i = 0; i < rows.count; i++) {
		if (rows.rows[i].is_missing)
			print_none(table);
		else
			print_number(table, (uint64_t)rows.rows[i].key);
		if (dataset->have & EXP_DATA_PROFILE)
			print_number(table, columns_at(&rows.values, rows.rows[i].number,
			                               METRIC_TOTALCPU));
		else
			print_none(table);
	}
	print_table_end(output, table, choices->limit);
	index_rows_fini(&rows);
}

void view_cpu_list(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	const char *shown = filters_shown(dataset->filters, FILTERS_CPUS);

	(void)argument;
	print_note(output, "selected: %s", shown ? shown : "all");
	if (dataset_columns(dataset) > 1)
		compare_beside(dataset, choices, output, put_cpus);
	else
		put_cpus(dataset, choices, output);
}

/* ---- lists and definitions ---- */

static void put_types(const struct dataset *dataset, struct output *output, int is_memory,
                      const char *name)
{
	struct print_table *table = print_table_begin(name);
	const struct index_type *type;

	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_WORD, "defined", "Defined");
	print_column(table, PRINT_WORD, "expression", "Expression");
	print_column(table, PRINT_WORD, "meaning", "Meaning");
	for (size_t i = 0; (type = index_at(dataset->indexes, i)); i++) {
		if (type->is_memory != is_memory)
			continue;
		print_word(table, type->name);
		print_word(table, type->is_own ? "by you" : "always");
		print_word(table, type->expression->source);
		print_word(table, type->is_own ? "-" : type->meaning);
	}
	print_table_end(output, table, 0);
}

void view_indxobj_list(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	put_types(dataset, output, 0, "indxobj_list");
}

void view_mobj_list(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	put_types(dataset, output, 1, "mobj_list");
}

/* The expression may stand in quotes of its own. */
static char *unquote(const char *text, size_t *skipped)
{
	size_t len = strlen(text);

	*skipped = len >= 2 && (text[0] == '"' || text[0] == '\'') &&
	           strchr(text + 1, text[0]) == text + len - 1;
	return memory_text(text + *skipped, len - 2 * *skipped);
}

static void define(const struct dataset *dataset, struct output *output, int is_memory,
                   const char *command, const struct command_argument *argument)
{
	struct expression_error error;
	size_t skipped;
	char *expression;

	if (!argument->text) {
		output_fail(output, EXIT_USAGE, "%s: needs NAME EXPRESSION", command);
		return;
	}
	expression = unquote(argument->second, &skipped);
	if (index_define(dataset->indexes, is_memory, argument->text, expression, view_is_command,
	                 &error) != 0) {
		if (output->place.file && error.column != 0)
			output->place.column += (size_t)(argument->second - argument->text);
		if (error.column != 0)
			output_fail_at(output, command, error.column + skipped, error.text);
		else
			output_fail(output, EXIT_USAGE, "%s: %s", command, error.text);
	}
	free(expression);
}

void view_indxobj_define(struct analysis *analysis, const struct command_argument *argument)
{
	define(&analysis->dataset, &analysis->output, 0, "indxobj_define", argument);
}

void view_mobj_define(struct analysis *analysis, const struct command_argument *argument)
{
	define(&analysis->dataset, &analysis->output, 1, "mobj_define", argument);
}

void view_indx_metric_list(const struct dataset *dataset, const struct choices *choices,
                           struct output *output, const struct command_argument *argument)
{
	struct metric_list metrics;
	struct metric_sort sort;
	char text[METRIC_TEXT_MAX];

	(void)dataset;
	(void)argument;
	reduce_metrics(choices, &metrics, &sort);
	fputs("Current metrics of index objects: ", output->out);
	for (size_t i = 0; i < metrics.count; i++)
		fprintf(output->out, "%s%s", i ? ":" : "", metric_spell(&metrics.at[i], text));
	fprintf(output->out, "\nCurrent Sort Metric: %s\n", metric_spell(&sort.metric, text));
}
