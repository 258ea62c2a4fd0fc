/* dwarf_gather.c: collects what the readers of units report: code ranges of units, and the
 * functions of a unit with their ranges. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/table/arena.h"
#include "experiment/table/search.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

int exp_dwarf_ranges_add(struct exp_dwarf_ranges *ranges, Dwarf_Addr start, Dwarf_Addr end,
                         Dwarf_Off unit)
{
	if (exp_array_reserve(&ranges->of, &ranges->capacity, ranges->count, sizeof(*ranges->of)) !=
	    0)
		return -ENOMEM;
	ranges->of[ranges->count++] = (struct exp_dwarf_unit_range){start, end, unit};
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct exp_dwarf_unit_range *x = a;
	const struct exp_dwarf_unit_range *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void exp_dwarf_ranges_sort(struct exp_dwarf_ranges *ranges)
{
	if (ranges->count > 1)
		qsort(ranges->of, ranges->count, sizeof(*ranges->of), compare_ranges);
	ranges->is_made = 1;
}

int exp_dwarf_ranges_find(const struct exp_dwarf_ranges *ranges, Dwarf_Addr address, Dwarf_Off *out)
{
	size_t low = exp_count_up_to(ranges->of, ranges->count, sizeof(*ranges->of), address);

	if (low == 0 || ranges->of[low - 1].end <= address)
		return -ENOENT;
	*out = ranges->of[low - 1].unit;
	return 0;
}

int exp_dwarf_is_scope(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return 1;
	default:
		return 0;
	}
}

int exp_dwarf_add_code(struct exp_dwarf_unit *unit, Dwarf_Addr start, Dwarf_Addr end)
{
	if (start >= end)
		return 0;
	if (exp_array_reserve(&unit->codes, &unit->code_capacity, unit->code_count,
	                      sizeof(*unit->codes)) != 0)
		return -ENOMEM;
	unit->codes[unit->code_count++] = (struct exp_dwarf_code){start, end, unit->function_count};
	return 0;
}

int exp_dwarf_add_function(struct exp_dwarf_unit *unit, const union exp_dwarf_entry *entry)
{
	if (unit->code_count == 0 ||
	    unit->codes[unit->code_count - 1].function != unit->function_count)
		return 0;
	if (exp_array_reserve(&unit->functions, &unit->function_capacity, unit->function_count,
	                      sizeof(*unit->functions)) != 0) {
		while (unit->code_count > 0 &&
		       unit->codes[unit->code_count - 1].function == unit->function_count)
			unit->code_count--;
		return -ENOMEM;
	}
	unit->functions[unit->function_count++] = (struct exp_dwarf_function){.entry = *entry};
	return 0;
}
