/* dwarf.c: looks up addresses in debug information by libdw. For every compilation unit that is
 * hit, the bounds of its functions are gathered once, so that a lookup walks only the DIEs of one
 * function. */
#include "experiment/dwarf.h"

#include "experiment/arena.h"
#include "experiment/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 32 }; /* of namespaces and types around a function */

/* One range of a function's code. */
struct code {
	Dwarf_Addr start, end;
	Dwarf_Off die;
};

struct unit {
	Dwarf_Off offset;
	Dwarf_Die die;
	struct code *codes; /* codes[code_count] by start */
	size_t code_count, code_capacity;
};

/* One range of a unit's code. */
struct unit_range {
	Dwarf_Addr start, end;
	Dwarf_Off unit;
};

struct exp_dwarf {
	Dwarf *dwarf;
	Dwarf_Addr bias;     /* ELF virtual address + bias = address in the debug information */
	struct unit **units; /* units hit so far, by offset */
	size_t unit_count, unit_capacity;
	struct unit_range
	    *ranges; /* of all units, made when the file's own index does not know an address */
	size_t range_count, range_capacity;
	int ranges_made;
};

int exp_dwarf_open(struct exp_image *image, struct exp_dwarf **out)
{
	struct exp_dwarf *dwarf;
	Dwarf_Addr bias;
	Dwarf *handle = dwfl_module_getdwarf(image->module, &bias);

	*out = NULL;
	if (handle == NULL)
		return 0;
	dwarf = calloc(1, sizeof(*dwarf));
	if (dwarf == NULL)
		return -ENOMEM;
	dwarf->dwarf = handle;
	dwarf->bias = image->bias - bias;
	*out = dwarf;
	return 0;
}

void exp_dwarf_close(struct exp_dwarf *dwarf)
{
	if (dwarf == NULL)
		return;
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		free(dwarf->units[i]->codes);
		free(dwarf->units[i]);
	}
	free(dwarf->units);
	free(dwarf->ranges);
	free(dwarf);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a;
	const struct unit_range *y = b;

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
			    (struct unit_range){start, end, dwarf_dieoffset(&die)};
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

static void add_codes(struct unit *unit, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &start, &end)) > 0) {
		if (start >= end || exp_array_reserve(&unit->codes, &unit->code_capacity,
						      unit->code_count, sizeof(*unit->codes)) != 0)
			return;
		unit->codes[unit->code_count++] =
		    (struct code){start, end, dwarf_dieoffset(function)};
	}
}

/* Gather the functions below a DIE. Rust puts them into namespaces and types. */
static void gather_codes(struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_codes(unit, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			gather_codes(unit, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a;
	const struct code *y = b;

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

static struct unit *find_unit(struct exp_dwarf *dwarf, Dwarf_Addr address)
{
	Dwarf_Die die;
	Dwarf_Off offset;
	struct unit *unit;
	size_t at;

	if (find_unit_die(dwarf, address, &die) != 0)
		return NULL;
	offset = dwarf_dieoffset(&die);
	at = unit_position(dwarf, offset);
	if (at < dwarf->unit_count && dwarf->units[at]->offset == offset)
		return dwarf->units[at];
	if (exp_array_reserve(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count,
			      sizeof(struct unit *)) != 0)
		return NULL;
	unit = calloc(1, sizeof(*unit));
	if (unit == NULL)
		return NULL;
	unit->offset = offset;
	unit->die = die;
	gather_codes(unit, &die, 0);
	if (unit->code_count > 1)
		qsort(unit->codes, unit->code_count, sizeof(*unit->codes), compare_codes);
	memmove(&dwarf->units[at + 1], &dwarf->units[at],
		(dwarf->unit_count - at) * sizeof(struct unit *));
	dwarf->units[at] = unit;
	dwarf->unit_count++;
	return unit;
}

static const struct code *find_code(const struct unit *unit, Dwarf_Addr address)
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

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) == NULL ? NULL
								   : dwarf_formstring(&attribute);
}

static void describe(Dwarf_Die *die, struct exp_dwarf_frame *frame)
{
	int line;

	*frame =
	    (struct exp_dwarf_frame){.name = dwarf_diename(die), .decl_file = dwarf_decl_file(die)};
	frame->linkage_name = text_of(die, DW_AT_linkage_name);
	if (frame->linkage_name == NULL)
		frame->linkage_name = text_of(die, DW_AT_MIPS_linkage_name);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		frame->decl_line = (unsigned)line;
}

/* Where an inlined function was called. */
static void find_call(Dwarf_Die *die, Dwarf_Die *unit, struct exp_dwarf_frame *caller)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_attr(die, DW_AT_call_line, &attribute) != NULL &&
	    dwarf_formudata(&attribute, &number) == 0)
		caller->line = (unsigned)number;
	if (dwarf_attr(die, DW_AT_call_file, &attribute) != NULL &&
	    dwarf_formudata(&attribute, &number) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0 && number < count)
		caller->file = dwarf_filesrc(files, number, NULL, NULL);
}

