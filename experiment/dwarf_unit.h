/* dwarf_unit.h: compilation units and their functions as dwarf.c uses them. Addresses are those of
 * the debug information. */
#ifndef XER_EXPERIMENT_DWARF_UNIT_H
#define XER_EXPERIMENT_DWARF_UNIT_H

#include "experiment/arena.h"
#include "experiment/dwarf.h"
#include "experiment/hash.h"
#include "experiment/linetable.h"

#include <elfutils/libdw.h>
#include <stddef.h>

struct exp_dwarf_range {
	Dwarf_Addr start, end;
};

/* What is inlined by a call, and where. */
struct exp_dwarf_described {
	struct exp_dwarf_frame callee; /* without file and line */
	const char *file;              /* where it is called */
	unsigned line;
	void *owner; /* see exp_dwarf_frame */
};

/* A call that was inlined in a function; calls[0] of a function is the function itself. */
struct exp_dwarf_call {
	Dwarf_Die die;
	Dwarf_Addr low, high;   /* bounds of its ranges */
	uint32_t parent;        /* index of the call that it is inlined in */
	uint32_t behind;        /* index of the first call that is not below this one */
	uint32_t first_range, range_count;
	struct exp_dwarf_described *described; /* NULL: not yet */
};

/* A function and the calls inlined in it, in the order of the tree: outer calls first. */
struct exp_dwarf_function {
	Dwarf_Die die;
	int is_read;
	struct exp_dwarf_call *calls; /* calls[call_count] */
	size_t call_count;
	struct exp_dwarf_range *ranges;
	size_t range_count;
};

/* Where a function's calls are gathered before they are kept; its arrays are used again and again. */
struct exp_dwarf_scratch {
	struct exp_dwarf_call *calls;
	size_t call_count, call_capacity;
	struct exp_dwarf_range *ranges;
	size_t range_count, range_capacity;
};

/* One range of a function's code. */
struct exp_dwarf_code {
	Dwarf_Addr start, end;
	size_t function; /* index */
};

struct exp_dwarf_unit {
	Dwarf_Off offset;
	Dwarf_Die die;     /* that has lines and addresses; of split units the skeleton */
	Dwarf_Die content; /* that has the functions */
	struct exp_dwarf_code *codes; /* codes[code_count] by start */
	size_t code_count, code_capacity;
	struct exp_dwarf_function *functions;
	size_t function_count, function_capacity;
};

/* One range of a unit's code. */
struct exp_dwarf_unit_range {
	Dwarf_Addr start, end;
	Dwarf_Off unit;
};

struct exp_dwarf {
	Dwarf *dwarf;
	Dwarf_Addr bias;               /* ELF virtual address + bias = address in the debug information */
	struct exp_dwarf_unit **units; /* units hit so far, by offset */
	size_t unit_count, unit_capacity;
	struct exp_dwarf_unit_range *ranges; /* of all units, made when the file's own index does not know an address */
	size_t range_count, range_capacity;
	int ranges_made;
	struct exp_line_sections sections;
	struct exp_dwarf_scratch scratch;
	struct exp_arena arena; /* of descriptions and functions' calls */
	struct exp_hash line_tables; /* of struct exp_dwarf_lines, by offset */
};

/* A line table that was asked for. */
struct exp_dwarf_lines {
	uint64_t offset;
	struct exp_line_table *table; /* NULL: it cannot be read here, libdw is asked */
};

/* The unit at an address, its functions gathered; NULL if there is none or memory is out. */
struct exp_dwarf_unit *exp_dwarf_unit_at(struct exp_dwarf *dwarf, Dwarf_Addr address);
void exp_dwarf_unit_free(struct exp_dwarf_unit *unit);

/* The code of the unit at an address, or NULL. */
const struct exp_dwarf_code *exp_dwarf_code_at(const struct exp_dwarf_unit *unit, Dwarf_Addr address);

/* Read the calls inlined in a function, once; calls[0] is there afterwards unless memory is out.
 * (dwarf_inline.c) */
void exp_dwarf_function_read(struct exp_dwarf *dwarf, struct exp_dwarf_function *function);

/* Index of the innermost call at an address; 0 if it is in no inlined one. (dwarf_inline.c) */
uint32_t exp_dwarf_call_at(const struct exp_dwarf_function *function, Dwarf_Addr address);

/* Names and place of a call, read when first asked for; NULL if memory is out. (dwarf_inline.c) */
struct exp_dwarf_described *exp_dwarf_describe(struct exp_dwarf *dwarf, struct exp_dwarf_function *function,
					    uint32_t index);

/* The line table that a unit uses; NULL if it is in another file (split units, dwz) or of a kind that linetable.h does
 * not know: then libdw is to be asked. (dwarf_lines.c) */
struct exp_line_table *exp_dwarf_lines(struct exp_dwarf *dwarf, Dwarf_CU *cu);
void exp_dwarf_lines_free(struct exp_dwarf *dwarf);

/* The file that an attribute names by its number, or NULL. (dwarf_lines.c) */
const char *exp_dwarf_file(struct exp_dwarf *dwarf, Dwarf_Attribute *attribute);

/* Text of an attribute of a DIE or of what it is an instance of, or NULL. */
const char *exp_dwarf_text(Dwarf_Die *die, unsigned name);

#endif
