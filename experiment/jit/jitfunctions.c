/* jitfunctions.c: adds the functions that a file describes.
 * See doc/decisions/37-jit-code.md. */
#include "experiment/jit/jitfunctions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MAX = 4 << 20, PATH_DIGITS_MAX = 7 };

int exp_jit_add(struct exp_jit_reader *reader, const struct exp_function *function)
{
	if (reader->dynamic->count >= FUNCTIONS_MAX) {
		reader->fault = "too many functions";
		return 0;
	}
	if (function->size == 0 || function->address + function->size < function->address) {
		reader->skipped++;
		return 0;
	}
	reader->functions++;
	return exp_dynamic_add(reader->dynamic, function);
}

/* Length of the digits before name[len], behind a colon; 0: there are none. */
static size_t number_before(const char *name, size_t len)
{
	size_t digits = 0;

	while (digits < len && digits <= PATH_DIGITS_MAX && name[len - digits - 1] >= '0' &&
	       name[len - digits - 1] <= '9')
		digits++;
	return digits > 0 && digits <= PATH_DIGITS_MAX && digits < len &&
	                       name[len - digits - 1] == ':'
	               ? digits
	               : 0;
}

int exp_jit_find_source(struct exp_arena *arena, struct exp_function *function)
{
	static const char scheme[] = "file://";
	const char *name = function->name, *path = strstr(name, " /");
	size_t len = strlen(name), digits = number_before(name, len), before;

	if (!path && (path = strstr(name, " file:///")) != NULL)
		path += strlen(scheme);
	if (!path || digits == 0)
		return 0;
	path++;
	before = number_before(name, len - digits - 1);
	if (before != 0) { /* line and column */
		len -= digits + 1;
		digits = before;
	}
	if (path >= name + len - digits - 1)
		return 0;
	function->line = (unsigned)strtoul(name + len - digits, NULL, 10);
	function->source = exp_arena_text(arena, path, (size_t)(name + len - digits - 1 - path));
	return !function->source ? -ENOMEM : 0;
}

int exp_jit_say(struct experiment *experiment, const char *text)
{
	struct exp_info *info = &experiment->info;
	const char **lines = exp_arena_alloc(&experiment->arena,
	                                     (info->jit_note_count + 1) * sizeof(*lines));

	if (!lines || !text)
		return -ENOMEM;
	if (info->jit_note_count > 0)
		memcpy(lines, info->jit_notes, info->jit_note_count * sizeof(*lines));
	lines[info->jit_note_count++] = text;
	info->jit_notes = lines;
	return 0;
}
