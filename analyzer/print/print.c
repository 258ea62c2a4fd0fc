/* print.c: gathers the output of a command into a document, and passes it to the form that the user
 * has chosen. */
#include "analyzer/print/print.h"
#include "analyzer/print/output.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- tables ---- */

static char *copy(const char *text)
{
	return memory_text(text, strlen(text));
}

struct print_table *print_table_begin(const char *name)
{
	struct print_table *table = memory_take(1, sizeof(*table));

	table->name = copy(name);
	return table;
}

struct print_table *print_record_begin(const char *name)
{
	struct print_table *table = print_table_begin(name);

	table->is_record = 1;
	return table;
}

void print_describe(struct print_table *table, const char *title, size_t key_count)
{
	table->title = copy(title);
	table->key_count = key_count;
}

void print_column(struct print_table *table, enum print_type type, const char *key,
                  const char *heading)
{
	table->columns = memory_grow(table->columns, table->column_count, &table->column_capacity,
	                             sizeof(*table->columns));
	table->columns[table->column_count++] = (struct print_column){
		.type = type, .key = copy(key), .heading = copy(heading)};
}

void print_column_digits(struct print_table *table, unsigned digits)
{
	table->columns[table->column_count - 1].has_digits = 1;
	table->columns[table->column_count - 1].digits = digits;
}

void print_column_short(struct print_table *table)
{
	table->columns[table->column_count - 1].is_short = 1;
}

static void add_cell(struct print_table *table, struct print_cell cell)
{
	table->cells = memory_grow(table->cells, table->cell_count, &table->cell_capacity,
	                           sizeof(*table->cells));
	table->cells[table->cell_count++] = cell;
}

void print_number(struct print_table *table, uint64_t number)
{
	add_cell(table, (struct print_cell){.number = number});
}

void print_real(struct print_table *table, double real)
{
	add_cell(table, (struct print_cell){.real = real});
}

void print_cell(struct print_table *table, const struct print_cell *cell)
{
	add_cell(table, *cell);
}

void print_none(struct print_table *table)
{
	add_cell(table, (struct print_cell){.is_none = 1});
}

void print_word(struct print_table *table, const char *text)
{
	if (!text)
		print_none(table);
	else
		add_cell(table, (struct print_cell){.text = copy(text)});
}

void print_field(struct print_table *record, enum print_type type, const char *key,
                 const char *heading, uint64_t number)
{
	print_column(record, type, key, heading);
	print_number(record, number);
}

void print_field_real(struct print_table *record, enum print_type type, const char *key,
                      const char *heading, double real)
{
	print_column(record, type, key, heading);
	print_real(record, real);
}

void print_field_word(struct print_table *record, const char *key, const char *heading,
                      const char *text)
{
	print_column(record, PRINT_WORD, key, heading);
	print_word(record, text);
}

static void destroy_table(struct print_table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		free(table->columns[i].key);
		free(table->columns[i].heading);
	}
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i].text);
	free(table->columns);
	free(table->cells);
	free(table->title);
	free(table->name);
	free(table);
}

static void cut(struct print_table *table, size_t limit)
{
	if (limit == 0 || table->cell_count / limit < table->column_count)
		return;
	while (table->cell_count > limit * table->column_count)
		free(table->cells[--table->cell_count].text);
}

static int is_usual_time(const struct print_column *column)
{
	return column->type == PRINT_NS && !column->has_digits && !column->is_short;
}

/* One unit for all times of a table; a record has one for each. */
void print_table_settle(struct print_table *table)
{
	uint64_t most = 0;

	for (size_t i = 0; i < table->cell_count; i++) {
		struct print_column *column = &table->columns[i % table->column_count];
		uint64_t ns = table->cells[i].is_none ? 0 : table->cells[i].number;

		if (!is_usual_time(column))
			continue;
		if (table->is_record)
			column->is_short = !table->cells[i].is_none && text_is_short(ns);
		most = ns > most ? ns : most;
	}
	for (size_t i = 0; !table->is_record && text_is_short(most) && i < table->column_count; i++)
		table->columns[i].is_short |= is_usual_time(&table->columns[i]);
}

void print_table_end(struct output *output, struct print_table *table, size_t limit)
{
	struct print_document *document = &output->print.document;

	cut(table, limit);
	print_table_settle(table);
	if (!print_is_data(output)) {
		print_text_table(table, terminal_columns(output->out), output->out);
		destroy_table(table);
		return;
	}
	document->tables = memory_grow(document->tables, document->table_count,
	                               &document->table_capacity, sizeof(struct print_table *));
	document->tables[document->table_count++] = table;
}

/* ---- documents ---- */

int print_is_data(const struct output *output)
{
	return output->print.sink != NULL;
}

FILE *print_sink(const struct output *output)
{
	return output->print.sink ? output->print.sink : output->out;
}

static void add_note(struct print_document *document, char *text)
{
	document->notes = memory_grow(document->notes, document->note_count,
	                              &document->note_capacity, sizeof(char *));
	document->notes[document->note_count++] = text;
}

void print_note(struct output *output, const char *format, ...)
{
	struct print_document *document = &output->print.document;
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		memory_fail();
	va_end(arguments);
	if (print_is_data(output)) {
		add_note(document, text);
		return;
	}
	fputs("# ", output->out);
	text_put(output->out, text);
	fputc('\n', output->out);
	free(text);
}

