/* view_disasm.c: instructions with metrics beside them, their source lines between. */
#include "view.h"

#include "code.h"
#include "experiment/code.h"
#include "listing.h"
#include "memory.h"
#include "name.h"
#include "place.h"
#include "report.h"
#include "sourcefile.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_SHOWN = 10 };

/* One listing in the making. */
struct disasm_view {
	struct session *session;
	struct source_files files;
	struct code *codes; /* one of each function */
	size_t count;
	struct table table;
};

static void add_text(struct disasm_view *view, const char *kind, char *text)
{
	listing_add(&view->table, kind, text);
}

static int is_same_text(const char *left, const char *right)
{
	return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

static int is_same_place(const struct sym_frame *left, const struct sym_frame *right)
{
	return left->line == right->line && left->function == right->function && is_same_text(left->file, right->file);
}

/* Do two instructions have the same inlined calls around them, called at the same places? */
static int is_same_call(const struct code_instruction *left, const struct code_instruction *right)
{
	if (left->frame_count != right->frame_count || left->frames[0].function != right->frames[0].function)
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
		char *name = name_function(view->session, at->frames[i].function);
		char *longer = caller->file == NULL
				       ? memory_format("%s%s%s", text, i == 0 ? "" : ", in ", name)
				       : memory_format("%s%s%s, called at %s:%u", text, i == 0 ? "" : ", in ", name,
						       text_base(caller->file), caller->line);

		free(name);
		free(text);
		text = longer;
	}
	add_text(view, "inline",
		 at->frame_count > 1 ? memory_format("               (inlined: %s)", text)
				     : memory_format("               (%s itself)", at->frames[0].function->name));
	free(text);
}

static void add_source_line(struct disasm_view *view, const struct code_instruction *at)
{
	const struct sym_frame *frame = &at->frames[0];
	const struct source_file *file;
	char *text, *whole;

	if (frame->file == NULL || frame->line == 0)
		return;
	file = source_files_get(&view->files, frame->file, frame->function->object->build_id);
	text = source_file_line(file, frame->line);
	if (print_is_data(view->session))
		whole = memory_format("%s", text == NULL ? "" : text);
	else if (text != NULL && is_same_text(frame->file, view->codes[0].function->file))
		whole = memory_format("%6u. %s", frame->line, text);
	else if (text != NULL)
		whole = memory_format("%6u. %s  (%s)", frame->line, text, text_base(frame->file));
	else
		whole = memory_format("%6u. (%s)", frame->line, text_base(frame->file));
	listing_add(&view->table, "line", whole)->line = frame->line;
	free(text);
}

static void add_heads(struct disasm_view *view, const struct code *code, size_t i)
{
	const struct code_instruction *at = &code->at[i], *before = i == 0 ? NULL : &code->at[i - 1];
	unsigned set = view->session->listing.disasm_comments;
	int is_new_call = before == NULL ? at->frame_count > 1 : !is_same_call(before, at);

	if (is_new_call && set & COMMENT_SET(INLINE))
		add_inline(view, at);
	if (set & COMMENT_SOURCE && (before == NULL || is_new_call || !is_same_place(&before->frames[0], &at->frames[0])))
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
static char *note_of(struct disasm_view *view, const struct code *code, const struct code_instruction *at)
{
	const struct instruction *decoded = &at->decoded;
	char *name = NULL, *text;

	if (decoded->has_target)
		name = code_name(view->session, code->function, decoded->target);
	else if (decoded->has_data)
		name = code_name(view->session, code->function, decoded->data);
	if (decoded->has_target && name != NULL)
		text = memory_format("0x%llx <%s>", (unsigned long long)decoded->target, name);
	else if (decoded->has_target)
		text = memory_format("0x%llx", (unsigned long long)decoded->target);
	else if (name != NULL)
		text = memory_format(" <%s>", name);
	else
		text = memory_text("", 0);
	free(name);
	return text;
}

static char *instruction_text(struct disasm_view *view, const struct code *code, const struct code_instruction *at)
{
	char *note = note_of(view, code, at), *hex, *text, line[16] = "   ?";

	if (print_is_data(view->session)) {
		text = memory_format("%s%s", at->decoded.text, note);
		free(note);
		return text;
	}
	hex = view->session->listing.disasm_comments & COMMENT_HEX ? hex_text(at) : memory_text("", 0);
	if (at->frames[0].line != 0)
		snprintf(line, sizeof(line), "%4u", at->frames[0].line);
	text = memory_format("       [%s] %s %6llx:  %-*s%s%s", line, at->is_target ? "*" : " ",
			     (unsigned long long)at->address, hex[0] == '\0' ? 0 : 3 * BYTES_SHOWN + 1, hex,
			     at->decoded.text, note);
	free(hex);
	free(note);
	return text;
}

static void add_code(struct disasm_view *view, const struct code *code)
{
	add_text(view, "function", memory_format("               <Function: %s>", code->function->name));
	for (size_t i = 0; i < code->count; i++) {
		const struct code_instruction *at = &code->at[i];
		struct table_row *row;

		add_heads(view, code, i);
		row = listing_add(&view->table, "instruction", instruction_text(view, code, at));
		row->address = at->address;
		row->line = at->frames[0].line;
		row->own = &code->rows[i].own;
		row->total = &code->rows[i].total;
	}
}

/* ---- which functions ---- */

static void explain(struct session *session, const struct sym_function *function, int rc)
{
	const struct sym_object *object = function->object;

	if (rc == -ENOSYS)
		session_fail(session, EXIT_TROUBLE, "disasm: this xer_print was built without capstone, which disassembles");
	else if (rc == -ENOTSUP)
		session_fail(session, EXIT_TROUBLE, "disasm: the machine of %s is not known", object->path);
	else if (symbols_is_made(session->symbols, function))
		session_fail(session, EXIT_TROUBLE, "disasm: %s was made at run time, and its code was not recorded", function->name);
	else if (object->file == NULL)
		session_fail(session, EXIT_TROUBLE,
			     "disasm: no file of %s (%s): say where it is now with pathmap OLD-PREFIX NEW-PREFIX or setpath "
			     "DIRECTORY",
			     object->path, object->mismatch ? "another build is there now" : "neither there nor archived");
	else
		session_fail(session, EXIT_TROUBLE, "disasm: %s has no code at 0x%llx, where %s is", object->file,
			     (unsigned long long)function->address, function->name);
}

static void explain_inlined(struct session *session, const struct sym_function *function)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);
	char *callers = memory_text("", 0);
	size_t count = 0;

	for (size_t i = 1; i < tree->count && count < 5; i++) {
		const struct sym_function *caller = tree->items[tree->nodes[tree->nodes[i].parent].item].function;
		char *longer;

		if (tree->items[tree->nodes[i].item].function != function || caller == function ||
		    strstr(callers, caller->name) != NULL)
			continue;
		longer = memory_format("%s%s%s", callers, count == 0 ? "" : ", ", caller->name);
		free(callers);
		callers = longer;
		count++;
	}
	session_fail(session, EXIT_TROUBLE, "disasm: %s has no code of its own: it is inlined in %s", function->name,
		     callers);
	free(callers);
}

