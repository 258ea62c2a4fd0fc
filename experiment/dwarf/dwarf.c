/* dwarf.c: looks up addresses in debug information, and returns what is known of a compilation.
 * See doc/decisions/20-debug-entries.md. */
#include "experiment/dwarf/dwarf.h"

#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/elf/binary.h"
#include "experiment/table/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int exp_dwarf_open(struct exp_binary *binary, struct exp_dwarf **out)
{
	struct exp_dwarf *dwarf = exp_zeroed(1, sizeof(*dwarf));
	int rc;

	*out = NULL;
	if (!dwarf)
		return -ENOMEM;
	dwarf->binary = binary;
	rc = exp_dwarf_die_open(dwarf);
	if (rc == -ENOTSUP && exp_dwarf_libdw(dwarf)) {
		exp_line_sections_find(dwarf_getelf(dwarf->dwarf), &dwarf->sections);
		rc = 0;
	}
	if (rc == 0)
		*out = dwarf;
	else
		free(dwarf);
	return rc == -ENOTSUP ? 0 : rc;
}

void exp_dwarf_close(struct exp_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->unit_count; i++)
		exp_dwarf_unit_free(dwarf->units[i]);
	exp_dwarf_lines_free(dwarf);
	exp_dwarf_die_close(dwarf);
	exp_dwarf_package_close(dwarf->package);
	free(dwarf->units);
	free(dwarf->index.of);
	free(dwarf->ranges.of);
	free(dwarf->scratch.calls);
	free(dwarf->scratch.bounds);
	free(dwarf->scratch.ranges);
	exp_arena_fini(&dwarf->arena);
	free(dwarf);
}

/* The frames at an address of a function, innermost first. Returns their number. */
static int chain(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                 struct exp_dwarf_function *function, Dwarf_Addr at,
                 struct exp_dwarf_frame frames[EXP_DWARF_FRAMES])
{
	uint32_t index = exp_dwarf_call_at(function, at);
	const char *file = NULL;
	unsigned line = 0;
	int count = 0;

	for (;;) {
		const struct exp_dwarf_described *described = exp_dwarf_describe(dwarf, unit,
		                                                                 function, index);

		if (!described)
			return count;
		frames[count] = described->callee;
		frames[count].file = file;
		frames[count].line = line;
		file = described->file;
		line = described->line;
		count++;
		if (index == 0)
			return count;
		/* Of more calls than there is room for, the outer ones stay away, but for the last.
		 */
		index = count < EXP_DWARF_FRAMES - 1 ? function->calls[index].parent : 0;
	}
}

static int look_up(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit, Dwarf_Addr at,
                   struct exp_dwarf_frame frames[EXP_DWARF_FRAMES])
{
	const struct exp_dwarf_code *code = exp_dwarf_code_at(unit, at);
	struct exp_dwarf_function *function = !code ? NULL : &unit->functions[code->function];
	int count;

	if (!function)
		return 0;
	exp_dwarf_function_read(dwarf, unit, function);
	count = function->call_count == 0 ? 0 : chain(dwarf, unit, function, at, frames);
	if (count > 0) {
		frames[count - 1].start = code->start - dwarf->bias;
		frames[count - 1].end = code->end - dwarf->bias;
	}
	return count;
}

/* A function that was split in parts is inlined in itself: show it once, where its inner part
 * executes. */
static int join_parts(struct exp_dwarf_frame *frames, int count)
{
	while (count > 1) {
		struct exp_dwarf_frame *outer = &frames[count - 1];
		struct exp_dwarf_frame *inner = &frames[count - 2];

		if (outer->decl_line == 0 || inner->decl_line != outer->decl_line ||
		    !inner->decl_file || !outer->decl_file ||
		    strcmp(inner->decl_file, outer->decl_file) != 0)
			break;
		outer->file = inner->file;
		outer->line = inner->line;
		*inner = *outer;
		count--;
	}
	return count;
}

int exp_dwarf_lookup(struct exp_dwarf *dwarf, uint64_t address,
                     struct exp_dwarf_frame frames[EXP_DWARF_FRAMES])
{
	Dwarf_Addr at = address + dwarf->bias;
	struct exp_dwarf_unit *unit = exp_dwarf_unit_at(dwarf, at);
	int count = !unit ? 0 : join_parts(frames, look_up(dwarf, unit, at, frames));

