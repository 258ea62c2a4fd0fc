/* kernelmap.c: the functions of the kernel; see addressmap.h.
 * See doc/decisions/106-kernel-frames.md. */
#include "experiment/base/addressmap.h"

#include "experiment/base/internal.h"
#include "experiment/table/search.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 600, FUNCTIONS_MAX = 1 << 20 };

/* A number of 1 to 16 digits and the blank behind it. Returns 0 or -EBADMSG. */
static int take_hex(const char **at, const char *end, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	const char *begin = *at, *digit;

	*out = 0;
	for (; *at < end && **at != ' '; ++*at) {
		digit = **at == '\0' ? NULL : strchr(digits, **at);
		if (!digit || *at - begin == 16)
			return -EBADMSG;
		*out = *out << 4 | (uint64_t)(digit - digits);
	}
	if (*at == begin || *at == end)
		return -EBADMSG;
	++*at;
	return 0;
}

/* "NAME" or "NAME MODULE" as it is shown. Returns NULL if there is none, or without memory. */
static const char *shown_name(struct exp_arena *arena, const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at)), *name_end = blank ? blank : end;

	if (name_end == at || (blank && blank + 1 == end) || end - at > NAME_BYTES ||
	    memchr(at, '\0', (size_t)(end - at)) ||
	    (blank && memchr(blank + 1, ' ', (size_t)(end - blank - 1))))
		return NULL;
	return !blank ? exp_arena_text(arena, at, (size_t)(end - at))
	              : exp_arena_printf(arena, "%.*s [%.*s]", (int)(blank - at), at,
	                                 (int)(end - blank - 1), blank + 1);
}

static int take_line(struct experiment *experiment, const char *at, const char *end)
{
	struct exp_kernel_function function = {0};

	if (take_hex(&at, end, &function.start) != 0 || take_hex(&at, end, &function.end) != 0 ||
	    !fmt_pc_is_kernel(function.start) || function.end <= function.start ||
	    experiment->kernel_count == FUNCTIONS_MAX)
		return -EBADMSG;
	function.name = shown_name(&experiment->arena, at, end);
	if (!function.name)
		return exp_memory_lacked() ? -ENOMEM : -EBADMSG;
	if (exp_array_reserve(&experiment->kernel, &experiment->kernel_capacity,
	                      experiment->kernel_count, sizeof(function)) != 0)
		return -ENOMEM;
	experiment->kernel[experiment->kernel_count++] = function;
	return 0;
}

int exp_kernel_take(struct experiment *experiment, const char *text, size_t size)
{
	const char *end = text + size, *line_end;
	int rc = 0, line;

	for (const char *at = text; (line_end = memchr(at, '\n', (size_t)(end - at)));
	     at = line_end + 1) {
		line = take_line(experiment, at, line_end);
		if (line == -ENOMEM)
			return line;
		rc = line != 0 ? line : rc;
	}
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct exp_kernel_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int exp_kernel_finish(struct experiment *experiment)
{
	/* Even if no function was met. */
	if (exp_array_reserve(&experiment->kernel, &experiment->kernel_capacity,
	                      experiment->kernel_count, sizeof(*experiment->kernel)) != 0)
		return -ENOMEM;
	qsort(experiment->kernel, experiment->kernel_count, sizeof(*experiment->kernel), compare);
	return 0;
}

const struct exp_kernel_function *exp_kernel_at(const struct experiment *experiment, uint64_t pc)
{
	size_t before = exp_count_up_to(experiment->kernel, experiment->kernel_count,
	                                sizeof(*experiment->kernel), pc);

	return before > 0 && pc < experiment->kernel[before - 1].end
	               ? &experiment->kernel[before - 1]
	               : NULL;
}
