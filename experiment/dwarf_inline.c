/* dwarf_inline.c: the tree of calls that were inlined in a function. It is read once for each
 * function that is hit, so that a lookup walks a small array and no DIEs. */
#include "experiment/arena.h"
#include "experiment/dwarf_unit.h"

#include <dwarf.h>
#include <string.h>

enum { DEPTH_MAX = 512, CALLS_MAX = 1 << 20 };

/* Add the ranges of a call's DIE. Returns 0 or -ENOMEM. */
static int add_ranges(struct exp_dwarf_scratch *to, struct exp_dwarf_call *call)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	call->first_range = (uint32_t)to->range_count;
	call->low = UINT64_MAX;
	while ((at = dwarf_ranges(&call->die, at, &base, &start, &end)) > 0) {
		int rc = exp_array_reserve(&to->ranges, &to->range_capacity, to->range_count, sizeof(*to->ranges));

		if (rc != 0)
			return rc;
		to->ranges[to->range_count++] = (struct exp_dwarf_range){start, end};
		call->low = start < call->low ? start : call->low;
		call->high = end > call->high ? end : call->high;
	}
	call->range_count = (uint32_t)to->range_count - call->first_range;
	return 0;
}

/* Add a call. Returns its index, or UINT32_MAX: out of memory, or too many. */
static uint32_t add_call(struct exp_dwarf_scratch *to, const Dwarf_Die *die, uint32_t parent)
{
	struct exp_dwarf_call *call;

	if (to->call_count >= CALLS_MAX ||
	    exp_array_reserve(&to->calls, &to->call_capacity, to->call_count, sizeof(*to->calls)) != 0)
		return UINT32_MAX;
	call = &to->calls[to->call_count];
	*call = (struct exp_dwarf_call){.die = *die, .parent = parent, .behind = (uint32_t)to->call_count + 1};
	if (add_ranges(to, call) != 0)
		return UINT32_MAX;
	return (uint32_t)to->call_count++;
}

/* Add the calls below a DIE. Blocks stand between calls and mean nothing here. */
static void gather(struct exp_dwarf_scratch *to, Dwarf_Die *parent, uint32_t outer, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		uint32_t at = outer;
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			at = add_call(to, &die, outer);
		if (at == UINT32_MAX)
			return;
		gather(to, &die, at, depth + 1);
		if (at != outer)
			to->calls[at].behind = (uint32_t)to->call_count;
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Keep what was gathered. */
static void keep(struct exp_dwarf *dwarf, struct exp_dwarf_function *function)
{
	const struct exp_dwarf_scratch *from = &dwarf->scratch;

	function->calls = exp_arena_alloc(&dwarf->arena, from->call_count * sizeof(*from->calls));
	function->ranges = exp_arena_alloc(&dwarf->arena, from->range_count * sizeof(*from->ranges) + 1);
	if (function->calls == NULL || function->ranges == NULL)
		return;
	memcpy(function->calls, from->calls, from->call_count * sizeof(*from->calls));
	if (from->range_count != 0)
		memcpy(function->ranges, from->ranges, from->range_count * sizeof(*from->ranges));
	function->call_count = from->call_count;
	function->range_count = from->range_count;
}

void exp_dwarf_function_read(struct exp_dwarf *dwarf, struct exp_dwarf_function *function)
{
	struct exp_dwarf_scratch *scratch = &dwarf->scratch;

	if (function->is_read)
		return;
	function->is_read = 1;
	scratch->call_count = 0;
	scratch->range_count = 0;
	if (add_call(scratch, &function->die, 0) != 0)
		return;
	gather(scratch, &function->die, 0, 0);
	scratch->calls[0].behind = (uint32_t)scratch->call_count;
	keep(dwarf, function);
}

static int holds(const struct exp_dwarf_function *function, const struct exp_dwarf_call *call,
		 Dwarf_Addr address)
{
	const struct exp_dwarf_range *range = function->ranges + call->first_range;

	if (address < call->low || address >= call->high)
		return 0;
	for (uint32_t i = 0; i < call->range_count; i++)
		if (address >= range[i].start && address < range[i].end)
			return 1;
	return 0;
}

uint32_t exp_dwarf_call_at(const struct exp_dwarf_function *function, Dwarf_Addr address)
{
	uint32_t found = 0, at = 1;

	while (at < function->calls[found].behind) {
		if (holds(function, &function->calls[at], address))
			found = at++;
		else
			at = function->calls[at].behind;
	}
	return found;
}

const char *exp_dwarf_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) == NULL ? NULL : dwarf_formstring(&attribute);
}

static void describe(struct exp_dwarf *dwarf, Dwarf_Die *die, struct exp_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	int line;

	frame->linkage_name = exp_dwarf_text(die, DW_AT_linkage_name);
	if (frame->linkage_name == NULL)
		frame->linkage_name = exp_dwarf_text(die, DW_AT_MIPS_linkage_name);
	if (frame->linkage_name == NULL)
		frame->name = dwarf_diename(die);
	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) != NULL)
		frame->decl_file = exp_dwarf_file(dwarf, &attribute);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		frame->decl_line = (unsigned)line;
}

/* Where an inlined function was called. */
static void find_place(struct exp_dwarf *dwarf, Dwarf_Die *die, struct exp_dwarf_described *described)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr(die, DW_AT_call_line, &attribute) != NULL && dwarf_formudata(&attribute, &number) == 0)
		described->line = (unsigned)number;
	if (dwarf_attr(die, DW_AT_call_file, &attribute) != NULL)
		described->file = exp_dwarf_file(dwarf, &attribute);
}

struct exp_dwarf_described *exp_dwarf_describe(struct exp_dwarf *dwarf, struct exp_dwarf_function *function,
					       uint32_t index)
{
	struct exp_dwarf_call *call = &function->calls[index];

	if (call->described != NULL)
		return call->described;
	call->described = exp_arena_alloc(&dwarf->arena, sizeof(*call->described));
	if (call->described == NULL)
		return NULL;
	describe(dwarf, &call->die, &call->described->callee);
	call->described->callee.owner = &call->described->owner;
	if (index != 0)
		find_place(dwarf, &call->die, call->described);
	return call->described;
}
