/* function.c: turns an address of an object into functions: by symbols first, then debug
 * information, PLT and unwind tables; the last resort is a name made of an offset. */
#include "experiment/symbols/demangle.h"
#include "experiment/symbols/symbols_internal.h"

#include <errno.h>
#include <string.h>

static int is_key(const void *item, const void *wanted)
{
	const struct sym_function *function = item;
	const struct exp_sym_function_key *key = wanted;

	if (function->object != &key->object->shown || function->address != key->address ||
	    strcmp(function->mangled, key->mangled) != 0)
		return 0;
	if (key->address != 0)
		return 1;
	return function->line == key->line &&
	       (function->file == key->file ||
	        (function->file && key->file && strcmp(function->file, key->file) == 0));
}

static uint64_t hash_key(const struct exp_sym_function_key *key)
{
	uint64_t hash = exp_hash_number(EXP_HASH_START, (uintptr_t)key->object);

	hash = exp_hash_number(exp_hash_text(hash, key->mangled), key->address);
	return key->address != 0 ? hash : exp_hash_number(hash, key->line);
}

struct sym_function *exp_sym_function(struct symbols *symbols,
                                      const struct exp_sym_function_key *key)
{
	uint64_t hash = hash_key(key);
	struct sym_function *function = exp_hash_find(&symbols->function_table, hash, is_key, key);

	if (function)
		return function;
	function = exp_arena_alloc(&symbols->arena, sizeof(*function));
	if (!function || exp_array_reserve(&symbols->functions, &symbols->function_capacity,
	                                   symbols->function_count, sizeof(function)) != 0)
		return NULL;
	function->mangled = exp_arena_string(&symbols->arena, key->mangled);
	function->name = !function->mangled ? NULL
	                                    : exp_demangle(&symbols->arena, function->mangled);
	function->file = key->file;
	function->line = key->line;
	function->address = key->address;
	function->object = &key->object->shown;
	function->index = symbols->function_count;
	if (!function->name || exp_hash_add(&symbols->function_table, hash, function) != 0)
		return NULL;
	symbols->functions[symbols->function_count++] = function;
	return function;
}

/* Complete a function by what debug information says of its definition. */
static void add_definition(struct sym_function *function, const struct exp_dwarf_frame *frame)
{
	if (!frame || function->file || !frame->decl_file)
		return;
	function->file = frame->decl_file;
	function->line = frame->decl_line;
}

static struct sym_function *symbol_function(struct symbols *symbols, struct exp_sym_object *object,
                                            struct exp_symbol *symbol,
                                            const struct exp_dwarf_frame *frame)
{
	struct sym_function *function = (struct sym_function *)symbol->function;

	if (!function) {
		struct exp_sym_function_key key = {
			.object = object,
			.mangled = symbol->name,
			.address = symbol->address,
		};

		function = exp_sym_function(symbols, &key);
		if (!function)
			return NULL;
		function->size = symbol->size;
		symbol->function = function;
	}
	add_definition(function, frame);
	return function;
}

/* A function by a name of ours: "libc.so.6+0x1234", or a PLT stub's. */
static struct sym_function *made_up(struct symbols *symbols, struct exp_sym_object *object,
                                    const char *name, const struct exp_range *range, int unresolved)
{
	struct exp_sym_function_key key = {
		.object = object,
		.mangled = name,
		.address = range->start,
	};
	struct sym_function *function = !name ? NULL : exp_sym_function(symbols, &key);

	if (!function)
		return NULL;
	function->size = range->end - range->start;
	function->unresolved = unresolved != 0;
	return function;
}

/* The code that the C library has handlers return to: it calls rt_sigreturn, and has no name in a
 * library without symbols. It stands behind a byte that belongs to its unwinding table, so that a
 * return address less one is found there. */
static int is_signal_frame(struct exp_binary *binary, uint64_t start)
{
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	const uint8_t *bytes;

	return exp_binary_bytes_at(binary, start + 1, &bytes) >= sizeof(code) &&
	       memcmp(bytes, code, sizeof(code)) == 0;
}

static struct sym_function *unnamed(struct symbols *symbols, struct exp_sym_object *object,
                                    uint64_t address)
{
	struct exp_range range = {address, address + 1};
	const char *name;

	if (object->binary) {
		if (exp_binary_plt_at(object->binary, address, &range, &name) == 0)
			return made_up(symbols, object,
			               exp_arena_printf(&symbols->arena, "%s@plt", name), &range,
			               0);
		if (exp_binary_unwind_range(object->binary, address, &range) != 0 &&
		    exp_binary_section_range(object->binary, address, &range) != 0)
			range = (struct exp_range){address, address + 1};
		if (is_signal_frame(object->binary, range.start))
			return made_up(symbols, object, "<signal handler called>", &range, 0);
	}
	return made_up(symbols, object,
	               exp_arena_printf(&symbols->arena, "%s+0x%llx", object->shown.name,
	                                (unsigned long long)range.start),
	               &range, 1);
}

