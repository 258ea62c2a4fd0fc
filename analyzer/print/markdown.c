/* markdown.c: documents as Markdown with tables, as GitHub and GitLab show it in comments: for
 * people, with the digits of text. Names stand as code, so that nothing in them is taken for a
 * sign, an element or the name of a user. Source: the specification of GitHub Flavored Markdown,
 * 0.29. */
#include "analyzer/print/print.h"

#include "experiment/base/printable.h"

#include <string.h>

/* Text between signs that are escaped. */
static void put_plain(FILE *out, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (size == 0 && *text == '\n')
			fputc(' ', out);
		else if (size == 0)
			fprintf(out, "\\\\x%02x", (unsigned char)*text);
		else if (*text == '@')
			fputs("@<!-- -->", out); /* else it names a user */
		else if (strchr("\\`*_[]<>|~&$#", *text))
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
}

/* One more than the longest row of `sign` in text. */
static size_t fence_length(const char *text, char sign)
{
	size_t longest = 0, run = 0;

	for (; *text != '\0'; text++) {
		run = *text == sign ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest + 1;
}

static void put_fence(FILE *out, char sign, size_t length)
{
	while (length-- > 0)
		fputc(sign, out);
}

/* text[len] as code in a cell, where only | is escaped. */
static void put_code(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t fence = fence_length(text, '`');

	put_fence(out, '`', fence);
	fputs(fence > 1 ? " " : "", out);
	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (*text == '|')
			fputs("\\|", out);
		else if (*text == '\\')
			fputs(text[1] == '|' ? "\\ " : "\\", out);
		else if (size == 0)
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	fputs(fence > 1 ? " " : "", out);
	put_fence(out, '`', fence);
}

/* Words of a language, such as "within noise". */
static int is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,")] == '\0';
}

static void put_word(FILE *out, const char *text)
{
	if (is_plain(text))
		fputs(text, out);
	else
		put_code(out, text, strlen(text));
}

static void put_list(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		if (len != 0)
			put_code(out, text, len);
		text += len + (text[len] == '\n');
		fputs(*text != '\0' ? "<br>" : "", out);
	}
}

static void put_cell(FILE *out, const struct print_column *column, const struct print_cell *cell)
{
	char text[PRINT_TEXT_MAX];

	if (cell->is_none)
		return;
	if (column->type == PRINT_LIST)
		put_list(out, cell->text);
	else if (cell->text)
		put_word(out, cell->text);
	else
		fputs(print_people_format(column, cell, text), out);
}

static void put_heading(FILE *out, const struct print_column *column)
{
	const char *unit = print_text_unit(column);

	put_plain(out, column->heading);
	if (unit[0] != '\0')
		fprintf(out, " (%s)", unit);
}

/* A line for each value. */
static void put_record(FILE *out, const struct print_table *table)
{
	fputs("| | |\n|---|---|\n", out);
	for (size_t i = 0; i < table->cell_count; i++) {
		fputs("| ", out);
		put_heading(out, &table->columns[i]);
		fputs(" | ", out);
		put_cell(out, &table->columns[i], &table->cells[i]);
		fputs(" |\n", out);
	}
}

/* How deep the row of a tree is, before its name. */
static void put_depth(FILE *out, const struct print_table *table, size_t cell)
{
	const size_t column = cell % table->column_count;
	uint64_t depth;

	if (column == 0 || strcmp(table->columns[column - 1].key, "depth") != 0)
		return;
	depth = table->cells[cell - 1].number;
	for (uint64_t i = 0; i < depth && i < 100; i++)
		fputs("&ensp;", out);
}

static void put_rows(FILE *out, const struct print_table *table)
{
	fputc('|', out);
	for (size_t i = 0; i < table->column_count; i++) {
		fputc(' ', out);
		put_heading(out, &table->columns[i]);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t i = 0; i < table->column_count; i++)
		fputs(print_type_is_number(table->columns[i].type) ? "--:|" : "---|", out);
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t column = i % table->column_count;

		fputs(column == 0 ? "\n| " : " ", out);
		put_depth(out, table, i);
		put_cell(out, &table->columns[column], &table->cells[i]);
		fputs(" |", out);
	}
	fputc('\n', out);
}

/* How good the data are, in a line. */
static void put_quality(FILE *out, const struct print_table *table)
{
	char text[PRINT_TEXT_MAX];

	fputs("Quality:", out);
	for (size_t i = 0; i < table->cell_count; i++) {
		const char *unit = print_text_unit(&table->columns[i]);

		fputs(i ? ", " : " ", out);
		put_plain(out, table->columns[i].heading);
		fputc(' ', out);
		put_plain(out, print_people_format(&table->columns[i], &table->cells[i], text));
		fprintf(out, "%s%s", unit[0] ? " " : "", unit);
	}
	fputs("\n\n", out);
}

static void put_table(FILE *out, const struct print_document *document,
                      const struct print_table *table)
{
	const int is_main = strcmp(table->name, document->command) == 0;

	if ((table->cell_count == 0 && !is_main) || table->column_count == 0)
		return;
	if (strcmp(table->name, PRINT_QUALITY) == 0) {
		put_quality(out, table);
		return;
	}
	if (!is_main || table->title) {
		fputs("**", out);
		put_plain(out, table->title ? table->title : table->name);
		fputs("**\n\n", out);
	}
	if (table->is_record)
		put_record(out, table);
	else
		put_rows(out, table);
	fputc('\n', out);
}

static void put_text(FILE *out, const char *text)
{
	size_t fence = fence_length(text, '`');

	fence = fence < 3 ? 3 : fence;
	put_fence(out, '`', fence);
	fprintf(out, "\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	put_fence(out, '`', fence);
	fputs("\n\n", out);
}

void print_markdown(const struct print_document *document, FILE *out)
{
	fputs("### ", out);
	put_plain(out, document->command);
	fputs("\n\n", out);
	for (size_t i = 0; i < document->table_count; i++)
		put_table(out, document, document->tables[i]);
	for (size_t i = 0; i < document->note_count; i++) {
		fputs("- ", out);
		put_plain(out, document->notes[i]);
		fputc('\n', out);
	}
	if (document->text && document->text[0] != '\0')
		put_text(out, document->text);
	for (size_t i = 0; i < document->next_count; i++) {
		fputs("- Next: ", out);
		put_code(out, document->nexts[i].command, strlen(document->nexts[i].command));
		fputs(" (", out);
		put_plain(out, document->nexts[i].why);
		fputs(")\n", out);
	}
	if (document->note_count + document->next_count > 0)
		fputc('\n', out);
}
