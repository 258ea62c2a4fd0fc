/* beside.c: puts the tables that a view makes for each group together into tables with
 * columns for all groups. For people a column after the first shows the difference or the ratio;
 * for programs these are columns of their own.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/report/compare/beside.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/compare/join.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables of one name, tables[column]; NULL: the group has none. */
struct joined {
	const struct dataset *dataset;
	struct output *output;
	const struct print_table *first; /* of those that there are: columns are the same in all */
	const struct print_table **tables;
	size_t columns;
	size_t limit; /* so many rows; 0: all */
};

/* A row with more values than that is shown as a record: side by side, they would be too wide. */
enum { VALUES_MAX = 4 };

/* ---- one value ---- */

/* Returns false if there is no number, or one that is a name. */
static int number_of(enum print_type type, const struct print_cell *cell, double *out)
{
	switch (type) {
	case PRINT_COUNT:
	case PRINT_BYTES:
		*out = (double)cell->number;
		return !cell->is_none;
	case PRINT_NS:
		*out = (double)cell->number / 1e9;
		return !cell->is_none;
	case PRINT_SECONDS:
	case PRINT_PERCENT:
	case PRINT_VALUE:
	case PRINT_COUNT_CHANGE:
	case PRINT_BYTES_CHANGE:
	case PRINT_RATIO:
		*out = cell->real;
		return !cell->is_none;
	case PRINT_WORD:
	case PRINT_LIST:
	case PRINT_HEX:
	case PRINT_ID:
	case PRINT_MOMENT:
	case PRINT_FIGURE:
		break;
	}
	return 0;
}

/* Rows that are matched only by their places are of different moments: their difference means
 * nothing. */
static int has_change(const struct joined *joined, enum print_type type, size_t column)
{
	const struct print_cell some = {.number = 0};
	double value;

	if (!joined->first->is_record && joined->first->key_count == 0)
		return 0;
	return column > 0 && joined->dataset->tables->compare >= TREE_COMPARE_DELTA &&
	       number_of(type, &some, &value);
}

static char *change_text(enum tree_compare compare, enum print_type type, double base, double value)
{
	if (compare == TREE_COMPARE_RATIO && base == 0)
		return memory_format("%s", value != 0 ? "new" : "-");
	if (compare == TREE_COMPARE_RATIO)
		return memory_format("x%.3f", value / base);
	if (value == base)
		return memory_format("0");
	return memory_format("%+.*f", type == PRINT_NS || type == PRINT_SECONDS ? 6 : 0,
	                     value - base);
}

/* What a cell is for people. The caller frees. */
static char *cell_text(const struct joined *joined, enum print_type type,
                       const struct print_cell *base, const struct print_cell *cell, size_t column)
{
	char text[PRINT_TEXT_MAX];
	const char *own;
	double from, to;

	if (has_change(joined, type, column) && number_of(type, base, &from) &&
	    number_of(type, cell, &to))
		return change_text(joined->dataset->tables->compare, type, from, to);
	own = print_text_format(&(struct print_column){.type = type}, cell, text);
	return memory_text(own, strlen(own));
}

/* ---- one row ---- */

static int is_measure(enum print_type type)
{
	return type == PRINT_COUNT || type == PRINT_BYTES || type == PRINT_NS;
}

/* The cell of a group. Where it has no such row, nothing was counted. */
static struct print_cell cell_of(const struct joined *joined, const struct compare_row *row,
                                 size_t column, size_t at)
{
	if (row->cells[column])
		return row->cells[column][at];
	return (struct print_cell){.is_none = !is_measure(joined->first->columns[at].type)};
}

static void copy_cell(struct print_table *out, const struct print_cell *cell)
{
	if (cell->text)
		print_word(out, cell->text);
	else
		print_cell(out, cell);
}