/* Lambdas, and calls of the objects of local classes, have all one name: it gets their place. */
const char *exp_sym_linker_name(struct symbols *symbols, const struct exp_dwarf_frame *frame)
{
	const char *file = !frame->decl_file ? NULL : strrchr(frame->decl_file, '/'), *name;

	if (frame->linkage_name || !frame->name || !frame->decl_file || frame->decl_line == 0 ||
	    strncmp(frame->name, "operator()", strlen("operator()")) != 0)
		return frame->linkage_name ? frame->linkage_name : frame->name;
	name = exp_arena_printf(&symbols->arena, "operator() at %s:%u",
	                        file ? file + 1 : frame->decl_file, frame->decl_line);
	return name ? name : frame->name;
}

/* The function that really is at the address. frame: what debug information says of it, or NULL. */
static struct sym_function *physical(struct symbols *symbols, struct exp_sym_object *object,
                                     uint64_t address, const struct exp_dwarf_frame *frame)
{
	struct exp_symbol *symbol = !object->binary ? NULL
	                                            : exp_binary_symbol_at(object->binary, address);

	if (symbol)
		return symbol_function(symbols, object, symbol, frame);
	if (frame && exp_sym_linker_name(symbols, frame)) {
		struct exp_range range = {frame->start, frame->end};
		struct sym_function *function = made_up(
			symbols, object, exp_sym_linker_name(symbols, frame), &range, 0);

		if (function)
			add_definition(function, frame);
		return function;
	}
	return unnamed(symbols, object, address);
}

/* A function that was inlined here; the same as the one of its name that was not, if there is
 * just one. */
static struct sym_function *inlined(struct symbols *symbols, struct exp_sym_object *object,
                                    const struct exp_dwarf_frame *frame)
{
	struct sym_function *known = *frame->owner;
	const char *name;
	struct exp_symbol *symbol;

	if (known)
		return known;
	name = exp_sym_linker_name(symbols, frame);
	symbol = !name ? NULL : exp_binary_symbol_named(object->binary, name);
	if (symbol) {
		*frame->owner = symbol_function(symbols, object, symbol, frame);
	} else {
		struct exp_sym_function_key key = {.object = object,
		                                   .mangled = !name ? "<inlined>" : name,
		                                   .file = frame->decl_file,
		                                   .line = frame->decl_line};

		*frame->owner = exp_sym_function(symbols, &key);
	}
	return *frame->owner;
}

const char *exp_sym_path(struct symbols *symbols, const char *directory, const char *file)
{
	const char *whole;

	if (!file || file[0] == '/' || !directory || directory[0] != '/')
		return file;
	whole = exp_arena_printf(&symbols->arena, "%s/%s", directory, file);
	return !whole ? file : whole;
}

int exp_sym_resolve(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                    struct sym_frame **out)
{
	struct exp_dwarf_frame known[EXP_DWARF_FRAMES];
	int found = 0, count;
	struct sym_frame *frames;

	if (object->dwarf)
		found = exp_dwarf_lookup(object->dwarf, address, known);
	count = found == 0 ? 1 : found;
	frames = exp_arena_alloc(&symbols->arena, (size_t)count * sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	for (int i = 0; i < count; i++) {
		const struct exp_dwarf_frame *frame = found == 0 ? NULL : &known[i];

		if (frame)
			known[i].decl_file = exp_sym_path(symbols, frame->directory,
			                                  frame->decl_file);
		frames[i].inlined = i < count - 1;
		frames[i].function = frames[i].inlined ? inlined(symbols, object, frame)
		                                       : physical(symbols, object, address, frame);
		if (!frames[i].function)
			return -ENOMEM;
		if (i > 0) {
			frames[i].file = exp_sym_path(symbols, frame->directory, frame->file);
			frames[i].line = frame->line;
		}
		frames[i].address = address;
	}
	*out = frames;
	return count;
}

void exp_sym_find_line(struct symbols *symbols, struct exp_sym_object *object, uint64_t address,
                       struct sym_frame *innermost)
{
	const char *directory, *file;
	unsigned line;

	if (!object->dwarf || exp_dwarf_line(object->dwarf, address, &directory, &file, &line) != 0)
		return;
	innermost->file = exp_sym_path(symbols, directory, file);
	innermost->line = line;
}
