/* source.c: source files with metrics beside their lines. */
#include "analyzer/model/comment.h"
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/code/source_data.h"
#include "analyzer/code/sourcefile.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/listing.h"

#include <stdlib.h>
#include <string.h>

/* One listing in the making. */
struct source_view {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	const struct source_file *file;
	struct source_data data;
	struct table table;
};

/* ---- lines ---- */

static void add_text(struct source_view *view, const char *kind, unsigned line, char *text)
{
	listing_add(&view->table, kind, text)->line = line;
}

static int is_same_note(const struct sym_note *left, const struct sym_note *right)
{
	return left->is_inlined == right->is_inlined && strcmp(left->name, right->name) == 0 &&
	       strcmp(left->holder, right->holder) == 0;
}

static void add_note(struct source_view *view, const struct sym_note *note)
{
	if (!note->is_inlined)
		add_text(view, "function", note->line,
		         memory_format("               <Function: %s>", note->name));
	else if (view->choices->listing.source_comments & COMMENT_SET(INLINE))
		add_text(
			view, "inline", note->line,
			memory_format(
				"               Function %s inlined from %s into the code of %s for the "
				"following line",
				note->name,
				!note->from_file ? "(unknown)" : text_base(note->from_file),
				note->holder));
}

/* Of the notes of one line; a template has a function for each of its instances. */
enum { NOTES_SHOWN = 8 };

/* The notes of a line, each once; *at is the first that was not looked at. */
static void add_notes(struct source_view *view, unsigned line, size_t *at)
{
	const struct sym_note *last = NULL;
	size_t shown = 0;

	for (; *at < view->data.note_count && view->data.notes[*at]->line <= line; ++*at) {
		const struct sym_note *note = view->data.notes[*at];

		if (note->line == line && note->line != 0 && (!last || !is_same_note(last, note)) &&
		    shown++ < NOTES_SHOWN)
			add_note(view, note);
		last = note;
	}
	if (shown > NOTES_SHOWN)
		add_text(view, "more", line,
		         memory_format("               ... and %zu more", shown - NOTES_SHOWN));
}

static void add_calls(struct source_view *view, uint32_t key, size_t *at)
{
	for (; *at < view->data.call_count && view->data.calls[*at].line <= key; ++*at) {
		const struct source_call *call = &view->data.calls[*at];
		char *name = name_function(view->choices, call->callee);
		struct table_row *row = listing_add(&view->table, "call",
		                                    memory_format("               -> %s", name));

		for (size_t i = 0; i < view->data.column_count; i++)
			view->table.next[i] = (struct table_values){
				.total = metric_view_of(&call->values[i])};
		table_take_next(&view->table, row);
		row->function = call->callee;
		row->line = view->data.lines[key];
		free(name);
	}
}

/* Put the values of a row into the table's `next`. */
static void set_next(struct source_view *view, size_t key)
{
	for (size_t i = 0; i < view->data.column_count; i++)
		view->table.next[i] = (struct table_values){
			columns_view(&view->data.folds[i]->own, key),
			columns_view(&view->data.folds[i]->total, key)};
}

static void add_values(struct source_view *view, struct table_row *row, size_t key)
{
	set_next(view, key);
	table_take_next(&view->table, row);
}

static void add_line(struct source_view *view, unsigned line, uint32_t key)
{
	char *text = source_file_line(view->file, line);
	struct table_row *row;

	if (!text)
		text = memory_text("(the file has no such line)",
		                   strlen("(the file has no such line)"));
	row = listing_add(&view->table, "line",
	                  print_is_data(view->output) ? memory_text(text, strlen(text))
	                                              : memory_format("%6u. %s", line, text));
	row->line = line;
	if (key != TREE_NONE)
		add_values(view, row, key);
	free(text);
}

