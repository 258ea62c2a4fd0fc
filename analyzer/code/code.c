/* code.c: decodes a function, and finds the values of its instructions. An address inside an
 * instruction counts for it: return addresses are looked up one byte earlier, inside their call. */
#include "analyzer/code/code.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "experiment/symbols/code.h"
#include "experiment/table/search.h"

#include <errno.h>
#include <stdlib.h>

/* For functions of unknown size, no more than this is shown. */
enum { UNSIZED_MAX = 1 << 16 };

static const struct code_instruction *find_instruction(const struct code *code, uint64_t address)
{
	size_t low = exp_count_up_to(code->at, code->count, sizeof(*code->at), address);

	if (low == 0 || address - code->at[low - 1].address >= code->at[low - 1].decoded.size)
		return NULL;
	return &code->at[low - 1];
}

static int add_frames(const struct dataset *dataset, const struct code *code,
                      struct code_instruction *at)
{
	at->frame_count = symbols_frames_in(dataset->symbols, code->function, at->address,
	                                    &at->frames);
	return at->frame_count < 0 ? at->frame_count : 0;
}

static int decode(struct code *code, const struct dataset *dataset,
                  struct disassembler *disassembler)
{
	const struct sym_function *function = code->function;
	const uint8_t *bytes;
	size_t len = symbols_bytes(dataset->symbols, function, function->address, &bytes);
	size_t end = function->size != 0 ? function->size : UNSIZED_MAX;

	if (end > len)
		end = len;
	for (size_t offset = 0; offset < end;) {
		struct code_instruction *at;

		code->at = memory_grow(code->at, code->count, &code->capacity, sizeof(*code->at));
		at = &code->at[code->count];
		*at = (struct code_instruction){.address = function->address + offset,
		                                .bytes = bytes + offset};
		if (add_frames(dataset, code, at) != 0)
			return -ENOMEM;
		if (function->size == 0 && at->frames[at->frame_count - 1].function != function)
			break;
		disassembler_decode(disassembler, at->bytes, end - offset, at->address,
		                    &at->decoded);
		offset += at->decoded.size;
		code->count++;
	}
	return code->count == 0 ? -ENOENT : 0;
}

static void mark_targets(struct code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct code_instruction *to = code->at[i].decoded.has_target
		                                            ? find_instruction(
								      code,
								      code->at[i].decoded.target)
		                                            : NULL;

		if (to)
			code->at[to - code->at].is_target = 1;
	}
}

static void find_values(struct code *code, const struct dataset *dataset)
{
	const struct tree *tree = dataset_tree(dataset, TREE_PCS);
	uint32_t *key_of = memory_take(tree->item_count, sizeof(*key_of));
	int is_made = symbols_is_jit(dataset->symbols, code->function);

	for (size_t i = 0; i < tree->item_count; i++) {
		const struct sym_function *function = tree->items[i].function;
		/* At the address of JIT code, there may have been other code before. */
		int is_here = is_made ? function == code->function
		                      : function->object == code->function->object;
		const struct code_instruction *at = is_here && tree->items[i].address != 0
		                                            ? find_instruction(
								      code, tree->items[i].address)
		                                            : NULL;

		key_of[i] = !at ? TREE_NONE : (uint32_t)(at - code->at);
	}
	code->fold = fold_sets(tree, key_of, code->count);
	/* Tables of a group that is compared are forgotten before its code is shown. */
	columns_settle(&code->fold->own);
	columns_settle(&code->fold->total);
	free(key_of);
}

int code_init(struct code *code, const struct dataset *dataset, const struct choices *choices,
              const struct sym_function *function)
{
	struct disassembler *disassembler;
	int rc;

	*code = (struct code){.function = function};
	if (symbols_machine(dataset->symbols, function) == 0)
		return -ENOENT;
	rc = disassembler_create(symbols_machine(dataset->symbols, function),
	                         choices->listing.assembly, &disassembler);
	if (rc != 0)
		return rc;
	rc = decode(code, dataset, disassembler);
	disassembler_destroy(disassembler);
	if (rc != 0)
		return rc;
	mark_targets(code);
	find_values(code, dataset);
	return 0;
}

void code_fini(struct code *code)
{
	free(code->at);
	fold_destroy(code->fold);
}

/* A function that has code at the address and a name. */
static char *function_name(const struct dataset *dataset, const struct choices *choices,
                           const struct sym_function *from, uint64_t address)
{
	const struct sym_frame *frames;
	const uint8_t *bytes;
	const struct sym_function *function;
	char *name, *whole;
	int count;

	if (!symbols_is_jit(dataset->symbols, from) &&
	    symbols_bytes(dataset->symbols, from, address, &bytes) == 0)
		return NULL;
	count = symbols_frames_in(dataset->symbols, from, address, &frames);
	if (count < 0)
		memory_fail();
	function = count < 1 ? NULL : frames[count - 1].function;
	if (!function || function->unresolved)
		return NULL;
	name = name_function(choices, function);
	if (frames[0].address == function->address)
		return name;
	whole = memory_format("%s + 0x%llX", name,
	                      (unsigned long long)(frames[0].address - function->address));
	free(name);
	return whole;
}

char *code_name(const struct dataset *dataset, const struct choices *choices,
                const struct sym_function *from, uint64_t address)
{
	const struct sym_object *object = from->object;
	const char *slot = symbols_slot(dataset->symbols, object, address);
	const char *variable;
	uint64_t offset;

	if (slot)
		return memory_format("%s@got", slot);
	variable = symbols_variable_in(dataset->symbols, object, address, &offset);
	if (variable)
		return offset == 0
		               ? memory_format("%s", variable)
		               : memory_format("%s + %llu", variable, (unsigned long long)offset);
	return function_name(dataset, choices, from, address);
}