/* The child of a DIE, an inlined call or a block, that holds the address. Returns 0 or -ENOENT. */
static int find_child(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *out)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return -ENOENT;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(&die, address) == 1) {
			*out = die;
			return 0;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return -ENOENT;
}

/* The chain of inlined calls at an address in a function, outermost first, with the function as
 * chain[0]. Returns its length. */
static int find_chain(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die chain[EXP_DWARF_FRAMES])
{
	enum { DEPTH_MAX = 512 };
	Dwarf_Die at = *function;
	int count = 1;

	chain[0] = *function;
	for (int depth = 0; depth < DEPTH_MAX && find_child(&at, address, &at) == 0; depth++)
		if (dwarf_tag(&at) == DW_TAG_inlined_subroutine && count < EXP_DWARF_FRAMES)
			chain[count++] = at;
	return count;
}

static void find_line(struct unit *unit, Dwarf_Addr address, struct exp_dwarf_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	int number;

	if (line == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	frame->line = (unsigned)number;
	frame->file = dwarf_linesrc(line, NULL, NULL);
}

static int look_up(struct exp_dwarf *dwarf, struct unit *unit, Dwarf_Addr at,
		   struct exp_dwarf_frame frames[EXP_DWARF_FRAMES], int *has_function)
{
	const struct code *code = find_code(unit, at);
	Dwarf_Die function, chain[EXP_DWARF_FRAMES];
	int count;

	if (code == NULL || dwarf_offdie(dwarf->dwarf, code->die, &function) == NULL) {
		frames[0] = (struct exp_dwarf_frame){0};
		find_line(unit, at, &frames[0]);
		return frames[0].line != 0;
	}
	count = find_chain(&function, at, chain);
	for (int i = 0; i < count; i++)
		describe(&chain[count - 1 - i], &frames[i]);
	for (int i = 1; i < count; i++)
		find_call(&chain[count - i], &unit->die, &frames[i]);
	find_line(unit, at, &frames[0]);
	frames[count - 1].start = code->start - dwarf->bias;
	frames[count - 1].end = code->end - dwarf->bias;
	*has_function = 1;
	return count;
}

/* A function that was split in parts is inlined in itself: show it once, where its inner part executes. */
static int join_parts(struct exp_dwarf_frame *frames, int count)
{
	while (count > 1) {
		struct exp_dwarf_frame *outer = &frames[count - 1];
		struct exp_dwarf_frame *inner = &frames[count - 2];

		if (outer->decl_line == 0 || inner->decl_line != outer->decl_line ||
		    inner->decl_file == NULL || outer->decl_file == NULL ||
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
		     struct exp_dwarf_frame frames[EXP_DWARF_FRAMES], int *has_function)
{
	Dwarf_Addr at = address + dwarf->bias;
	struct unit *unit = find_unit(dwarf, at);
	int count;

	*has_function = 0;
	count = unit == NULL ? 0 : look_up(dwarf, unit, at, frames, has_function);
	if (*has_function)
		count = join_parts(frames, count);
	for (int i = 0; i < count; i++)
		frames[i].directory = text_of(&unit->die, DW_AT_comp_dir);
	return count;
}