static void choose(char *chosen, unsigned count, unsigned line, unsigned around)
{
	unsigned from = line > around ? line - around : 1;

	for (unsigned at = from; at <= count && at <= line + around; at++)
		chosen[at] = 1;
}

/* Which lines are shown: all, or those around lines with data and the heads of their functions.
 * chosen[line]; the caller frees. */
static char *choose_lines(const struct source_view *view)
{
	unsigned count = (unsigned)view->file->count;
	const struct source_data *data = &view->data;
	int context = view->choices->listing.context;
	unsigned head = 0;
	size_t note = 0;
	char *chosen = memory_take((size_t)count + 1, 1);

	if (context == LISTING_AUTO)
		context = count <= LISTING_SHORT ? LISTING_WHOLE : LISTING_AROUND;
	if (context == LISTING_WHOLE)
		memset(chosen, 1, (size_t)count + 1);
	for (size_t i = 0; i < data->line_count && context != LISTING_WHOLE; i++) {
		for (; note < data->note_count && data->notes[note]->line <= data->lines[i]; note++)
			if (!data->notes[note]->is_inlined)
				head = data->notes[note]->line;
		choose(chosen, count, data->lines[i], (unsigned)context);
		choose(chosen, count, head, 0);
	}
	return chosen;
}

/* Lines that are not shown. One or two are shown, since the mark would not be shorter. */
static void add_gap(struct source_view *view, unsigned from, unsigned to)
{
	if (from + 2 <= to)
		add_text(view, "gap", from,
		         memory_format("        ... lines %u to %u: no data", from, to));
	else
		for (unsigned line = from; line <= to; line++)
			add_line(view, line, TREE_NONE);
}

static void add_lines(struct source_view *view)
{
	unsigned count = (unsigned)view->file->count, shown = 0;
	char *chosen = choose_lines(view);
	size_t note = 0, call = 0;

	for (unsigned line = 1; line <= count; line++) {
		uint32_t key = source_data_find(&view->data, line);

		if (!chosen[line])
			continue;
		add_gap(view, shown + 1, line - 1);
		while (note < view->data.note_count && view->data.notes[note]->line < line)
			note++;
		add_notes(view, line, &note);
		add_line(view, line, key);
		if (key != TREE_NONE)
			add_calls(view, key, &call);
		shown = line;
	}
	add_gap(view, shown + 1, count);
	free(chosen);
	/* A file that was changed may have become shorter. */
	for (size_t i = 0; i < view->data.line_count; i++)
		if (view->data.lines[i] > count)
			add_line(view, view->data.lines[i], (uint32_t)i);
}

/* What belongs to functions of this file but to no line of it. */
static void add_others(struct source_view *view)
{
	for (size_t i = 0; i < view->data.other_count; i++) {
		const struct sym_frame *item = view->data.others[i];
		struct table_row *row;
		char *name;

		set_next(view, view->data.line_count + i);
		if (!table_next_is_worth(&view->table, &view->choices->metrics,
		                         &view->choices->sort))
			continue;
		name = name_function(view->choices, item->function);
		row = listing_add(
			&view->table, "function",
			!item->file
				? memory_format("<Function: %s, instructions without line numbers>",
		                                name)
				: memory_format("<Function: %s, instructions from source file %s>",
		                                name, item->file));
		add_values(view, row, view->data.line_count + i);
		row->function = item->function;
		free(name);
	}
}

/* ---- around the lines ---- */

