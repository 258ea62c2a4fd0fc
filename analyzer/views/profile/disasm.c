/* disasm.c: instructions with metrics beside them, their source lines between. */
#include "analyzer/model/comment.h"
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/code/code_align.h"
#include "analyzer/code/codes.h"
#include "analyzer/code/sourcefile.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/listing.h"
#include "experiment/symbols/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_SHOWN = 10 };

/* One listing in the making. */
struct disasm_view {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	struct source_files files;
	struct codes codes;
	struct table table;
};

static void add_text(struct disasm_view *view, const char *kind, char *text)
{
	listing_add(&view->table, kind, text);
}

static int is_same_text(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

/* In a comparison the same function may be that of another build. */
static int is_same_function(const struct sym_function *left, const struct sym_function *right)
{
	return left == right || strcmp(left->mangled, right->mangled) == 0;
}

static int is_same_place(const struct sym_frame *left, const struct sym_frame *right)
{
	return left->line == right->line && is_same_function(left->function, right->function) &&
	       is_same_text(left->file, right->file);
}

/* Do two instructions have the same inlined calls around them, called at the same places? */
static int is_same_call(const struct code_instruction *left, const struct code_instruction *right)
{
	if (left->frame_count != right->frame_count ||
	    !is_same_function(left->frames[0].function, right->frames[0].function))
		return 0;
	for (int i = 1; i < left->frame_count; i++)
		if (!is_same_place(&left->frames[i], &right->frames[i]))
			return 0;
	return 1;
}

/* Which inlined call the following instructions belong to. */
static void add_inline(struct disasm_view *view, const struct code_instruction *at)
{
	char *text = memory_text("", 0);

	for (int i = 0; i + 1 < at->frame_count; i++) {
		const struct sym_frame *caller = &at->frames[i + 1];
		char *name = name_function(view->choices, at->frames[i].function);
		char *longer = !caller->file
		                       ? memory_format("%s%s%s", text, i == 0 ? "" : ", in ", name)
		                       : memory_format("%s%s%s, called at %s:%u", text,
		                                       i == 0 ? "" : ", in ", name,
		                                       text_base(caller->file), caller->line);

		free(name);
		free(text);
		text = longer;
	}
	add_text(view, "inline",
	         at->frame_count > 1 ? memory_format("               (inlined: %s)", text)
	                             : memory_format("               (%s itself)",
	                                             at->frames[0].function->name));
	free(text);
}

static void add_source_line(struct disasm_view *view, const struct code_instruction *at)
{
	const struct sym_frame *frame = &at->frames[0];
	const struct source_file *file;
	char *text, *whole;

	if (!frame->file || frame->line == 0)
		return;
	file = source_files_get(&view->files, frame->file, frame->function->object->build_id);
	text = source_file_line(file, frame->line);
	if (print_is_data(view->output))
		whole = memory_format("%s", !text ? "" : text);
	else if (text && is_same_text(frame->file, view->codes.functions[0]->file))
		whole = memory_format("%6u. %s", frame->line, text);
	else if (text)
		whole = memory_format("%6u. %s  (%s)", frame->line, text, text_base(frame->file));
	else
		whole = memory_format("%6u. (%s)", frame->line, text_base(frame->file));
	listing_add(&view->table, "line", whole)->line = frame->line;
	free(text);
}

static void add_headers(struct disasm_view *view, const struct code_instruction *at,
                        const struct code_instruction *before)
{
	unsigned set = view->choices->listing.disasm_comments;
	int is_new_call = !before ? at->frame_count > 1 : !is_same_call(before, at);

	if (is_new_call && set & COMMENT_SET(INLINE))
		add_inline(view, at);
	if (set & COMMENT_SOURCE &&
	    (!before || is_new_call || !is_same_place(&before->frames[0], &at->frames[0])))
		add_source_line(view, at);
}

/* "55 48 89 e5" */
static char *hex_text(const struct code_instruction *at)
{
	char *text = memory_take(3 * BYTES_SHOWN + 2, 1);
	size_t len = 0;

	for (size_t i = 0; i < at->decoded.size && i < BYTES_SHOWN; i++)
		len += (size_t)sprintf(text + len, "%02x ", at->bytes[i]);
	if (at->decoded.size > BYTES_SHOWN)
		sprintf(text + len - 1, "+");
	return text;
}

/* What the addresses of an instruction are called, "" if it has none; the caller frees. */
static char *note_of(struct disasm_view *view, const struct code *code,
                     const struct code_instruction *at)
{
	const struct instruction *decoded = &at->decoded;
	char *name = NULL, *text;

	if (decoded->has_target)
		name = code_name(view->dataset, view->choices, code->function, decoded->target);
	else if (decoded->has_data)
		name = code_name(view->dataset, view->choices, code->function, decoded->data);
	if (decoded->has_target && name)
		text = memory_format("0x%llx <%s>", (unsigned long long)decoded->target, name);
	else if (decoded->has_target)
		text = memory_format("0x%llx", (unsigned long long)decoded->target);
	else if (name)
		text = memory_format(" <%s>", name);
	else
		text = memory_text("", 0);
	free(name);
	return text;
}

/* change: '+' or '-' if not all builds have it, else a blank. */
static char *instruction_text(struct disasm_view *view, const struct code *code,
                              const struct code_instruction *at, char change)
{
	char *note = note_of(view, code, at), *hex, *text, line[16] = "   ?";

	if (print_is_data(view->output)) {
		text = memory_format("%s%s", at->decoded.text, note);
		free(note);
		return text;
	}
	hex = view->choices->listing.disasm_comments & COMMENT_HEX ? hex_text(at)
	                                                           : memory_text("", 0);
	if (at->frames[0].line != 0)
		snprintf(line, sizeof(line), "%4u", at->frames[0].line);
	text = memory_format("%c      [%s] %s %6llx:  %-*s%s%s", change, line,
	                     at->is_target ? "*" : " ", (unsigned long long)at->address,
	                     hex[0] == '\0' ? 0 : 3 * BYTES_SHOWN + 1, hex, at->decoded.text, note);
	free(hex);
	free(note);
	return text;
}

/* An instruction that the base does not have is '+', one that another build does not have is '-'.
 */
static char change_of(const struct code *codes, const uint32_t *at, size_t columns)
{
	char change = ' ';

	for (size_t i = columns; i-- > 0;)
		if (at[i] == CODE_NONE && codes[i].count != 0)
			change = i == 0 ? '+' : '-';
	return change;
}

static void add_row(struct disasm_view *view, const struct code *codes, const uint32_t *at,
                    const struct code_instruction **before)
{
	static const char *const kinds[] = {
		[' '] = "instruction", ['+'] = "instruction added", ['-'] = "instruction removed"};
	char change = change_of(codes, at, view->codes.columns);
	const struct code_instruction *instruction;
	struct table_row *row;
	size_t from = 0;

	while (at[from] == CODE_NONE)
		from++;
	instruction = &codes[from].at[at[from]];
	add_headers(view, instruction, *before);
	*before = instruction;
	row = listing_add(&view->table, kinds[(unsigned char)change],
	                  instruction_text(view, &codes[from], instruction, change));
	row->address = instruction->address;
	row->line = instruction->frames[0].line;
	for (size_t i = 0; i < view->codes.columns; i++) {
		view->table.next[i] = (struct table_values){.own = {.values = NULL}};
		if (at[i] != CODE_NONE)
			view->table.next[i] = (struct table_values){
				columns_view(&codes[i].fold->own, at[i]),
				columns_view(&codes[i].fold->total, at[i])};
	}
	table_take_next(&view->table, row);
}

/* A function of every build. */
static void add_code(struct disasm_view *view, size_t function)
{
	const struct code *codes = &view->codes.at[function * view->codes.columns];
	const struct code_instruction *before = NULL;
	struct code_rows rows;

	code_align(view->dataset, view->choices, view->output, codes, view->codes.columns, &rows);
	if (rows.count != 0)
		add_text(view, "function",
		         memory_format("               <Function: %s>",
		                       view->codes.functions[function]->name));
	for (size_t i = 0; i < rows.count; i++)
		add_row(view, codes, &rows.at[i * rows.columns], &before);
	code_rows_fini(&rows);
}

/* Where the code is; of compared builds, of each. */
static void put_objects(struct disasm_view *view, const struct place *place)
{
	const struct codes *codes = &view->codes;

	if (codes->columns == 1) {
		listing_object(view->output, "Load Object", place->object);
		return;
	}
	for (size_t i = 0; i < codes->columns; i++) {
		char *label = compare_label(view->dataset, i);
		char *what = memory_format("Load Object of %s", label);
		const struct sym_object *object = NULL;

		for (size_t j = 0; j < codes->count && !object; j++)
			if (codes->at[j * codes->columns + i].count != 0)
				object = codes->at[j * codes->columns + i].function->object;
		if (object)
			listing_object(view->output, what, object);
		else
			print_note(view->output, "%s has no data of this code", label);
		free(what);
		free(label);
	}
}

static void put_head(struct disasm_view *view, const struct place *place)
{
	const struct dataset *dataset = view->dataset;
	const struct choices *choices = view->choices;
	struct output *output = view->output;
	const struct source_file *file;

	quality_put(dataset, output);
	listing_fact(output, "Source File", place->file);
	put_objects(view, place);
	if (place->file && choices->listing.disasm_comments & COMMENT_SOURCE) {
		file = source_files_get(&view->files, place->file, place->object->build_id);
		if (file->status == 0)
			source_file_check(dataset, output, file,
			                  !place->function
			                          ? NULL
			                          : symbols_source_sum(
							    dataset->symbols, place->object,
							    place->function->address, place->file));
		else
			print_note(output,
			           "no source file %s: pathmap or setpath may say where it is",
			           place->file);
	}
	if (!print_is_data(output))
		fputc('\n', output->out);
}

void view_disasm(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	struct disasm_view view = {.dataset = dataset,
	                           .choices = choices,
	                           .output = output,
	                           .files = {.dataset = dataset}};
	struct place place;

	if (place_find(dataset, choices, output, "disasm", argument->text, argument->number,
	               &place) != 0)
		return;
	if (codes_init(&view.codes, dataset, choices, output, &place) == 0) {
		view.table.is_listing = 1;
		view.table.has_addresses = 1;
		compare_table(dataset, &view.table, TREE_PCS);
		for (size_t i = 0; i < view.codes.count; i++)
			add_code(&view, i);
		listing_mark_hot(&view.table, &choices->metrics, choices->listing.disasm_threshold);
		put_head(&view, &place);
		table_put(dataset, output, &view.table, &choices->metrics, 0, "disasm");
		if (place.function && place.file)
			report_put_next(dataset, choices, output, "source", place.function,
			                "its source");
		fputc('\n', output->out);
	}
	codes_fini(&view.codes);
	table_fini(&view.table);
	source_files_fini(&view.files);
}
