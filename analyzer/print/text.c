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
		snprintf(text, TEXT_MAX, "%.6f", (double)cell->number / 1e9);
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

/* Of the longer line. */
static size_t heading_width(const char *heading)
{
	const char *end = strchr(heading, '\n');
	char *first = memory_text(heading, end ? (size_t)(end - heading) : strlen(heading));
	size_t width = fit_width(first), below = end ? fit_width(end + 1) : 0;

	free(first);
	return below > width ? below : width;
}

static size_t *measure(const struct print_table *table)
{
	size_t *widths = memory_take(table->column_count, sizeof(*widths));
	char text[TEXT_MAX];

	for (size_t i = 0; i < table->column_count; i++)
		widths[i] = heading_width(table->columns[i].heading);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;
		size_t width = fit_width(
			print_text_format(table->columns[column].type, &table->cells[i], text));

		if (width > widths[column])
			widths[column] = width;
	}
	return widths;
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
static void narrow(const struct print_table *table, size_t *widths, size_t columns)
{
	size_t sum = 0, widest;

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type == PRINT_WORD && widths[i] > columns)
			widths[i] = columns;
		if (table->columns[i].type != PRINT_LIST)
			sum += widths[i] + GAP;
	}
	while (sum > columns + GAP) {
		widest = table->column_count;
		for (size_t i = 0; i < table->column_count; i++)
			if (table->columns[i].type == PRINT_WORD && widths[i] > FIT_LEAST &&
			    (widest == table->column_count || widths[i] > widths[widest]))
				widest = i;
		if (widest == table->column_count)
			return;
		widths[widest]--;
		sum--;
	}
}

/* One line; the last column is filled up only to put numbers right. */
static void put_line(const struct print_table *table, const size_t *widths,
                     const char *const *texts, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		int is_right = print_type_is_number(table->columns[i].type);

		if (table->columns[i].type == PRINT_LIST)
			continue;
		put_padded(out, texts[i], widths[i], is_right, is_right || !is_last(table, i));
		fprintf(out, "%*s", is_last(table, i) ? 0 : GAP, "");
	}
	fputc('\n', out);
}

/* Where any heading has two lines, those of one stand on the second. */
static void put_headings(const struct print_table *table, const size_t *widths, FILE *out)
{
	const char **lower = memory_take(table->column_count, sizeof(*lower));
	char **upper = memory_take(table->column_count, sizeof(*upper));
	int has_two = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *heading = table->columns[i].heading, *end = strchr(heading, '\n');

		upper[i] = memory_text(heading, end ? (size_t)(end - heading) : 0);
		lower[i] = end ? end + 1 : heading;
		has_two |= end != NULL;
	}
	if (has_two)
		put_line(table, widths, (const char *const *)upper, out);
	put_line(table, widths, lower, out);
	for (size_t i = 0; i < table->column_count; i++)
		free(upper[i]);
	free(upper);
	free(lower);
}

static void put_row(const struct print_table *table, const size_t *widths, size_t row, FILE *out)
{
	const struct print_cell *cells = table->cells + row * table->column_count;
	const char **texts = memory_take(table->column_count, sizeof(*texts));
	char(*numbers)[TEXT_MAX] = memory_take(table->column_count, sizeof(*numbers));

	for (size_t i = 0; i < table->column_count; i++)
		texts[i] = print_text_format(table->columns[i].type, &cells[i], numbers[i]);
	put_line(table, widths, texts, out);
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
		const char *unit = column->type == PRINT_COUNT ? "" : print_type_unit(column->type);

		fprintf(out, "  %-*s  ", (int)width, column->heading);
		text_put(out, print_text_format(column->type, &table->cells[i], text));
		fprintf(out, "%s%s\n", unit[0] != '\0' ? " " : "", unit);
	}
}

static void put_rows(const struct print_table *table, size_t columns, FILE *out)
{
	size_t *widths = measure(table);

	if (columns != 0)
		narrow(table, widths, columns);
	put_headings(table, widths, out);
	for (size_t i = 0; i < table->cell_count / table->column_count; i++)
		put_row(table, widths, i, out);
	free(widths);
}

void print_text_table(const struct print_table *table, size_t columns, FILE *out)
{
	if (table->is_record)
		put_record(table, out);
	else if (table->column_count != 0)
		put_rows(table, columns, out);
}