static void put_units(struct source_view *view)
{
	unsigned set = view->choices->listing.source_comments;

	for (size_t i = 0; i < view->data.unit_count; i++) {
		const struct sym_compilation *unit = view->data.units[i];
		const char *producer = unit->producer;
		/* gcc's options stand behind its version, from the first blank and dash on. */
		const char *flags = !producer ? NULL : strstr(producer, " -");
		char *version = !flags ? NULL : memory_text(producer, (size_t)(flags - producer));

		if (set & COMMENT_SET(VERSION))
			listing_fact(view->output, "Compiler", version ? version : producer);
		if (set & COMMENT_SET(FLAGS))
			listing_fact(view->output, "Compiler flags",
			             flags ? flags + 1 : "(not in the debug information)");
		if (unit->missing)
			print_note(
				view->output,
				"split debug information %s is missing: functions and inlined calls of %s are not known",
				unit->missing, !unit->name ? "this file" : unit->name);
		if (unit->missing_shared)
			print_note(
				view->output,
				"shared debug information %s is missing: names and inlined calls of %s are not all known",
				unit->missing_shared, !unit->name ? "this file" : unit->name);
		free(version);
	}
}

/* A file of the same name that was found elsewhere may be another one. */
static void check_length(const struct source_view *view)
{
	unsigned last = 0;

	for (size_t i = 0; i < view->data.line_count; i++)
		if (view->data.lines[i] > last)
			last = view->data.lines[i];
	if (last > view->file->count)
		print_note(
			view->output,
			"warning: %s is not what was compiled: it ends with line %zu, and there is code of line %u",
			view->file->source.path, (size_t)view->file->count, last);
}

static void put_head(struct source_view *view)
{
	const struct source_file *file = view->file;
	const struct dataset *dataset = view->dataset;
	struct output *output = view->output;

	quality_put(dataset, output);
	listing_fact(output, "Source File", view->data.place.file);
	if (strcmp(file->source.path, view->data.place.file) != 0) {
		char *found = memory_format("%s (%s)", file->source.path, source_file_origin(file));

		listing_fact(output, "Found", found);
		free(found);
	}
	listing_fact(output, "Load Object", view->data.place.object->path);
	if (file->source.origin != EXP_SOURCE_ARCHIVED)
		print_note(
			output,
			"the source is not archived: xer_archive -a src copies it into the experiment");
	put_units(view);
	if (view->data.has_more_units)
		print_note(
			output,
			"functions and inlined calls are those of %zu compilations; there are more",
			view->data.unit_count);
	source_file_check(dataset, output, file, view->data.sum);
	check_length(view);
	if (!print_is_data(output))
		fputc('\n', output->out);
}

static void put_view(struct source_view *view)
{
	const struct dataset *dataset = view->dataset;
	const struct choices *choices = view->choices;
	struct output *output = view->output;

	view->table.is_listing = 1;
	compare_table(dataset, &view->table, TREE_LINES);
	add_lines(view);
	add_others(view);
	listing_mark_hot(&view->table, &choices->metrics, choices->listing.source_threshold);
	put_head(view);
	table_put(dataset, output, &view->table, &choices->metrics, 0, "source");
	if (view->data.place.function)
		report_put_next(dataset, choices, output, "disasm", view->data.place.function,
		                "its instructions");
	fputc('\n', output->out);
}

static void show(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const char *command,
                 const struct command_argument *argument, int with_calls)
{
	struct source_view view = {.dataset = dataset, .choices = choices, .output = output};
	struct source_files files = {.dataset = dataset};
	struct place place;

	if (place_find(dataset, choices, output, command, argument->text, argument->number,
	               &place) != 0)
		return;
	if (!place.file) {
		output_fail(
			output, EXIT_TROUBLE,
			"%s: no line numbers of %s: %s has no debug information (disasm shows its instructions)",
			command, place.function->name, place.object->path);
		return;
	}
	view.file = source_files_get(&files, place.file, place.object->build_id);
	if (view.file->status == 0) {
		source_data_init(&view.data, dataset, choices, &place, with_calls);
		put_view(&view);
		source_data_fini(&view.data);
		table_fini(&view.table);
	} else {
		source_file_explain(dataset, output, command, view.file);
	}
	source_files_fini(&files);
}

void view_source(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	show(dataset, choices, output, "source", argument, 0);
}

void view_csource(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	show(dataset, choices, output, "csource", argument, 1);
}