/* For programs: the value, and what it is to the base. */
static void add_data(struct print_table *out, const struct joined *joined,
                     const struct compare_row *row, size_t column, size_t at)
{
	enum print_type type = joined->first->columns[at].type;
	struct print_cell base = cell_of(joined, row, 0, at),
			  cell = cell_of(joined, row, column, at);
	int is_ratio = joined->dataset->tables->compare != TREE_COMPARE_DELTA;
	double from, to;

	copy_cell(out, &cell);
	if (!has_change(joined, type, column))
		return;
	if (!number_of(type, &base, &from) || !number_of(type, &cell, &to) ||
	    (is_ratio && from == 0))
		print_none(out);
	else
		print_real(out, is_ratio ? to / from : to - from);
}

static void add_text(struct print_table *out, const struct joined *joined,
                     const struct compare_row *row, size_t column, size_t at)
{
	struct print_cell base = cell_of(joined, row, 0, at),
			  cell = cell_of(joined, row, column, at);
	char *text = cell_text(joined, joined->first->columns[at].type, &base, &cell, column);

	print_word(out, text);
	free(text);
}

/* ---- columns ---- */

static void add_column(struct print_table *out, enum print_type type, char *key, char *heading)
{
	print_column(out, type, key, heading);
	free(heading);
	free(key);
}

/* What a column is called in one line, without the unit that the second line of a heading may be.
 * The caller frees. */
static char *plain_heading(const char *heading)
{
	const char *end = strchr(heading, '\n');

	if (!end)
		return memory_text(heading, strlen(heading));
	if (strcmp(end, "\nsec.") == 0)
		return memory_text(heading, (size_t)(end - heading));
	return memory_format("%.*s %s", (int)(end - heading), heading, end + 1);
}

/* The columns of a value: for people one a group, for programs also one of its change. */
static void add_columns(struct print_table *out, const struct joined *joined, size_t at)
{
	const struct print_column *column = &joined->first->columns[at];
	int is_ratio = joined->dataset->tables->compare == TREE_COMPARE_RATIO;

	for (size_t i = 0; i < joined->columns; i++) {
		char *label = compare_label(joined->dataset, i);
		char *heading = plain_heading(column->heading);

		if (!print_is_data(joined->output))
			add_column(out, column->type == PRINT_WORD ? PRINT_WORD : PRINT_FIGURE,
			           memory_format("%s", column->key),
			           memory_format("%s\n%s", label, heading));
		else
			add_column(out, column->type, memory_format("%s[%zu]", column->key, i + 1),
			           memory_format("%s, %s", heading, label));
		if (print_is_data(joined->output) && has_change(joined, column->type, i))
			add_column(out, is_ratio ? PRINT_RATIO : print_type_change(column->type),
			           memory_format("%s[%zu].%s", column->key, i + 1,
			                         is_ratio ? "ratio" : "delta"),
			           memory_format("%s, %s: %s to the first", heading, label,
			                         is_ratio ? "ratio" : "difference"));
		free(heading);
		free(label);
	}
}

static void add_values(struct print_table *out, const struct joined *joined,
                       const struct compare_row *row, size_t at)
{
	for (size_t i = 0; i < joined->columns; i++) {
		if (print_is_data(joined->output))
			add_data(out, joined, row, i, at);
		else
			add_text(out, joined, row, i, at);
	}
}

/* ---- tables ---- */

static void put_heading(const struct joined *joined, const char *text)
{
	if (!print_is_data(joined->output))
		fprintf(joined->output->out, "%s\n", text);
}

static void put_end(const struct joined *joined, struct print_table *out, size_t limit)
{
	print_table_end(joined->output, out, limit);
	if (!print_is_data(joined->output))
		fputc('\n', joined->output->out);
}

