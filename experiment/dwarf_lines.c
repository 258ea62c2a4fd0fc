/* dwarf_lines.c: keeps the line tables of an image, each read when it is first needed. */
#include "experiment/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>

static int is_offset(const void *item, const void *wanted)
{
	return ((const struct exp_dwarf_lines *)item)->offset == *(const uint64_t *)wanted;
}

/* Offset of a unit's table, and the unit's directory. Returns 0 or -1. */
static int find_offset(Dwarf_CU *cu, uint64_t *out, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (dwarf_cu_info(cu, NULL, NULL, die, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_attr(die, DW_AT_stmt_list, &attribute) == NULL || dwarf_formudata(&attribute, &offset) != 0)
		return -1;
	*out = offset;
	return 0;
}

struct exp_line_table *exp_dwarf_lines(struct exp_dwarf *dwarf, Dwarf_CU *cu)
{
	struct exp_dwarf_lines *known;
	uint64_t offset, hash;
	Dwarf_Die die;

	if (dwarf_cu_getdwarf(cu) != dwarf->dwarf || find_offset(cu, &offset, &die) != 0)
		return NULL;
	hash = exp_hash_number(EXP_HASH_START, offset);
	known = exp_hash_find(&dwarf->line_tables, hash, is_offset, &offset);
	if (known != NULL)
		return known->table;
	known = calloc(1, sizeof(*known));
	if (known == NULL)
		return NULL;
	known->offset = offset;
	exp_line_table_open(&dwarf->sections, offset, exp_dwarf_text(&die, DW_AT_comp_dir), &known->table);
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

/* The same by libdw. */
static const char *file_by_libdw(Dwarf_CU *cu, Dwarf_Word number)
{
	Dwarf_Die die;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_cu_info(cu, NULL, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles(&die, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

const char *exp_dwarf_file(struct exp_dwarf *dwarf, Dwarf_Attribute *attribute)
{
	struct exp_line_table *table;
	Dwarf_Word number;

	if (dwarf_formudata(attribute, &number) != 0)
		return NULL;
	table = exp_dwarf_lines(dwarf, attribute->cu);
	return table == NULL ? file_by_libdw(attribute->cu, number) : exp_line_table_file(table, (unsigned)number);
}
