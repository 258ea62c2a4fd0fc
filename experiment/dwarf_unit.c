/* dwarf_unit.c: finds the compilation unit at an address, and gathers the bounds of its functions
 * once. Units may be split: then the skeleton in the object has the addresses and lines, and a
 * .dwo file has the functions. */
#include "experiment/dwarf_unit.h"

#include "experiment/arena.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 32 }; /* of namespaces and types around a function */

static int compare_ranges(const void *a, const void *b)
{
	const struct exp_dwarf_unit_range *x = a;
	const struct exp_dwarf_unit_range *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void make_ranges(struct exp_dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	dwarf->ranges_made = 1;
	while (dwarf_get_units(dwarf->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0) {
			if (exp_array_reserve(&dwarf->ranges, &dwarf->range_capacity,
					      dwarf->range_count, sizeof(*dwarf->ranges)) != 0)
				break;
			dwarf->ranges[dwarf->range_count++] =
			    (struct exp_dwarf_unit_range){start, end, dwarf_dieoffset(&die)};
		}
	}
	if (dwarf->range_count > 1)
		qsort(dwarf->ranges, dwarf->range_count, sizeof(*dwarf->ranges), compare_ranges);
}

static int find_in_ranges(const struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *out)
{
	size_t low = 0, high = dwarf->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || dwarf->ranges[low - 1].end <= address)
		return -ENOENT;
	return dwarf_offdie(dwarf->dwarf, dwarf->ranges[low - 1].unit, out) == NULL ? -ENOENT : 0;
}

static int find_unit_die(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *out)
{
	if (dwarf_addrdie(dwarf->dwarf, address, out) != NULL)
		return 0;
	if (!dwarf->ranges_made)
		make_ranges(dwarf);
	return find_in_ranges(dwarf, address, out);
}

static int add_function(struct exp_dwarf_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t codes = unit->code_count;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end)
			break;
		if (exp_array_reserve(&unit->codes, &unit->code_capacity, unit->code_count,
				      sizeof(*unit->codes)) != 0)
			return -ENOMEM;
		unit->codes[unit->code_count++] =
		    (struct exp_dwarf_code){start, end, unit->function_count};
	}
	if (codes == unit->code_count)
		return 0;
	if (exp_array_reserve(&unit->functions, &unit->function_capacity, unit->function_count,
			      sizeof(*unit->functions)) != 0) {
		unit->code_count = codes;
		return -ENOMEM;
	}
	unit->functions[unit->function_count++] = (struct exp_dwarf_function){.die = *die};
	return 0;
}

/* Gather the functions below a DIE. Rust puts them into namespaces and types. */
static void gather_functions(struct exp_dwarf_unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (add_function(unit, &die) != 0)
				return;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			gather_functions(unit, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int compare_codes(const void *a, const void *b)
{
	const struct exp_dwarf_code *x = a;
	const struct exp_dwarf_code *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Index of the first unit at or behind an offset. */
static size_t unit_position(const struct exp_dwarf *dwarf, Dwarf_Off offset)
{
	size_t low = 0, high = dwarf->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->units[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct exp_dwarf_unit *make_unit(const Dwarf_Die *die, Dwarf_Off offset)
{
	struct exp_dwarf_unit *unit = calloc(1, sizeof(*unit));
	uint8_t type;
	Dwarf_Die split;

	if (unit == NULL)
		return NULL;
	unit->offset = offset;
	unit->die = *die;
	unit->content = *die;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton &&
	    dwarf_cu_info(die->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
	    dwarf_tag(&split) == DW_TAG_compile_unit)
		unit->content = split;
	gather_functions(unit, &unit->content, 0);
	if (unit->code_count > 1)
		qsort(unit->codes, unit->code_count, sizeof(*unit->codes), compare_codes);
	return unit;
}

struct exp_dwarf_unit *exp_dwarf_unit_at(struct exp_dwarf *dwarf, Dwarf_Addr address)
{
	Dwarf_Die die;
	Dwarf_Off offset;
	struct exp_dwarf_unit *unit;
	size_t at;

	if (find_unit_die(dwarf, address, &die) != 0)
		return NULL;
	offset = dwarf_dieoffset(&die);
	at = unit_position(dwarf, offset);
	if (at < dwarf->unit_count && dwarf->units[at]->offset == offset)
		return dwarf->units[at];
	if (exp_array_reserve(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count,
			      sizeof(struct exp_dwarf_unit *)) != 0)
		return NULL;
	unit = make_unit(&die, offset);
	if (unit == NULL)
		return NULL;
	memmove(&dwarf->units[at + 1], &dwarf->units[at],
		(dwarf->unit_count - at) * sizeof(struct exp_dwarf_unit *));
	dwarf->units[at] = unit;
	dwarf->unit_count++;
	return unit;
}

void exp_dwarf_unit_free(struct exp_dwarf_unit *unit)
{
	free(unit->functions);
	free(unit->codes);
	free(unit);
}

const struct exp_dwarf_code *exp_dwarf_code_at(const struct exp_dwarf_unit *unit, Dwarf_Addr address)
{
	size_t low = 0, high = unit->code_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < unit->codes[low - 1].end ? &unit->codes[low - 1] : NULL;
}