void print_next(struct output *output, const char *command, const char *reference, const char *why)
{
	struct print_document *document = &output->print.document;
	struct print_next next;

	if (!print_is_data(output))
		return;
	next.why = copy(why);
	next.command = memory_format("%s%s%s", command, reference ? " " : "",
	                             reference ? reference : "");
	document->nexts = memory_grow(document->nexts, document->next_count,
	                              &document->next_capacity, sizeof(*document->nexts));
	document->nexts[document->next_count++] = next;
}

void print_clear(struct print_document *document)
{
	for (size_t i = 0; i < document->table_count; i++)
		destroy_table(document->tables[i]);
	for (size_t i = 0; i < document->note_count; i++)
		free(document->notes[i]);
	for (size_t i = 0; i < document->next_count; i++) {
		free(document->nexts[i].command);
		free(document->nexts[i].why);
	}
	free(document->tables);
	free(document->notes);
	free(document->nexts);
	*document = (struct print_document){.command = NULL};
}

static int has_tables(const struct print_document *document)
{
	for (size_t i = 0; i < document->table_count; i++)
		if (strcmp(document->tables[i]->name, PRINT_QUALITY) != 0)
			return 1;
	return 0;
}

/* What was printed besides tables becomes notes; without tables, it is everything. */
static void take_text(struct print_document *document, char *text)
{
	if (!has_tables(document)) {
		document->text = text;
		return;
	}
	while (*text != '\0') {
		size_t skip = strspn(text, "# "), len = strcspn(text, "\n");

		if (len > skip)
			add_note(document, memory_text(text + skip, len - skip));
		text += len + (text[len] == '\n');
	}
}

static void put_document(struct print *print)
{
	const struct print_document *document = &print->document;

	if (document->table_count == 0 && document->note_count == 0 && !document->text)
		return;
	switch (print->mode) {
	case PRINT_TEXT:
		break;
	case PRINT_JSON:
		print_json(document, print->sink);
		break;
	case PRINT_DELIMITED:
		print_delimited(document, print->delimiter, print->sink);
		break;
	case PRINT_MARKDOWN:
		print_markdown(document, print->sink);
		break;
	case PRINT_HTML:
		if (!print->page_is_open)
			print_html_begin(print->sink);
		print->page_is_open = 1;
		print_html(document, print->sink);
		break;
	}
}

void print_begin(struct output *output, const char *command)
{
	struct print *print = &output->print;

	if (print->mode == PRINT_TEXT || print->sink)
		return;
	print->document.command = command;
	print->sink = output->out;
	output->out = memory_stream(&print->text, &print->text_size);
}

void print_end(struct output *output)
{
	struct print *print = &output->print;

	if (!print->sink)
		return;
	memory_stream_end(output->out, &print->text);
	if (strspn(print->text, "\n") < print->text_size)
		take_text(&print->document, print->text);
	output->out = print->sink;
	put_document(print);
	print_clear(&print->document);
	free(print->text);
	print->text = NULL;
	print->sink = NULL;
}

void print_gather_begin(struct output *output, struct print_gathering *gathering)
{
	*gathering = (struct print_gathering){.saved = output->print, .before = output->out};
	gathering->beside = memory_stream(&gathering->text, &gathering->size);
	output->print = (struct print){.mode = PRINT_JSON, .sink = print_sink(output)};
	output->out = gathering->beside;
}

static void end_gathering(struct output *output, struct print_gathering *gathering,
                          struct print_document *out)
{
	memory_stream_end(gathering->beside, &gathering->text);
	*out = output->print.document;
	output->out = gathering->before;
	output->print = gathering->saved;
}

void print_gather_end(struct output *output, struct print_gathering *gathering,
                      struct print_document *out)
{
	end_gathering(output, gathering, out);
	free(gathering->text);
}

void print_gather_all(struct output *output, struct print_gathering *gathering,
                      struct print_document *out)
{
	end_gathering(output, gathering, out);
	if (gathering->text[strspn(gathering->text, "\n")] != '\0')
		take_text(out, gathering->text);
	if (!out->text)
		free(gathering->text);
}

void print_finish(struct output *output)
{
	if (output->print.page_is_open)
		print_html_end(output->out);
	output->print.page_is_open = 0;
}

/* ---- the form ---- */

int print_set_mode(struct output *output, const char *mode)
{
	static const struct {
		const char *name;
		enum print_mode mode;
		char delimiter;
	} forms[] = {
		{"text", PRINT_TEXT, 0},         {"html", PRINT_HTML, 0},
		{"markdown", PRINT_MARKDOWN, 0}, {"json", PRINT_JSON, 0},
		{"csv", PRINT_DELIMITED, ','},   {"tsv", PRINT_DELIMITED, '\t'},
		{"\\t", PRINT_DELIMITED, '\t'},
	};
	unsigned char only = (unsigned char)mode[0];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcasecmp(mode, forms[i].name) != 0)
			continue;
		print_finish(output);
		output->print.mode = forms[i].mode;
		output->print.delimiter = forms[i].delimiter;
		return 0;
	}
	/* What quotes and ends a field cannot separate fields, and letters, digits and signs stand
	 * in them. */
	if (only == '\0' || mode[1] != '\0' || only >= 0x7f || strchr("\"\n\r.+-_", only) ||
	    (only >= '0' && only <= '9') || ((only | 0x20) >= 'a' && (only | 0x20) <= 'z') ||
	    only < '\t')
		return -EINVAL;
	print_finish(output);
	output->print.mode = PRINT_DELIMITED;
	output->print.delimiter = (char)only;
	return 0;
}
