/* html.c: documents as one self-contained page, a section each, well-formed as XML too.
 * Shares have a bar behind them. Nothing is loaded from anywhere. */
#include "analyzer/print/print.h"

#include "experiment/base/printable.h"

#include <string.h>

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	"<title>Xer</title>\n<style>\n"
	":root { color-scheme: light dark; --line: #8884; --bar: #e8590c55; --soft: #777; }\n"
	"body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 110em; }\n"
	"h2 { font-size: 1.25em; margin: 1.6em 0 .3em; }\n"
	"h3 { font-size: 1em; margin: 1.2em 0 .3em; }\n"
	".note, .next { color: var(--soft); margin: .15em 0; }\n"
	".wide { overflow-x: auto; }\n"
	"table { border-collapse: collapse; margin: .4em 0; font-variant-numeric: tabular-nums; }\n"
	"th { text-align: left; vertical-align: bottom; font-weight: 600; }\n"
	"th small { display: block; font-weight: 400; color: var(--soft); }\n"
	"th, td { padding: .2em .8em .2em 0; border-bottom: 1px solid var(--line); vertical-align: top; }\n"
	".n { text-align: right; white-space: nowrap; padding-left: .6em; }\n"
	".p { background: linear-gradient(to left, var(--bar) var(--share), transparent var(--share)); }\n"
	".w, pre, code { font-family: ui-monospace, \"DejaVu Sans Mono\", monospace; font-size: .93em; }\n"
	".w div { white-space: nowrap; }\n"
	"</style>\n</head>\n<body>\n";

void print_html_text(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (size == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe)
			size = 0; /* U+FFFE and U+FFFF are not allowed in XML */
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			if (size == 0 && *text != '\n')
				fprintf(out, "\\x%02x", (unsigned char)*text);
			else
				fwrite(text, 1, size ? size : 1, out);
		}
		text += size ? size : 1;
	}
}

static void put_text(FILE *out, const char *text)
{
	print_html_text(out, text, strlen(text));
}

void print_html_begin(FILE *out)
{
	fputs(head, out);
}

void print_html_end(FILE *out)
{
	fputs("</body>\n</html>\n", out);
}

static void put_list(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		fputs("<div>", out);
		print_html_text(out, text, len);
		fputs("</div>", out);
		text += len + (text[len] == '\n');
	}
}

static void put_cell(FILE *out, const struct print_column *column, const struct print_cell *cell,
                     uint64_t indent)
{
	const enum print_type type = column->type;
	char number[PRINT_TEXT_MAX];
	const char *text = print_people_format(column, cell, number);

	if (cell->is_none)
		fputs("<td></td>", out);
	else if (type == PRINT_PERCENT)
		fprintf(out, "<td class=\"n p\" style=\"--share: %.1f%%\">%s</td>",
		        cell->real > 100 ? 100.0 : cell->real, text);
	else if (print_type_is_number(type))
		fprintf(out, "<td class=\"n\">%s</td>", text);
	else {
		fputs("<td class=\"w\"", out);
		if (indent != 0)
			fprintf(out, " style=\"padding-left: %llu.0em\"",
			        (unsigned long long)(indent < 100 ? indent : 100));
		fputc('>', out);
		if (type == PRINT_LIST)
			put_list(out, cell->text);
		else
			put_text(out, text);
		fputs("</td>", out);
	}
}

static void put_heading(FILE *out, const struct print_column *column)
{
	fputs(print_type_is_number(column->type) ? "<th class=\"n\">" : "<th>", out);
	put_text(out, column->heading);
	if (print_text_unit(column)[0] != '\0')
		fprintf(out, "<small>%s</small>", print_text_unit(column));
	fputs("</th>", out);
}

static void put_record(FILE *out, const struct print_table *table)
{
	for (size_t i = 0; i < table->cell_count; i++) {
		fputs("<tr>", out);
		put_heading(out, &table->columns[i]);
		put_cell(out, &table->columns[i], &table->cells[i], 0);
		fputs("</tr>\n", out);
	}
}

static void put_rows(FILE *out, const struct print_table *table)
{
	uint64_t indent;

	fputs("<tr>", out);
	for (size_t i = 0; i < table->column_count; i++)
		put_heading(out, &table->columns[i]);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;

		if (column == 0)
			fputs("</tr>\n<tr>", out);
		/* The name of a row of a tree stands behind its depth. */
		if (column > 0 && strcmp(table->columns[column - 1].key, "depth") == 0)
			indent = table->cells[i - 1].number;
		else
			indent = 0;
		put_cell(out, &table->columns[column], &table->cells[i], indent);
	}
	fputs("</tr>\n", out);
}

/* How good the data are, in a line. */
static void put_quality(FILE *out, const struct print_table *table)
{
	char text[PRINT_TEXT_MAX];

	fputs("<p class=\"note\">Quality:", out);
	for (size_t i = 0; i < table->cell_count; i++) {
		const char *unit = print_text_unit(&table->columns[i]);

		fputs(i ? ", " : " ", out);
		put_text(out, table->columns[i].heading);
		fputc(' ', out);
		put_text(out, print_people_format(&table->columns[i], &table->cells[i], text));
		fprintf(out, "%s%s", unit[0] ? " " : "", unit);
	}
	fputs("</p>\n", out);
}

static void put_table(FILE *out, const struct print_document *document,
                      const struct print_table *table)
{
	if (table->cell_count == 0 && strcmp(table->name, document->command) != 0)
		return;
	if (table->column_count == 0)
		return;
	if (strcmp(table->name, PRINT_QUALITY) == 0) {
		put_quality(out, table);
		return;
	}
	if (strcmp(table->name, document->command) != 0) {
		fputs("<h3>", out);
		put_text(out, table->title ? table->title : table->name);
		fputs("</h3>\n", out);
	}
	fputs("<div class=\"wide\"><table>\n", out);
	if (table->is_record)
		put_record(out, table);
	else
		put_rows(out, table);
	fputs("</table></div>\n", out);
}

void print_html(const struct print_document *document, FILE *out)
{
	fputs("<section>\n<h2>", out);
	put_text(out, document->command);
	fputs("</h2>\n", out);
	for (size_t i = 0; i < document->note_count; i++) {
		fputs("<p class=\"note\">", out);
		put_text(out, document->notes[i]);
		fputs("</p>\n", out);
	}
	for (size_t i = 0; i < document->table_count; i++)
		put_table(out, document, document->tables[i]);
	if (document->text) {
		fputs("<pre>", out);
		put_text(out, document->text);
		fputs("</pre>\n", out);
	}
	for (size_t i = 0; i < document->next_count; i++) {
		fputs("<p class=\"next\">Next: <code>", out);
		put_text(out, document->nexts[i].command);
		fputs("</code> (", out);
		put_text(out, document->nexts[i].why);
		fputs(")</p>\n", out);
	}
	fputs("</section>\n", out);
}
