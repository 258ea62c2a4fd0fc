/* dwarf_unit.c: finds the compilation unit at an address, and keeps the bounds of its functions,
 * which a reader tells once. */
#include "experiment/dwarf/dwarf_unit.h"

#include "experiment/base/arena.h"
#include "experiment/base/search.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* A unit that neither reader can read is one without functions. */
static struct exp_dwarf_unit *make_unit(struct exp_dwarf *dwarf, Dwarf_Off offset)
{
	struct exp_dwarf_unit *unit = exp_zeroed(1, sizeof(*unit));

	if (!unit)
		return NULL;
	if ((!dwarf->dies || exp_dwarf_die_unit(dwarf, offset, unit) != 0) &&
	    exp_dwarf_libdw_unit(dwarf, offset, unit) != 0) {
		free(unit);
		return NULL;
	}
	unit->offset = offset;
	unit->reader->functions(dwarf, unit);
	if (unit->code_count > 1)
		qsort(unit->codes, unit->code_count, sizeof(*unit->codes), compare_codes);
	return unit;
}

static int find_unit(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Off *out)
{
	return dwarf->dies ? exp_dwarf_die_find(dwarf, address, out)
	                   : exp_dwarf_libdw_find(dwarf, address, out);
}

struct exp_dwarf_unit *exp_dwarf_unit_at(struct exp_dwarf *dwarf, Dwarf_Addr address)
{
	Dwarf_Off offset;
	struct exp_dwarf_unit *unit;
	size_t at;

	if (find_unit(dwarf, address, &offset) != 0)
		return NULL;
	at = unit_position(dwarf, offset);
	if (at < dwarf->unit_count && dwarf->units[at]->offset == offset)
		return dwarf->units[at];
	if (exp_array_reserve(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count,
	                      sizeof(struct exp_dwarf_unit *)) != 0)
		return NULL;
	unit = make_unit(dwarf, offset);
	if (!unit)
		return NULL;
	memmove(&dwarf->units[at + 1], &dwarf->units[at],
	        (dwarf->unit_count - at) * sizeof(struct exp_dwarf_unit *));
	dwarf->units[at] = unit;
	dwarf->unit_count++;
	return unit;
}

void exp_dwarf_unit_free(struct exp_dwarf_unit *unit)
{
	exp_line_table_close(unit->files);
	free(unit->functions);
	free(unit->codes);
	free(unit);
}

const struct exp_dwarf_code *exp_dwarf_code_at(const struct exp_dwarf_unit *unit,
                                               Dwarf_Addr address)
{
	size_t low = exp_count_up_to(unit->codes, unit->code_count, sizeof(*unit->codes), address);

	return low > 0 && address < unit->codes[low - 1].end ? &unit->codes[low - 1] : NULL;
}
