/* jitfunction.c: functions that a program made, as the session shows them: their names, lines and
 * code. */
#include "experiment/jit/java.h"
#include "experiment/jit/lines.h"
#include "experiment/jit/jitfiles.h"
#include "experiment/symbols/code.h"
#include "experiment/symbols/method.h"
#include "experiment/symbols/session.h"
#include "format/layout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CODE_MAX = 64 << 20 };

static int is_shown(const void *item, const void *wanted)
{
	const struct session_jit *made = item;

	return made->shown == wanted && made->experiment != NULL;
}

const struct session_jit *session_jit_find(struct symbols *symbols,
                                           const struct sym_function *shown)
{
	return exp_hash_find(&symbols->made_table,
	                     exp_hash_number(EXP_HASH_START, (uintptr_t)shown), is_shown, shown);
}

void symbols_forget(struct symbols *symbols, const struct experiment *experiment)
{
	for (struct session_jit *made = symbols->made; made; made = made->next)
		if (made->experiment == experiment)
			made->experiment = NULL;
}

static int is_same(const void *item, const void *wanted)
{
	const struct session_jit *a = item, *b = wanted;

	return a->shown == b->shown && a->experiment == b->experiment;
}

/* Remember what `shown` is: of several with one name and address the first one of each experiment.
 * Returns 0 or -ENOMEM. */
static int remember_made(struct symbols *symbols, const struct sym_function *shown,
                         const struct experiment *experiment, const struct exp_function *function)
{
	struct session_jit key = {.next = symbols->made,
	                          .shown = shown,
	                          .experiment = experiment,
	                          .function = function},
			   *made;
	uint64_t hash = exp_hash_number(EXP_HASH_START, (uintptr_t)shown);

	if (exp_hash_find(&symbols->made_table, hash, is_same, &key))
		return 0;
	made = exp_arena_alloc(&symbols->arena, sizeof(*made));
	if (!made)
		return -ENOMEM;
	*made = key;
	symbols->made = made;
	return exp_hash_add(&symbols->made_table, hash, made);
}

static int open_text(const struct experiment *experiment, const struct exp_function *function)
{
	if (function->text_file)
		return exp_jit_open_text(experiment, function->text_file);
	return exp_file_open(experiment->directory, FMT_FILE_DYNTEXT);
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

/* A page that nobody told of is in use up to its last byte that is not zero. */
static uint64_t size_of_code(const struct exp_function *function, const uint8_t *code)
{
	uint64_t size = function->size;

	while (function->origin == EXP_ORIGIN_NOBODY && size > 1 && code[size - 1] == 0)
		size--;
	return size;
}

size_t session_jit_code(struct symbols *symbols, const struct session_jit *found, uint64_t address,
                        const uint8_t **out)
{
	struct session_jit *made = (struct session_jit *)found;
	const struct exp_function *function = made->function;

	if (!made->is_read)
		made->code = read_code(&symbols->arena, made->experiment, function);
	made->is_read = 1;
	made->size = !made->code ? 0 : size_of_code(function, made->code);
	if (address < function->address || address - function->address >= made->size)
		return 0;
	*out = made->code + (address - function->address);
	return made->size - (address - function->address);
}

int session_resolve_dynamic(struct symbols *symbols, struct session_object *object,
                            const struct experiment *experiment,
                            const struct exp_function *function, uint64_t pc,
                            const struct sym_frame **out)
{
	const struct exp_method *method = exp_java_find(experiment, function->method);
	struct session_function_key key = {
		.object = object,
		.mangled = method ? session_method_name(symbols, method)
	                   : function->name[0] != '\0'
	                           ? function->name
	                           : exp_arena_printf(&symbols->arena, "<Dynamic>+0x%llx",
	                                              (unsigned long long)function->address),
		.address = function->address,
	};
	struct sym_frame *frame = exp_arena_alloc(&symbols->arena, sizeof(*frame));
	struct sym_function *found = !key.mangled ? NULL : session_function(symbols, &key);

	if (!frame || !found || remember_made(symbols, found, experiment, function) != 0)
		return -ENOMEM;
	found->size = function->size;
	found->unresolved = function->origin == EXP_ORIGIN_NOBODY;
	if (method && !found->is_titled) {
		found->is_titled = 1;
		found->name = session_method_title(symbols, method);
		found->file = session_method_source(symbols, method);
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
