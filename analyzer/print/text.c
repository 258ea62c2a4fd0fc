/* text.c: a table with aligned columns for people: numbers right, words left, the last column
 * as long as it likes; the parts of a list below their row. On a terminal long words are cut. */
#include "analyzer/print/print.h"

#include "analyzer/base/fit.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

/* Four digits tell enough of what was measured; whole numbers, which may be exact, have all. */
static void put_value(double value, char *text)
{
	snprintf(text, PRINT_TEXT_MAX,
	         fabs(value) >= 1000 || value == rint(value) ? "%.0f" : "%.4g", value);
}

static const char *format_digits(const struct print_column *column, const struct print_cell *cell,
                                 char *text)
{
	if (column->type == PRINT_NS)
		text_time_digits(cell->number, column->is_short ? 1000 : 1000000000, column->digits,
		                 text);
	else
		snprintf(text, PRINT_TEXT_MAX, "%.*f", (int)column->digits,
		         column->is_short ? cell->real * 1e6 : cell->real);
	return text;
}

const char *print_text_format(const struct print_column *column, const struct print_cell *cell,
                              char *text)
{
	enum print_type type = column->type;

	if (cell->is_none)
		return "-";
	if (type == PRINT_LIST)
		return "";
	if (type == PRINT_WORD || type == PRINT_FIGURE)
		return cell->text;
	if (column->has_digits)
		return format_digits(column, cell, text);
	if (type == PRINT_NS)
		text_time(cell->number, column->is_short, text);
	else if (type == PRINT_SECONDS || type == PRINT_MOMENT)
		snprintf(text, PRINT_TEXT_MAX, "%.6f", cell->real);
	else if (type == PRINT_VALUE)
		put_value(cell->real, text);
	else
		print_cell_format(type, cell, text);
	return text;
}

const char *print_people_format(const struct print_column *column, const struct print_cell *cell,
                                char *text)
{
	const char *plain = print_text_format(column, cell, text);

	switch (column->type) {
	case PRINT_COUNT:
	case PRINT_BYTES:
	case PRINT_COUNT_CHANGE:
	case PRINT_BYTES_CHANGE:
		return plain == text ? text_group(text) : plain;
	default:
		return plain;
	}
}

const char *print_text_unit(const struct print_column *column)
{
	if (column->is_short)
		return "us";
	return column->type == PRINT_COUNT ? "" : print_type_unit(column->type);
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
	char *heading; /* freed by free_columns, as alike */
	size_t width;
	unsigned char *alike; /* by row: 1, the word would look like another one if it were cut;
	                         NULL: none */
};

/* The heading of a column of short times: the unit is another, or is told. */
static char *short_heading(const char *heading)
{
	const char *unit = strstr(heading, "sec.");

	if (unit)
		return memory_format("%.*su%s", (int)(unit - heading), heading, unit);
	return memory_format("%s%s", heading, strchr(heading, '\n') ? " (usec.)" : "\nusec.");
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

/* On a terminal thousands are apart; elsewhere programs may read them. */
static const char *format(const struct print_column *column, const struct print_cell *cell,
                          int is_terminal, char *text)
{
	return is_terminal ? print_people_format(column, cell, text)
	                   : print_text_format(column, cell, text);
}

static struct text_column *measure(const struct print_table *table, int is_terminal)
{
	struct text_column *columns = memory_take(table->column_count, sizeof(*columns));
	char text[PRINT_TEXT_MAX];

	for (size_t i = 0; i < table->column_count; i++) {
		const char *heading = table->columns[i].heading;

		columns[i].heading = table->columns[i].is_short
		                             ? short_heading(heading)
		                             : memory_text(heading, strlen(heading));
		columns[i].width = heading_width(columns[i].heading);
	}
	for (size_t i = 0; i < table->cell_count; i++) {
		struct text_column *column = &columns[i % table->column_count];
		size_t width = fit_width(format(&table->columns[i % table->column_count],
		                                &table->cells[i], is_terminal, text));

		if (width > column->width)
			column->width = width;
	}
	return columns;
}

static void free_columns(const struct print_table *table, struct text_column *columns)
{
	for (size_t i = 0; i < table->column_count; i++) {
		free(columns[i].heading);
		free(columns[i].alike);
	}
	free(columns);
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

/* Two different words must not look the same: they are printed whole, even if a line is broken. */
static void find_alike(const struct print_table *table, struct text_column *columns)
{
	size_t rows = table->cell_count / table->column_count;
	const char **words = memory_take(rows, sizeof(*words));

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type != PRINT_WORD)
			continue;
		for (size_t row = 0; row < rows; row++) {
			const char *text = table->cells[row * table->column_count + i].text;

			words[row] = text ? text : "";
		}
		columns[i].alike = fit_find_alike(words, rows, columns[i].width);
	}
	free(words);
}

