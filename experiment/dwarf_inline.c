/* dwarf_inline.c: the tree of calls that were inlined in a function. It is read once for each
 * function that is hit, so that a lookup walks a small array and no DIEs. */
#include "experiment/arena.h"
#include "experiment/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>

enum { DEPTH_MAX = 512, CALLS_MAX = 1 << 20 };

/* Add the ranges of a call's DIE. Returns 0 or -ENOMEM. */
static int add_ranges(struct exp_dwarf_function *function, struct exp_dwarf_call *call)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	call->first_range = (uint32_t)function->range_count;
	while ((at = dwarf_ranges(&call->die, at, &base, &start, &end)) > 0) {
		int rc = exp_array_reserve(&function->ranges, &function->range_capacity,
					   function->range_count, sizeof(*function->ranges));

		if (rc != 0)
			return rc;
		function->ranges[function->range_count++] = (struct exp_dwarf_range){start, end};
	}
	call->range_count = (uint32_t)function->range_count - call->first_range;
	return 0;
}

/* Add a call. Returns its index, or UINT32_MAX: out of memory, or too many. */
static uint32_t add_call(struct exp_dwarf_function *function, const Dwarf_Die *die, uint32_t parent)
{
	struct exp_dwarf_call *call;

	if (function->call_count >= CALLS_MAX ||
	    exp_array_reserve(&function->calls, &function->call_capacity, function->call_count,
			      sizeof(*function->calls)) != 0)
		return UINT32_MAX;
	call = &function->calls[function->call_count];
	*call = (struct exp_dwarf_call){.die = *die, .parent = parent};
	if (add_ranges(function, call) != 0)
		return UINT32_MAX;
	return (uint32_t)function->call_count++;
}

/* Add the calls below a DIE. Blocks stand between calls and mean nothing here. */
static void gather(struct exp_dwarf_function *function, Dwarf_Die *parent, uint32_t outer, int depth)
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
			at = add_call(function, &die, outer);
		if (at == UINT32_MAX)
			return;
		gather(function, &die, at, depth + 1);
		if (at != outer)
			function->calls[at].behind = (uint32_t)function->call_count;
	} while (dwarf_siblingof(&die, &die) == 0);
}

void exp_dwarf_function_read(struct exp_dwarf_function *function)
{
	if (function->is_read)
		return;
	function->is_read = 1;
	if (add_call(function, &function->die, 0) != 0)
		return;
	gather(function, &function->die, 0, 0);
	function->calls[0].behind = (uint32_t)function->call_count;
}

void exp_dwarf_function_free(struct exp_dwarf_function *function)
{
	free(function->calls);
	free(function->ranges);
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

	frame->name = dwarf_diename(die);
	frame->linkage_name = exp_dwarf_text(die, DW_AT_linkage_name);
	if (frame->linkage_name == NULL)
		frame->linkage_name = exp_dwarf_text(die, DW_AT_MIPS_linkage_name);
	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) != NULL)
		frame->decl_file = exp_dwarf_file(dwarf, &attribute);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		frame->decl_line = (unsigned)line;
}

/* Where an inlined function was called. */
static void find_place(struct exp_dwarf *dwarf, struct exp_dwarf_call *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_attr(&call->die, DW_AT_call_line, &attribute) != NULL &&
	    dwarf_formudata(&attribute, &number) == 0)
		call->line = (unsigned)number;
	if (dwarf_attr(&call->die, DW_AT_call_file, &attribute) != NULL)
		call->file = exp_dwarf_file(dwarf, &attribute);
}

const struct exp_dwarf_call *exp_dwarf_call(struct exp_dwarf *dwarf, struct exp_dwarf_function *function,
					    uint32_t index)
{
	struct exp_dwarf_call *call = &function->calls[index];

	if (!call->is_described) {
		describe(dwarf, &call->die, &call->callee);
		if (index != 0)
			find_place(dwarf, call);
		call->is_described = 1;
	}
	return call;
}