/* For people: a line a fact, a column a group; the cells from the first on. */
static void put_facts(const struct joined *joined, const struct compare_row *row, size_t first)
{
	struct print_table *out = print_table_begin(joined->first->name);

	print_column(out, PRINT_WORD, "what", "");
	for (size_t i = 0; i < joined->columns; i++)
		add_column(out, PRINT_FIGURE, memory_format("value[%zu]", i + 1),
		           compare_label(joined->dataset, i));
	for (size_t at = first; at < joined->first->column_count; at++) {
		const char *unit = print_type_unit(joined->first->columns[at].type);
		int has_unit = strcmp(unit, "s") == 0;
		char *heading = plain_heading(joined->first->columns[at].heading);
		char *what = memory_format("  %s%s%s%s", heading, has_unit ? " (" : "",
		                           has_unit ? unit : "", has_unit ? ")" : "");

		print_word(out, what);
		free(what);
		free(heading);
		add_values(out, joined, row, at);
	}
	put_end(joined, out, 0);
}

static void put_record(const struct joined *joined)
{
	struct compare_row row = {memory_take(joined->columns, sizeof(*row.cells))};
	struct print_table *out;

	for (size_t i = 0; i < joined->columns; i++)
		row.cells[i] = joined->tables[i] ? joined->tables[i]->cells : NULL;
	put_heading(joined, joined->first->title ? joined->first->title : joined->first->name);
	if (!print_is_data(joined->output)) {
		put_facts(joined, &row, 0);
	} else {
		out = print_record_begin(joined->first->name);
		for (size_t at = 0; at < joined->first->column_count; at++)
			add_columns(out, joined, at);
		for (size_t at = 0; at < joined->first->column_count; at++)
			add_values(out, joined, &row, at);
		put_end(joined, out, 0);
	}
	free(row.cells);
}

/* What distinguishes a row, as in "read". The caller frees. */
static char *row_title(const struct joined *joined, const struct compare_row *row, size_t keys)
{
	char *title = memory_format("%s", joined->first->title ? joined->first->title
	                                                       : joined->first->name);

	for (size_t at = 0; at < keys; at++)
		for (size_t i = 0; i < joined->columns; i++) {
			char text[PRINT_TEXT_MAX], *longer;

			if (!row->cells[i])
				continue;
			longer = memory_format("%s%s%s", title, at == 0 ? ": " : ", ",
			                       print_text_format(&joined->first->columns[at],
			                                         &row->cells[i][at], text));
			free(title);
			title = longer;
			break;
		}
	return title;
}

/* Rows beside each other, those of equal keys or places. */
static void put_rows(const struct joined *joined, const struct compare_row *rows, size_t count,
                     size_t keys)
{
	struct print_table *out = print_table_begin(joined->first->name);

	put_heading(joined, joined->first->title ? joined->first->title : joined->first->name);
	for (size_t at = 0; at < keys; at++)
		print_column(out, joined->first->columns[at].type, joined->first->columns[at].key,
		             joined->first->columns[at].heading);
	for (size_t at = keys; at < joined->first->column_count; at++)
		add_columns(out, joined, at);
	for (size_t i = 0; i < count; i++) {
		size_t from = 0;

		while (!rows[i].cells[from])
			from++;
		for (size_t at = 0; at < keys; at++)
			copy_cell(out, &rows[i].cells[from][at]);
		for (size_t at = keys; at < joined->first->column_count; at++)
			add_values(out, joined, &rows[i], at);
	}
	put_end(joined, out, joined->limit);
}

static void put_joined(const struct joined *joined)
{
	size_t keys = joined->first->key_count, count;
	struct compare_row *rows = compare_join(joined->tables, joined->columns, &count);

	if (count != 0 && !print_is_data(joined->output) &&
	    joined->first->column_count - keys > VALUES_MAX)
		for (size_t i = 0; i < count && (joined->limit == 0 || i < joined->limit); i++) {
			char *title = row_title(joined, &rows[i], keys);

			put_heading(joined, title);
			put_facts(joined, &rows[i], keys);
			free(title);
		}
	else if (count != 0 || print_is_data(joined->output))
		put_rows(joined, rows, count, keys);
	compare_join_free(rows, count);
}

