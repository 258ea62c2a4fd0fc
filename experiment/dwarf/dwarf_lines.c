/* dwarf_lines.c: keeps the line tables of a binary, each read when it is first needed.
 * See doc/decisions/19-line-tables.md. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/table/arena.h"

#include <stdlib.h>
#include <string.h>

static int is_offset(const void *item, const void *wanted)
{
	return ((const struct exp_dwarf_lines *)item)->offset == *(const uint64_t *)wanted;
}

/* Have the bytes of a table, and the strings that it may name. */
static void want_table(struct exp_dwarf *dwarf, uint64_t offset)
{
	enum { LENGTH_SIZE = 12 };
	struct exp_debug_section *of = dwarf->debug_sections.of;
	struct exp_debug_section *line = &of[EXP_DEBUG_LINE];
	uint64_t length;
	uint32_t word;

	exp_debug_want(&of[EXP_DEBUG_LINE_STR], of[EXP_DEBUG_LINE_STR].size);
	exp_debug_want(&of[EXP_DEBUG_STR], of[EXP_DEBUG_STR].size);
	if (offset > UINT64_MAX / 4 || exp_debug_want(line, offset + LENGTH_SIZE) != 0)
		return;
	memcpy(&word, line->bytes + offset, sizeof(word));
	length = word;
	if (word == 0xffffffff)
		memcpy(&length, line->bytes + offset + sizeof(word), sizeof(length));
	exp_debug_want(line, length > line->size - offset - LENGTH_SIZE
	                             ? line->size
	                             : offset + LENGTH_SIZE + length);
}

static struct exp_line_section whole(const struct exp_debug_section *section)
{
	return (struct exp_line_section){section->bytes, section->ready};
}

/* The sections as far as they are there: what is asked for lies in that. */
static void find_sections(struct exp_dwarf *dwarf, uint64_t offset)
{
	const struct exp_debug_section *of = dwarf->debug_sections.of;

	want_table(dwarf, offset);
	dwarf->sections.line = whole(&of[EXP_DEBUG_LINE]);
	dwarf->sections.line_str = whole(&of[EXP_DEBUG_LINE_STR]);
	dwarf->sections.str = whole(&of[EXP_DEBUG_STR]);
	dwarf->sections.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

struct exp_line_table *exp_dwarf_lines(struct exp_dwarf *dwarf, uint64_t offset,
                                       const char *directory)
{
	uint64_t hash = exp_hash_number(EXP_HASH_START, offset);
	struct exp_dwarf_lines *known = exp_hash_find(&dwarf->line_tables, hash, is_offset,
	                                              &offset);

	if (known)
		return known->table;
	known = exp_zeroed(1, sizeof(*known));
	if (!known)
		return NULL;
	known->offset = offset;
	if (dwarf->dies)
		find_sections(dwarf, offset);
	exp_line_table_open(&dwarf->sections, offset, directory, &known->table);
	if (exp_hash_add(&dwarf->line_tables, hash, known) != 0) {
		exp_line_table_close(known->table);
		free(known);
		return NULL;
	}
	return known->table;
}

static void free_lines(void *item)
{
	struct exp_dwarf_lines *lines = item;

	exp_line_table_close(lines->table);
	free(lines);
}

void exp_dwarf_lines_free(struct exp_dwarf *dwarf)
{
	exp_hash_each(&dwarf->line_tables, free_lines);
	exp_hash_fini(&dwarf->line_tables);
}