/* A row, or a line of headings, which is no row. */
#define NO_ROW ((size_t)-1)

static int is_whole(const struct text_column *column, size_t row)
{
	return row != NO_ROW && column->alike && column->alike[row];
}

/* How many columns of a line have a text, or stand before one that has. */
static size_t filled(const struct print_table *table, const char *const *texts)
{
	size_t count = table->column_count;

	while (count > 0 &&
	       (table->columns[count - 1].type == PRINT_LIST || texts[count - 1][0] == '\0'))
		count--;
	return count;
}

/* One line, which ends with its last text. */
static void put_line(const struct print_table *table, const struct text_column *columns, size_t row,
                     const char *const *texts, FILE *out)
{
	size_t count = filled(table, texts);

	for (size_t i = 0; i < count; i++) {
		int is_right = print_type_is_number(table->columns[i].type);

		if (table->columns[i].type == PRINT_LIST)
			continue;
		if (is_whole(&columns[i], row))
			text_put(out, texts[i]);
		else
			put_padded(out, texts[i], columns[i].width, is_right,
			           is_right || i + 1 < count);
		fprintf(out, "%*s", i + 1 < count ? GAP : 0, "");
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
		put_line(table, columns, NO_ROW, (const char *const *)upper, out);
	put_line(table, columns, NO_ROW, lower, out);
	for (size_t i = 0; i < table->column_count; i++)
		free(upper[i]);
	free(upper);
	free(lower);
}

static void put_row(const struct print_table *table, const struct text_column *columns, size_t row,
                    int is_terminal, FILE *out)
{
	const struct print_cell *cells = table->cells + row * table->column_count;
	const char **texts = memory_take(table->column_count, sizeof(*texts));
	char(*numbers)[PRINT_TEXT_MAX] = memory_take(table->column_count, sizeof(*numbers));

	for (size_t i = 0; i < table->column_count; i++)
		texts[i] = format(&table->columns[i], &cells[i], is_terminal, numbers[i]);
	put_line(table, columns, row, texts, out);
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].type == PRINT_LIST && cells[i].text)
			text_put_lines(out, cells[i].text, "    ");
	free(numbers);
	free(texts);
}

static void put_record(const struct print_table *table, int is_terminal, FILE *out)
{
	char text[PRINT_TEXT_MAX];
	size_t width = 23;

	for (size_t i = 0; i < table->column_count; i++)
		if (fit_width(table->columns[i].heading) > width)
			width = fit_width(table->columns[i].heading);
	for (size_t i = 0; i < table->cell_count; i++) {
		const struct print_column *column = &table->columns[i];
		const char *unit = print_text_unit(column);

		fprintf(out, "  %-*s  ", (int)width, column->heading);
		text_put(out, format(column, &table->cells[i], is_terminal, text));
		fprintf(out, "%s%s\n", unit[0] != '\0' ? " " : "", unit);
	}
}

static void put_rows(const struct print_table *table, size_t width, FILE *out)
{
	struct text_column *columns = measure(table, width != 0);

	if (width != 0) {
		narrow(table, columns, width);
		find_alike(table, columns);
	}
	put_headings(table, columns, out);
	for (size_t i = 0; i < table->cell_count / table->column_count; i++)
		put_row(table, columns, i, width != 0, out);
	free_columns(table, columns);
}

void print_text_table(const struct print_table *table, size_t columns, FILE *out)
{
	if (table->is_record)
		put_record(table, columns != 0, out);
	else if (table->column_count != 0)
		put_rows(table, columns, out);
}
