/* code.c: what listings of source and instructions need about an object. */
#include "experiment/symbols/code.h"

#include "experiment/symbols/demangle.h"
#include "experiment/symbols/symbols_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct exp_binary *image_of(struct symbols *symbols, const struct sym_object *object)
{
	return symbols->objects[object->index]->binary;
}

static struct exp_binary *image_at(struct symbols *symbols, const struct sym_function *function)
{
	return image_of(symbols, function->object);
}

size_t symbols_bytes(struct symbols *symbols, const struct sym_function *function, uint64_t address,
                     const uint8_t **out)
{
	const struct exp_sym_jit *jit = exp_sym_jit_find(symbols, function);
	struct exp_binary *binary = image_at(symbols, function);

	*out = NULL;
	if (jit)
		return exp_sym_jit_code(symbols, jit, address, out);
	return !binary ? 0 : exp_binary_code_at(binary, address, out);
}

unsigned symbols_machine(struct symbols *symbols, const struct sym_function *function)
{
	struct exp_binary *binary = image_at(symbols, function);
	GElf_Ehdr header;

	if (exp_sym_jit_find(symbols, function))
		return EM_X86_64; /* the collector knows no other */
	return !binary || !gelf_getehdr(binary->elf, &header) ? 0 : header.e_machine;
}

static int jit_frames(struct symbols *symbols, const struct exp_sym_jit *jit, uint64_t address,
                      const struct sym_frame **out)
{
	const struct exp_function *function = jit->function;

	if (address - function->address < function->size)
		return exp_sym_resolve_dynamic(symbols, symbols->objects[jit->shown->object->index],
		                               jit->experiment, function, address, out);
	return symbols_frames(symbols, jit->experiment, address, function->generation_from, 1, out);
}

int symbols_frames_in(struct symbols *symbols, const struct sym_function *function,
                      uint64_t address, const struct sym_frame **out)
{
	const struct exp_sym_jit *jit = exp_sym_jit_find(symbols, function);

	if (jit)
		return jit_frames(symbols, jit, address, out);
	return exp_sym_frames(symbols, symbols->objects[function->object->index], address, out);
}

int symbols_is_jit(struct symbols *symbols, const struct sym_function *function)
{
	return exp_sym_jit_find(symbols, function) != NULL;
}

const char *symbols_slot(struct symbols *symbols, const struct sym_object *object, uint64_t address)
{
	struct exp_binary *binary = image_of(symbols, object);

	return !binary ? NULL : exp_binary_slot_name(binary, address);
}

const char *symbols_variable_in(struct symbols *symbols, const struct sym_object *object,
                                uint64_t address, uint64_t *offset)
{
	struct exp_binary *binary = image_of(symbols, object);
	const struct exp_symbol *symbol = !binary ? NULL : exp_binary_variable_at(binary, address);

	if (!symbol)
		return NULL;
	*offset = address - symbol->address;
	return exp_demangle(&symbols->arena, symbol->name);
}

const uint8_t *symbols_source_sum(struct symbols *symbols, const struct sym_object *object,
                                  uint64_t address, const char *file)
{
	struct exp_dwarf *dwarf = symbols->objects[object->index]->dwarf;

	return !dwarf ? NULL : exp_dwarf_source_sum(dwarf, address, file);
}

/* A compilation that was asked for. */
struct known_compilation {
	const struct sym_object *object;
	uint64_t unit;
	struct sym_compilation compilation;
};

static int is_known(const void *item, const void *wanted)
{
	const struct known_compilation *known = item, *key = wanted;

	return known->object == key->object && known->unit == key->unit;
}

/* Notes in the making. */
struct noting {
	struct symbols *symbols;
	struct exp_binary *binary;
	struct sym_note *notes;
	size_t count, capacity;
};

/* A name as tables have it: that of the symbol where the function itself is. */
static const char *shown_name(struct noting *noting, const struct exp_dwarf_frame *frame,
                              uint64_t address)
{
	const struct exp_symbol *symbol = address == 0
	                                          ? NULL
	                                          : exp_binary_symbol_at(noting->binary, address);
	struct symbols *symbols = noting->symbols;
	const char *name = exp_sym_linker_name(symbols, frame);

	if (symbol && symbol->address == address)
		name = symbol->name;

	return !name ? "<unnamed>" : exp_demangle(&symbols->arena, name);
}

static int take_note(void *context, const struct exp_dwarf_note *note)
{
	struct noting *noting = context;
	struct symbols *symbols = noting->symbols;
	const char *decl = exp_sym_path(symbols, note->directory, note->callee->decl_file);
	struct sym_note *out;

	if (exp_array_reserve(&noting->notes, &noting->capacity, noting->count,
	                      sizeof(*noting->notes)) != 0)
		return -ENOMEM;
	out = &noting->notes[noting->count++];
	*out = (struct sym_note){
		.file = decl,
		.line = note->callee->decl_line,
		.name = shown_name(noting, note->callee,
	                           note->callee == note->function ? note->address : 0),
		.holder = shown_name(noting, note->function, note->function_address),
		.from_file = decl,
		.from_line = note->callee->decl_line,
		.address = note->address,
		.is_inlined = note->callee != note->function,
	};
	if (out->is_inlined) {
		out->file = exp_sym_path(symbols, note->directory, note->file);
		out->line = note->line;
	}
	return !out->name || !out->holder ? -ENOMEM : 0;
}

static int add_notes(struct symbols *symbols, const struct exp_sym_object *object, uint64_t address,
                     struct sym_compilation *out)
{
	struct noting noting = {.symbols = symbols, .binary = object->binary};
	int rc = exp_dwarf_each_note(object->dwarf, address, take_note, &noting);
	struct sym_note *kept = exp_arena_alloc(&symbols->arena, noting.count * sizeof(*kept) + 1);

	if (rc == 0 && !kept)
		rc = -ENOMEM;
	if (rc == 0 && noting.count != 0)
		memcpy(kept, noting.notes, noting.count * sizeof(*kept));
	out->notes = kept;
	out->note_count = noting.count;
	free(noting.notes);
	return rc;
}

int symbols_compilation(struct symbols *symbols, const struct sym_object *object, uint64_t address,
                        const struct sym_compilation **out)
{
	const struct exp_sym_object *of = symbols->objects[object->index];
	struct known_compilation key = {.object = object}, *known;
	struct exp_dwarf_compilation found;
	uint64_t hash;
	int rc;

	if (!of->dwarf || exp_dwarf_compilation(of->dwarf, address, &found) != 0)
		return -ENOENT;
	key.unit = found.unit;
	hash = exp_hash_number(exp_hash_number(EXP_HASH_START, (uintptr_t)object), found.unit);
	known = exp_hash_find(&symbols->compilation_table, hash, is_known, &key);
	if (!known) {
		known = exp_arena_alloc(&symbols->arena, sizeof(*known));
		if (!known)
			return -ENOMEM;
		*known = key;
		known->compilation = (struct sym_compilation){
			.name = found.name,
			.directory = found.directory,
			.producer = found.producer,
			.missing = found.missing,
			.missing_shared = found.missing_shared,
			.version = found.version};
		rc = add_notes(symbols, of, address, &known->compilation);
		if (rc != 0 || exp_hash_add(&symbols->compilation_table, hash, known) != 0)
			return rc != 0 ? rc : -ENOMEM;
	}
	*out = &known->compilation;
	return 0;
}