static int by_address(const void *left, const void *right)
{
	const struct sym_function *a = ((const struct code *)left)->function, *b = ((const struct code *)right)->function;

	if (a->object != b->object)
		return a->object->index < b->object->index ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* Every function of a file that has code of its own in recorded stacks. */
static void find_functions(struct disasm_view *view, const char *file)
{
	const struct tree *tree = session_tree(view->session, TREE_FUNCTIONS);
	size_t capacity = 0;

	for (size_t i = 0; i < tree->item_count; i++) {
		const struct sym_function *function = tree->items[i].function;

		if (function->file == NULL || function->address == 0 || !source_is_same(function->file, file))
			continue;
		view->codes = memory_grow(view->codes, view->count, &capacity, sizeof(*view->codes));
		view->codes[view->count++] = (struct code){.function = function};
	}
	if (view->count > 1)
		qsort(view->codes, view->count, sizeof(*view->codes), by_address);
}

static int find_codes(struct disasm_view *view, const struct place *place)
{
	size_t decoded = 0;
	int rc = -ENOENT;

	if (place->function != NULL && place->function->address == 0) {
		explain_inlined(view->session, place->function);
		return -ENOENT;
	}
	if (place->function == NULL) {
		find_functions(view, place->file);
	} else {
		view->codes = memory_take(1, sizeof(*view->codes));
		view->codes[view->count++] = (struct code){.function = place->function};
	}
	for (size_t i = 0; i < view->count; i++) {
		rc = code_init(&view->codes[i], view->session, view->codes[i].function);
		decoded += rc == 0;
		if (rc != 0)
			explain(view->session, view->codes[i].function, rc);
	}
	if (view->count == 0)
		session_fail(view->session, EXIT_TROUBLE, "disasm: no function of %s has code of its own", place->file);
	return decoded != 0 ? 0 : -ENOENT;
}

static void put_head(struct disasm_view *view, const struct place *place)
{
	struct session *session = view->session;
	const struct source_file *file;

	report_put_quality(session);
	listing_fact(session, "Source File", place->file);
	listing_fact(session, "Load Object", place->object->path);
	if (place->object->file != NULL && strcmp(place->object->file, place->object->path) != 0)
		listing_fact(session, "Found", place->object->file);
	if (place->file != NULL && session->listing.disasm_comments & COMMENT_SOURCE) {
		file = source_files_get(&view->files, place->file, place->object->build_id);
		if (file->status == 0)
			source_file_check(session, file,
					  place->function == NULL ? NULL
								  : symbols_source_sum(session->symbols, place->object,
										       place->function->address,
										       place->file));
		else
			print_note(session, "no source file %s: pathmap or setpath may say where it is", place->file);
	}
	if (!print_is_data(session))
		fputc('\n', session->out);
}

void view_disasm(struct session *session, const struct command_argument *argument)
{
	struct disasm_view view = {.session = session, .files = {.session = session}};
	struct place place;

	if (place_find(session, "disasm", argument, &place) != 0)
		return;
	if (find_codes(&view, &place) == 0) {
		view.table.is_listing = 1;
		view.table.has_addresses = 1;
		view.table.sum = session_tree(session, TREE_PCS)->total[TREE_ROOT];
		for (size_t i = 0; i < view.count; i++)
			if (view.codes[i].count != 0)
				add_code(&view, &view.codes[i]);
		listing_mark_hot(&view.table, &session->metrics, session->listing.disasm_threshold);
		put_head(&view, &place);
		table_put(session, &view.table, &session->metrics, 0, "disasm");
		if (place.function != NULL && place.file != NULL)
			report_put_next(session, "source", place.function, "its source");
		fputc('\n', session->out);
	}
	for (size_t i = 0; i < view.count; i++)
		code_fini(&view.codes[i]);
	free(view.codes);
	table_fini(&view.table);
	source_files_fini(&view.files);
}
