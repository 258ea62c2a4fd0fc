/* delimited.c: the tables of a document as columns between a separator, quoted as RFC 4180
 * says: the first line has the keys of the columns, an empty line stands between two tables. Notes
 * and hints are left out. */
#include "analyzer/print/print.h"

#include "experiment/base/printable.h"

#include <string.h>

static int needs_quotes(const char *text, char delimiter)
{
	const char special[] = {delimiter, '"', '\n', '\r', '\0'};

	/* Blanks at the ends are taken off by some readers. */
	return text[strcspn(text, special)] != '\0' || text[0] == ' ' ||
	       (text[0] != '\0' && text[strlen(text) - 1] == ' ');
}

/* The parts of a list are joined; a word with a newline in it is a word. */
static void put_text(FILE *out, const char *text, int is_list, char delimiter)
{
	const char *end = text + strlen(text);
	int quotes = needs_quotes(text, delimiter);

	if (quotes)
		fputc('"', out);
	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (*text == '\n' && is_list)
			fputs(text[1] != '\0' ? "; " : "", out);
		else if (*text == '"')
			fputs("\"\"", out);
		else if (size == 0)
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	if (quotes)
		fputc('"', out);
}

static void put_cell(FILE *out, const struct print_column *column, const struct print_cell *cell,
                     char delimiter)
{
	char text[64];

	if (cell->text)
		put_text(out, cell->text, column->type == PRINT_LIST, delimiter);
	else
		put_text(out, print_cell_format(column->type, cell, text), 0, delimiter);
}

static void put_table(FILE *out, const struct print_table *table, char delimiter)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (i != 0)
			fputc(delimiter, out);
		put_text(out, table->columns[i].key, 0, delimiter);
	}
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;

		fputc(column == 0 ? '\n' : delimiter, out);
		put_cell(out, &table->columns[column], &table->cells[i], delimiter);
	}
	fputc('\n', out);
}

static void put_lines(FILE *out, const char *text, char delimiter)
{
	char line[4096];

	fputs("text\n", out);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		size_t part = len < sizeof(line) - 1 ? len : sizeof(line) - 1;

		memcpy(line, text, part);
		line[part] = '\0';
		text += part;
		text += *text == '\n';
		if (part == 0)
			continue; /* an empty line stands between tables */
		/* A longer line goes on in the next record. */
		put_text(out, line, 0, delimiter);
		fputc('\n', out);
	}
}

/* The line about the quality of the data is a table of its own in other forms; here it would stand
 * before every table that is wanted. */
static int is_wanted(const struct print_table *table)
{
	return strcmp(table->name, PRINT_QUALITY) != 0;
}

void print_delimited(const struct print_document *document, char delimiter, FILE *out)
{
	int is_first = 1;

	for (size_t i = 0; i < document->table_count; i++) {
		if (!is_wanted(document->tables[i]))
			continue;
		if (!is_first)
			fputc('\n', out);
		put_table(out, document->tables[i], delimiter);
		is_first = 0;
	}
	if (!document->text)
		return;
	if (!is_first)
		fputc('\n', out);
	put_lines(out, document->text, delimiter);
}
