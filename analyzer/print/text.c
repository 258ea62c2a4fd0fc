/* text.c: a table with aligned columns for people: numbers right, words left, the last column
 * as long as it likes; the parts of a list below their row. On a terminal long words are cut. */
#include "analyzer/print/print.h"

#include "analyzer/base/fit.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, TEXT_MAX = 64 };

/* Four digits tell enough of what was measured; whole numbers, which may be exact, have all. */
static void put_value(double value, char *text)
{
	snprintf(text, TEXT_MAX, fabs(value) >= 1000 || value == rint(value) ? "%.0f" : "%.4g",
	         value);
}

const char *print_text_format(enum print_type type, const struct print_cell *cell, char *text)
{
	if (cell->is_none)
		return "-";
	if (type == PRINT_LIST)
		return "";
	if (type == PRINT_WORD || type == PRINT_FIGURE)
		return cell->text;
	if (type == PRINT_NS)
		text_time(cell->number, 0, text);
	else if (type == PRINT_SECONDS || type == PRINT_MOMENT)
		snprintf(text, TEXT_MAX, "%.6f", cell->real);
	else if (type == PRINT_VALUE)
		put_value(cell->real, text);
	else
		print_cell_format(type, cell, text);
	return text;
}

static void put_padded(FILE *out, const char *text, size_t width, int is_right, int is_filled)
{
	char *cut = fit_cut(text, width);
	size_t used = fit_width(cut), gap = is_filled && used < width ? width - used : 0;

	fprintf(out, "%*s%s%*s", is_right ? (int)gap : 0, "", cut, is_right ? 0 : (int)gap, "");
	free(cut);
}

/* The columns of a table as text has them: times that are all short are in microseconds. */
struct text_column {
	int is_short;
	char *heading; /* freed by free_columns */
	size_t width;
};

/* The heading of a column of short times: the unit is another, or is told. */
static char *short_heading(const char *heading)
{
	const char *unit = strstr(heading, "sec.");

	if (unit)
		return memory_format("%.*su%s", (int)(unit - heading), heading, unit);
	return memory_format("%s%s", heading, strchr(heading, '\n') ? " (usec.)" : "\nusec.");
}

static const char *format(const struct text_column *column, enum print_type type,
                          const struct print_cell *cell, char *text)
{
	if (column->is_short && !cell->is_none)
		return text_time(cell->number, 1, text);
	return print_text_format(type, cell, text);
}

/* Of the longer line. */
static size_t heading_width(const char *heading)
{
	const char *end = strchr(heading, '\n');
	char *first = memory_text(heading, end ? (size_t)(end - heading) : strlen(heading));
	size_t width = fit_width(first), below = end ? fit_width(end + 1) : 0;

	free(first);
	return below > width ? below : width;
}

/* One unit for all times of a table. */
static int is_short(const struct print_table *table)
{
	uint64_t most = 0;

	for (size_t i = 0; i < table->cell_count; i++)
		if (table->columns[i % table->column_count].type == PRINT_NS &&
		    !table->cells[i].is_none && table->cells[i].number > most)
			most = table->cells[i].number;
	return text_is_short(most);
}

static struct text_column *measure(const struct print_table *table)
{
	struct text_column *columns = memory_take(table->column_count, sizeof(*columns));
	int short_times = is_short(table);
	char text[TEXT_MAX];

	for (size_t i = 0; i < table->column_count; i++) {
		const char *heading = table->columns[i].heading;

		columns[i].is_short = short_times && table->columns[i].type == PRINT_NS;
		columns[i].heading = columns[i].is_short ? short_heading(heading)
		                                         : memory_text(heading, strlen(heading));
		columns[i].width = heading_width(columns[i].heading);
	}
	for (size_t i = 0; i < table->cell_count; i++) {
		struct text_column *column = &columns[i % table->column_count];
		size_t width = fit_width(format(column,
		                                table->columns[i % table->column_count].type,
		                                &table->cells[i], text));

		if (width > column->width)
			column->width = width;
	}
	return columns;
}

static void free_columns(const struct print_table *table, struct text_column *columns)
{
	for (size_t i = 0; i < table->column_count; i++)
		free(columns[i].heading);
	free(columns);
}

/* The last column on the line: lists stand below it. */
static int is_last(const struct print_table *table, size_t column)
{
	do
		column++;
	while (column < table->column_count && table->columns[column].type == PRINT_LIST);
	return column == table->column_count;
}

