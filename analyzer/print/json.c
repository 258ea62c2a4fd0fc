/* json.c: a document as one JSON object: the command, notes, hints, and tables of columns
 * (key, heading, kind, unit) and rows, an array each. A value that is not known is null. */
#include "analyzer/print/print.h"

#include "analyzer/base/text.h"

#include "experiment/base/printable.h"

#include <string.h>

void print_json_string(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;

	fputc('"', out);
	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (size == 0)
			fprintf(out, "\\\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	fputc('"', out);
}

static void put_string(FILE *out, const char *text)
{
	print_json_string(out, text, strlen(text));
}

/* The lines of a text, an array of strings. */
static void put_lines(FILE *out, const char *text)
{
	const char *separator = "";

	fputc('[', out);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		fputs(separator, out);
		print_json_string(out, text, len);
		separator = ", ";
		text += len + (text[len] == '\n');
	}
	fputc(']', out);
}

static void put_cell(FILE *out, enum print_type type, const struct print_cell *cell)
{
	char text[64];

	if (cell->is_none)
		fputs("null", out);
	else if (type == PRINT_LIST)
		put_lines(out, cell->text);
	else if (type == PRINT_WORD)
		put_string(out, cell->text);
	else if (type == PRINT_HEX)
		fprintf(out, "\"%s\"", print_cell_format(type, cell, text));
	else
		fputs(print_cell_format(type, cell, text), out);
}

static void put_columns(FILE *out, const struct print_table *table)
{
	fputs("   \"columns\": [", out);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct print_column *column = &table->columns[i];

		fprintf(out, "%s\n    {\"key\": ", i ? "," : "");
		put_string(out, column->key);
		fputs(", \"heading\": ", out);
		put_string(out, column->heading);
		fprintf(out, ", \"kind\": \"%s\", \"unit\": \"%s\"", print_type_kind(column->type),
		        print_type_unit(column->type));
		if (column->has_digits)
			fprintf(out, ", \"digits\": %u",
			        column->digits + (column->is_short ? 6 : 0));
		fputc('}', out);
	}
	fputs("],\n", out);
}

static void put_table(FILE *out, const struct print_table *table)
{
	fputs("  {\"name\": ", out);
	put_string(out, table->name);
	fputs(",\n", out);
	put_columns(out, table);
	fputs("   \"rows\": [", out);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;

		if (column == 0)
			fprintf(out, "%s\n    [", i ? "]," : "");
		else
			fputs(", ", out);
		put_cell(out, table->columns[column].type, &table->cells[i]);
	}
	fputs(table->cell_count ? "]]}" : "]}", out);
}

void print_json(const struct print_document *document, FILE *out)
{
	fputs("{\"command\": ", out);
	put_string(out, document->command);
	fputs(",\n \"notes\": [", out);
	for (size_t i = 0; i < document->note_count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		put_string(out, document->notes[i]);
	}
	fputs("],\n \"tables\": [", out);
	for (size_t i = 0; i < document->table_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_table(out, document->tables[i]);
	}
	fputs("],\n \"next\": [", out);
	for (size_t i = 0; i < document->next_count; i++) {
		fputs(i ? ",\n  {\"command\": " : "\n  {\"command\": ", out);
		put_string(out, document->nexts[i].command);
		fputs(", \"why\": ", out);
		put_string(out, document->nexts[i].why);
		fputc('}', out);
	}
	fputs("],\n \"text\": ", out);
	put_lines(out, document->text ? document->text : "");
	fputs("}\n", out);
}