static const struct print_table *find_table(const struct print_document *document, const char *name)
{
	for (size_t i = 0; i < document->table_count; i++)
		if (strcmp(document->tables[i]->name, name) == 0)
			return document->tables[i];
	return NULL;
}

static void put_table(const struct dataset *dataset, struct output *output,
                      const struct print_document *documents, size_t columns, const char *name,
                      size_t limit)
{
	struct joined joined = {.dataset = dataset,
	                        .output = output,
	                        .columns = columns,
	                        .limit = limit,
	                        .tables = memory_take(columns, sizeof(*joined.tables))};

	for (size_t i = 0; i < columns; i++) {
		joined.tables[i] = find_table(&documents[i], name);
		if (!joined.first)
			joined.first = joined.tables[i];
	}
	if (joined.first->is_record)
		put_record(&joined);
	else
		put_joined(&joined);
	free(joined.tables);
}

/* True if a group before this one has a table of the name too. */
static int is_seen(const struct print_document *documents, size_t column, const char *name)
{
	for (size_t i = 0; i < column; i++)
		if (find_table(&documents[i], name))
			return 1;
	return 0;
}

static void put_tables(const struct dataset *dataset, struct output *output,
                       const struct print_document *documents, size_t columns, size_t limit)
{
	for (size_t i = 0; i < columns; i++)
		for (size_t j = 0; j < documents[i].table_count; j++) {
			const char *name = documents[i].tables[j]->name;

			if (!is_seen(documents, i, name) && strcmp(name, PRINT_QUALITY) != 0)
				put_table(dataset, output, documents, columns, name, limit);
		}
}

/* What a command says beside its tables, of each group. */
static void put_notes(const struct dataset *dataset, struct output *output,
                      const struct print_document *documents, size_t columns)
{
	for (size_t i = 0; i < columns; i++) {
		char *label = compare_label(dataset, i);

		for (size_t j = 0; j < documents[i].note_count; j++)
			print_note(output, "%s: %s", label, documents[i].notes[j]);
		free(label);
	}
}

static void clear(struct print_document *documents, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		print_clear(&documents[i]);
	free(documents);
}

void compare_beside(const struct dataset *dataset, const struct choices *choices,
                    struct output *output,
                    void (*put)(const struct dataset *dataset, const struct choices *choices,
                                struct output *output))
{
	size_t columns = dataset_columns(dataset);
	struct print_document *documents = memory_take(columns, sizeof(*documents));

	for (size_t i = 0; i < columns; i++) {
		const struct dataset part = compare_part(dataset, i);
		struct print_gathering gathering;

		print_gather_begin(output, &gathering);
		put(&part, choices, output);
		print_gather_end(output, &gathering, &documents[i]);
	}
	put_tables(dataset, output, documents, columns, 0);
	clear(documents, columns);
}

void compare_beside_alone(const struct dataset *dataset, const struct choices *choices,
                          struct output *output,
                          void (*put)(const struct dataset *dataset, const struct choices *choices,
                                      struct output *output, const void *context),
                          const void *context)
{
	size_t columns = dataset_columns(dataset);
	struct print_document *documents = memory_take(columns, sizeof(*documents));
	struct choices all_rows = *choices;
	int status = output->status;

	/* The first rows of one group need not be those of another. */
	all_rows.limit = 0;
	for (size_t i = 0; i < columns && output->status == status; i++) {
		const struct dataset part = compare_part(dataset, i);
		enum tree_compare compare = compare_begin_alone(&part);
		struct print_gathering gathering;

		print_gather_begin(output, &gathering);
		put(&part, &all_rows, output, context);
		print_gather_end(output, &gathering, &documents[i]);
		compare_end_alone(&part, compare);
	}
	if (output->status == status) {
		if (find_table(&documents[0], PRINT_QUALITY))
			quality_put(dataset, output);
		put_notes(dataset, output, documents, columns);
		put_tables(dataset, output, documents, columns, choices->limit);
	}
	clear(documents, columns);
}