	for (int i = 0; i < count; i++)
		frames[i].directory = unit->directory;
	return count;
}

int exp_dwarf_line(struct exp_dwarf *dwarf, uint64_t address, const char **directory,
                   const char **file, unsigned *line)
{
	Dwarf_Addr at = address + dwarf->bias;
	struct exp_dwarf_unit *unit = exp_dwarf_unit_at(dwarf, at);
	struct exp_line_table *table = NULL;
	unsigned number;

	*directory = !unit ? NULL : unit->directory;
	*file = NULL;
	*line = 0;
	if (unit && unit->stmt_list != UINT64_MAX)
		table = exp_dwarf_lines(dwarf, unit->stmt_list, unit->directory);
	if (unit && !table)
		exp_dwarf_libdw_line(dwarf, unit, at, file, line);
	else if (table && exp_line_table_find(table, at, &number, line) == 0)
		*file = exp_line_table_file(table, number);
	else
		*line = 0;
	return *line != 0 ? 0 : -ENOENT;
}

int exp_dwarf_compilation(struct exp_dwarf *dwarf, uint64_t address,
                          struct exp_dwarf_compilation *out)
{
	struct exp_dwarf_unit *unit = exp_dwarf_unit_at(dwarf, address + dwarf->bias);

	if (!unit)
		return -ENOENT;
	*out = (struct exp_dwarf_compilation){.directory = unit->directory, .unit = unit->offset};
	unit->reader->compilation(dwarf, unit, out);
	return 0;
}

const uint8_t *exp_dwarf_source_sum(struct exp_dwarf *dwarf, uint64_t address, const char *file)
{
	struct exp_dwarf_unit *unit = exp_dwarf_unit_at(dwarf, address + dwarf->bias);
	struct exp_line_table *table = !unit || unit->stmt_list == UINT64_MAX
	                                       ? NULL
	                                       : exp_dwarf_lines(dwarf, unit->stmt_list,
	                                                         unit->directory);

	for (unsigned i = 0; table && i < exp_line_table_file_end(table); i++) {
		const char *name = exp_line_table_file(table, i);

		if (name && exp_line_table_md5(table, i) && strcmp(name, file) == 0)
			return exp_line_table_md5(table, i);
	}
	return NULL;
}

/* Where a function itself begins: its first range, for a cold part may have a lower address. */
static Dwarf_Addr beginning(const struct exp_dwarf_function *function)
{
	return function->calls[0].range_count == 0
	               ? 0
	               : function->ranges[function->calls[0].first_range].start;
}

static int note_function(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                         struct exp_dwarf_function *function,
                         int (*take)(void *context, const struct exp_dwarf_note *note),
                         void *context)
{
	int rc = 0;

	exp_dwarf_function_read(dwarf, unit, function);
	for (uint32_t i = 0; i < function->call_count && rc == 0; i++) {
		const struct exp_dwarf_described *described = exp_dwarf_describe(dwarf, unit,
		                                                                 function, i);
		struct exp_dwarf_note note = {.directory = unit->directory};

		if (!described)
			return -ENOMEM;
		note.callee = &described->callee;
		note.function = &function->calls[0].described->callee;
		note.file = described->file;
		note.line = described->line;
		note.function_address = beginning(function) - dwarf->bias;
		note.address = i == 0 ? note.function_address
		                      : function->calls[i].low - dwarf->bias;
		rc = take(context, &note);
	}
	return rc;
}

int exp_dwarf_each_note(struct exp_dwarf *dwarf, uint64_t address,
                        int (*take)(void *context, const struct exp_dwarf_note *note),
                        void *context)
{
	struct exp_dwarf_unit *unit = exp_dwarf_unit_at(dwarf, address + dwarf->bias);
	int rc = 0;

	for (size_t i = 0; unit && i < unit->function_count && rc == 0; i++)
		rc = note_function(dwarf, unit, &unit->functions[i], take, context);
	return rc;
}
