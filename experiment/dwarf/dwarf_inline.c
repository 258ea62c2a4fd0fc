/* dwarf_inline.c: the tree of calls that were inlined in a function. It is read once for each
 * function that is hit, so that a lookup walks a small array and no DIEs. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/table/arena.h"

#include <string.h>

enum { CALLS_MAX = 1 << 20 };

uint32_t exp_dwarf_add_call(struct exp_dwarf *dwarf, const union exp_dwarf_entry *entry,
                            uint32_t parent)
{
	struct exp_dwarf_scratch *to = &dwarf->scratch;

	if (to->call_count >= CALLS_MAX ||
	    exp_array_reserve(&to->calls, &to->call_capacity, to->call_count, sizeof(*to->calls)) !=
	            0 ||
	    exp_array_reserve(&to->bounds, &to->bounds_capacity, to->call_count,
	                      sizeof(*to->bounds)) != 0)
		return UINT32_MAX;
	to->calls[to->call_count] = (struct exp_dwarf_call){
		.entry = *entry,
		.low = UINT64_MAX,
		.parent = parent,
		.first_range = (uint32_t)to->range_count};
	to->bounds[to->call_count].behind = (uint32_t)to->call_count + 1;
	return (uint32_t)to->call_count++;
}

int exp_dwarf_add_call_range(struct exp_dwarf *dwarf, Dwarf_Addr start, Dwarf_Addr end)
{
	struct exp_dwarf_scratch *to = &dwarf->scratch;
	struct exp_dwarf_call *call = &to->calls[to->call_count - 1];
	int rc = exp_array_reserve(&to->ranges, &to->range_capacity, to->range_count,
	                           sizeof(*to->ranges));

	if (rc != 0)
		return rc;
	to->ranges[to->range_count++] = (struct exp_dwarf_range){start, end};
	call->range_count++;
	call->low = start < call->low ? start : call->low;
	call->high = end > call->high ? end : call->high;
	return 0;
}

void exp_dwarf_end_call(struct exp_dwarf *dwarf, uint32_t index)
{
	dwarf->scratch.bounds[index].behind = (uint32_t)dwarf->scratch.call_count;
}

static uint32_t saturated(Dwarf_Addr value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Make the bounds of the calls. */
static void set_bounds(const struct exp_dwarf_scratch *scratch, struct exp_dwarf_function *function)
{
	function->lowest = UINT64_MAX;
	for (size_t i = 0; i < scratch->call_count; i++)
		if (scratch->calls[i].low < function->lowest)
			function->lowest = scratch->calls[i].low;
	for (size_t i = 0; i < scratch->call_count; i++) {
		const struct exp_dwarf_call *call = &scratch->calls[i];

		/* A call without code is nowhere. */
		scratch->bounds[i].low = call->range_count == 0
		                                 ? UINT32_MAX
		                                 : saturated(call->low - function->lowest);
		scratch->bounds[i].high = call->range_count == 0
		                                  ? 0
		                                  : saturated(call->high - function->lowest);
	}
}

/* Keep what was gathered. */
static void keep(struct exp_dwarf *dwarf, struct exp_dwarf_function *function)
{
	const struct exp_dwarf_scratch *from = &dwarf->scratch;

	function->calls = exp_arena_alloc(&dwarf->arena, from->call_count * sizeof(*from->calls));
	function->bounds = exp_arena_alloc(&dwarf->arena, from->call_count * sizeof(*from->bounds));
	function->ranges = exp_arena_alloc(&dwarf->arena,
	                                   from->range_count * sizeof(*from->ranges) + 1);
	if (!function->calls || !function->bounds || !function->ranges)
		return;
	set_bounds(from, function);
	memcpy(function->bounds, from->bounds, from->call_count * sizeof(*from->bounds));
	memcpy(function->calls, from->calls, from->call_count * sizeof(*from->calls));
	if (from->range_count != 0)
		memcpy(function->ranges, from->ranges, from->range_count * sizeof(*from->ranges));
	function->call_count = from->call_count;
	function->range_count = from->range_count;
}

void exp_dwarf_function_read(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                             struct exp_dwarf_function *function)
{
	struct exp_dwarf_scratch *scratch = &dwarf->scratch;

	if (function->is_read)
		return;
	function->is_read = 1;
	scratch->call_count = 0;
	scratch->range_count = 0;
	unit->reader->calls(dwarf, unit, function);
	if (scratch->call_count == 0)
		return;
	exp_dwarf_end_call(dwarf, 0);
	keep(dwarf, function);
}

static int holds(const struct exp_dwarf_function *function, const struct exp_dwarf_call *call,
                 Dwarf_Addr address)
{
	const struct exp_dwarf_range *range = function->ranges + call->first_range;

	for (uint32_t i = 0; i < call->range_count; i++)
		if (address >= range[i].start && address < range[i].end)
			return 1;
	return 0;
}

uint32_t exp_dwarf_call_at(const struct exp_dwarf_function *function, Dwarf_Addr address)
{
	uint32_t at = address < function->lowest ? UINT32_MAX
	                                         : saturated(address - function->lowest);
	uint32_t found = 0, next = 1;

	while (next < function->bounds[found].behind) {
		const struct exp_dwarf_bounds *bounds = &function->bounds[next];

		if (at >= bounds->low && (at < bounds->high || at == UINT32_MAX) &&
		    holds(function, &function->calls[next], address))
			found = next++;
		else
			next = bounds->behind;
	}
	return found;
}

struct exp_dwarf_described *exp_dwarf_describe(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                                               struct exp_dwarf_function *function, uint32_t index)
{
	struct exp_dwarf_call *call = &function->calls[index];

	if (call->described)
		return call->described;
	call->described = exp_arena_alloc(&dwarf->arena, sizeof(*call->described));
	if (!call->described)
		return NULL;
	unit->reader->describe(dwarf, unit, &call->entry, index != 0, call->described);
	call->described->callee.owner = &call->described->owner;
	return call->described;
}
