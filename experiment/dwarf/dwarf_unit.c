/* dwarf_unit.c: finds the compilation unit at an address, and keeps the bounds of its functions,
 * which are read once. */
#include "experiment/dwarf/dwarf_unit.h"

#include "experiment/table/arena.h"
#include "experiment/table/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* A unit that neither reader can read counts as a unit without functions. */
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
