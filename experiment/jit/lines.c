/* lines.c: source lines of JIT functions: from the files that describe them, or from dyntext. */
#include "experiment/jit/lines.h"

#include "experiment/base/internal.h"
#include "format/layout.h"

#include <unistd.h>

enum { TEXT_ALIGNMENT = 8, LINES_AT_ONCE = 512 };

/* The row of a line table in memory that holds for an offset; NULL: none does. */
static const struct exp_function_line *find_line(const struct exp_function *function,
                                                 uint64_t offset)
{
	size_t low = 0, high = !function->lines ? 0 : function->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (function->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : &function->lines[low - 1];
}

/* A row of a line table, as it is in the file. */
struct line {
	uint32_t offset, line;
};

static unsigned line_in_dyntext(const struct experiment *experiment,
                                const struct exp_function *function, uint64_t pc)
{
	int fd = function->has_text && function->line_count != 0
	                 ? exp_own_file_open(experiment, FMT_FILE_DYNTEXT)
	                 : -1;
	uint64_t at = (function->text_offset + function->size + TEXT_ALIGNMENT - 1) &
	              ~(uint64_t)(TEXT_ALIGNMENT - 1);
	struct line lines[LINES_AT_ONCE];
	unsigned found = 0;
	int more = 1;

	if (fd < 0 || at > INT64_MAX / 2)
		more = 0;
	for (uint64_t i = 0; more && i < function->line_count;) {
		uint64_t left = function->line_count - i,
			 wanted = left < LINES_AT_ONCE ? left : LINES_AT_ONCE;
		ssize_t got = pread(fd, lines, wanted * sizeof(*lines),
		                    (off_t)(at + i * sizeof(*lines)));
		size_t count = got > 0 ? (size_t)got / sizeof(*lines) : 0;

		more = count == wanted;
		for (size_t k = 0; k < count; k++) {
			if (lines[k].offset > pc - function->address) {
				more = 0;
				break;
			}
			found = lines[k].line;
		}
		i += count;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

unsigned experiment_function_line(const struct experiment *experiment,
                                  const struct exp_function *function, uint64_t pc)
{
	const struct exp_function_line *line = find_line(function, pc - function->address);

	if (function->origin == EXP_ORIGIN_ANNOUNCED)
		return line_in_dyntext(experiment, function, pc);
	return !line ? 0 : line->line;
}

const char *exp_function_file(const struct exp_function *function, uint64_t pc)
{
	const struct exp_function_line *line = find_line(function, pc - function->address);

	return !line || !line->file ? function->source : line->file;
}