/* Make the table fit on a terminal: the widest columns of words become narrower, and their words
 * lose their middle. */
static void narrow(const struct print_table *table, struct text_column *columns, size_t width)
{
	size_t sum = 0, widest;

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type == PRINT_WORD && columns[i].width > width)
			columns[i].width = width;
		if (table->columns[i].type != PRINT_LIST)
			sum += columns[i].width + GAP;
	}
	while (sum > width + GAP) {
		widest = table->column_count;
		for (size_t i = 0; i < table->column_count; i++)
			if (table->columns[i].type == PRINT_WORD && columns[i].width > FIT_LEAST &&
			    (widest == table->column_count ||
			     columns[i].width > columns[widest].width))
				widest = i;
		if (widest == table->column_count)
			return;
		columns[widest].width--;
		sum--;
	}
}

/* One line; the last column is filled up only to put numbers right. */
static void put_line(const struct print_table *table, const struct text_column *columns,
                     const char *const *texts, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		int is_right = print_type_is_number(table->columns[i].type);

		if (table->columns[i].type == PRINT_LIST)
			continue;
		put_padded(out, texts[i], columns[i].width, is_right,
		           is_right || !is_last(table, i));
		fprintf(out, "%*s", is_last(table, i) ? 0 : GAP, "");
	}
	fputc('\n', out);
}

/* Where any heading has two lines, those of one stand on the second. */
static void put_headings(const struct print_table *table, const struct text_column *columns,
                         FILE *out)
{
	const char **lower = memory_take(table->column_count, sizeof(*lower));
	char **upper = memory_take(table->column_count, sizeof(*upper));
	int has_two = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *heading = columns[i].heading, *end = strchr(heading, '\n');

		upper[i] = memory_text(heading, end ? (size_t)(end - heading) : 0);
		lower[i] = end ? end + 1 : heading;
		has_two |= end != NULL;
	}
	if (has_two)
		put_line(table, columns, (const char *const *)upper, out);
	put_line(table, columns, lower, out);
	for (size_t i = 0; i < table->column_count; i++)
		free(upper[i]);
	free(upper);
	free(lower);
}

static void put_row(const struct print_table *table, const struct text_column *columns, size_t row,
                    FILE *out)
{
	const struct print_cell *cells = table->cells + row * table->column_count;
	const char **texts = memory_take(table->column_count, sizeof(*texts));
	char(*numbers)[TEXT_MAX] = memory_take(table->column_count, sizeof(*numbers));

	for (size_t i = 0; i < table->column_count; i++)
		texts[i] = format(&columns[i], table->columns[i].type, &cells[i], numbers[i]);
	put_line(table, columns, texts, out);
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].type == PRINT_LIST && cells[i].text)
			text_put_lines(out, cells[i].text, "    ");
	free(numbers);
	free(texts);
}

static void put_record(const struct print_table *table, FILE *out)
{
	char text[TEXT_MAX];
	size_t width = 23;

	for (size_t i = 0; i < table->column_count; i++)
		if (fit_width(table->columns[i].heading) > width)
			width = fit_width(table->columns[i].heading);
	for (size_t i = 0; i < table->cell_count; i++) {
		const struct print_column *column = &table->columns[i];
		const struct text_column shown = {
			.is_short = column->type == PRINT_NS && !table->cells[i].is_none &&
		                    text_is_short(table->cells[i].number)};
		const char *unit = shown.is_short                ? "us"
		                   : column->type == PRINT_COUNT ? ""
		                                                 : print_type_unit(column->type);

		fprintf(out, "  %-*s  ", (int)width, column->heading);
		text_put(out, format(&shown, column->type, &table->cells[i], text));
		fprintf(out, "%s%s\n", unit[0] != '\0' ? " " : "", unit);
	}
}

static void put_rows(const struct print_table *table, size_t width, FILE *out)
{
	struct text_column *columns = measure(table);

	if (width != 0)
		narrow(table, columns, width);
	put_headings(table, columns, out);
	for (size_t i = 0; i < table->cell_count / table->column_count; i++)
		put_row(table, columns, i, out);
	free_columns(table, columns);
}

void print_text_table(const struct print_table *table, size_t columns, FILE *out)
{
	if (table->is_record)
		put_record(table, out);
	else if (table->column_count != 0)
		put_rows(table, columns, out);
}
