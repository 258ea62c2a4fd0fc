/* jitfunction.c: JIT functions as the symbols show them: their names, lines and
 * code. */
#include "experiment/base/internal.h"
#include "experiment/jit/java.h"
#include "experiment/jit/lines.h"
#include "experiment/jit/jitfiles.h"
#include "experiment/symbols/code.h"
#include "experiment/symbols/method.h"
#include "experiment/symbols/symbols_internal.h"
#include "format/layout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CODE_MAX = 64 << 20 };

static int is_shown(const void *item, const void *wanted)
{
	const struct exp_sym_jit *jit = item;

	return jit->shown == wanted && jit->experiment != NULL;
}

const struct exp_sym_jit *exp_sym_jit_find(struct symbols *symbols,
                                           const struct sym_function *shown)
{
	return exp_hash_find(&symbols->jit_table, exp_hash_number(EXP_HASH_START, (uintptr_t)shown),
	                     is_shown, shown);
}

void symbols_forget(struct symbols *symbols, const struct experiment *experiment)
{
	for (struct exp_sym_jit *jit = symbols->jits; jit; jit = jit->next)
		if (jit->experiment == experiment)
			jit->experiment = NULL;
	exp_sym_forget_founder(symbols, experiment);
}

static int is_same(const void *item, const void *wanted)
{
	const struct exp_sym_jit *a = item, *b = wanted;

	return a->shown == b->shown && a->experiment == b->experiment;
}

/* Remember what `shown` is: of several with one name and address the first one of each experiment.
 * Returns 0 or -ENOMEM. */
static int remember_jit(struct symbols *symbols, const struct sym_function *shown,
                        const struct experiment *experiment, const struct exp_function *function)
{
	struct exp_sym_jit key = {.next = symbols->jits,
	                          .shown = shown,
	                          .experiment = experiment,
	                          .function = function},
			   *jit;
	uint64_t hash = exp_hash_number(EXP_HASH_START, (uintptr_t)shown);

	if (exp_hash_find(&symbols->jit_table, hash, is_same, &key))
		return 0;
	jit = exp_arena_alloc(&symbols->arena, sizeof(*jit));
	if (!jit)
		return -ENOMEM;
	*jit = key;
	symbols->jits = jit;
	return exp_hash_add(&symbols->jit_table, hash, jit);
}

static int open_text(const struct experiment *experiment, const struct exp_function *function)
{
	if (function->text_file)
		return exp_jit_open_text(experiment, function->text_file);
	return exp_own_file_open(experiment, FMT_FILE_DYNTEXT);
}

static const uint8_t *read_code(struct exp_arena *arena, const struct experiment *experiment,
                                const struct exp_function *function)
{
	int fd = function->has_text && function->size <= CODE_MAX ? open_text(experiment, function)
	                                                          : -1;
	uint8_t *code = fd < 0 || function->text_offset > INT64_MAX / 2
	                        ? NULL
	                        : exp_arena_alloc(arena, function->size);
	ssize_t got = !code ? 0 : pread(fd, code, function->size, (off_t)function->text_offset);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)function->size ? code : NULL;
}

/* A page without a description is in use up to its last byte that is not zero. */
static uint64_t size_of_code(const struct exp_function *function, const uint8_t *code)
{
	uint64_t size = function->size;

	while (function->origin == EXP_ORIGIN_NOBODY && size > 1 && code[size - 1] == 0)
		size--;
	return size;
}

size_t exp_sym_jit_code(struct symbols *symbols, const struct exp_sym_jit *found, uint64_t address,
                        const uint8_t **out)
{
	struct exp_sym_jit *jit = (struct exp_sym_jit *)found;
	const struct exp_function *function = jit->function;

	if (!jit->is_read)
		jit->code = read_code(&symbols->arena, jit->experiment, function);
	jit->is_read = 1;
	jit->size = !jit->code ? 0 : size_of_code(function, jit->code);
	if (address < function->address || address - function->address >= jit->size)
		return 0;
	*out = jit->code + (address - function->address);
	return jit->size - (address - function->address);
}

int exp_sym_resolve_dynamic(struct symbols *symbols, struct exp_sym_object *object,
                            const struct experiment *experiment,
                            const struct exp_function *function, uint64_t pc,
                            const struct sym_frame **out)
{
	const struct exp_method *method = exp_java_find(experiment, function->method);
	struct exp_sym_function_key key = {
		.object = object,
		.mangled = method ? exp_sym_method_name(symbols, method)
	                   : function->name[0] != '\0'
	                           ? function->name
	                           : exp_arena_printf(&symbols->arena, "<Dynamic>+0x%llx",
	                                              (unsigned long long)function->address),
		.address = function->address,
	};
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	struct sym_function *found = !key.mangled ? NULL : exp_sym_function(symbols, &key);

	if (!frame || !found || remember_jit(symbols, found, experiment, function) != 0)
		return -ENOMEM;
	found->size = function->size;
	found->unresolved = function->origin == EXP_ORIGIN_NOBODY;
	if (method && !found->is_titled) {
		found->is_titled = 1;
		found->name = exp_sym_method_title(symbols, method);
		found->file = exp_sym_method_source(symbols, method);
		found->line = exp_java_line(experiment, function, function->address);
		if (!found->name)
			return -ENOMEM;
	}
	if (function->source && !found->file) {
		found->file = exp_arena_string(&symbols->arena, function->source);
		found->line = function->line != 0 ? function->line
		                                  : experiment_function_line(experiment, function,
		                                                             function->address);
	}
	*frame = (struct sym_frame){.function = found, .address = pc};
	frame->line = method ? exp_java_line(experiment, function, pc)
	                     : experiment_function_line(experiment, function, pc);
	if (method)
		frame->file = frame->line != 0 ? found->file : NULL;
	else if (frame->line != 0)
		frame->file = !exp_function_file(function, pc)
		                      ? NULL
		                      : exp_arena_string(&symbols->arena,
		                                         exp_function_file(function, pc));
	*out = frame;
	return 1;
}
