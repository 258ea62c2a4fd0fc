/* dwarf_unit.h: compilation units and their functions as dwarf.c uses them. Addresses are those of
 * the debug information. */
#ifndef XER_EXPERIMENT_DWARF_DWARF_UNIT_H
#define XER_EXPERIMENT_DWARF_DWARF_UNIT_H

#include "experiment/dwarf/die.h"
#include "experiment/dwarf/dwarf.h"
#include "experiment/dwarf/dwarf_package.h"
#include "experiment/dwarf/linetable.h"
#include "experiment/table/arena.h"
#include "experiment/table/hash.h"

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

/* An entry, as the reader of its unit knows it. */
union exp_dwarf_entry {
	Dwarf_Die libdw;
	uint64_t offset;
};

/* A call that was inlined in a function; calls[0] of a function is the function itself. */
struct exp_dwarf_call {
	union exp_dwarf_entry entry;
	Dwarf_Addr low, high; /* bounds of its ranges */
	uint32_t parent;      /* index of the call that it is inlined in */
	uint32_t first_range, range_count;
	struct exp_dwarf_described *described; /* NULL: not yet */
};

/* Where the code of a call can be, relative to the lowest address of the function, and the index of
 * the first call that is not below this one. A function may have thousands of calls, so what a
 * lookup passes over is kept small. */
struct exp_dwarf_bounds {
	uint32_t low, high; /* saturated: code behind a gap of 4 GiB is looked for in the ranges */
	uint32_t behind;
};

/* A function and the calls inlined in it, in the order of the tree: outer calls first. */
struct exp_dwarf_function {
	union exp_dwarf_entry entry;
	int is_read;
	struct exp_dwarf_call *calls;    /* calls[call_count] */
	struct exp_dwarf_bounds *bounds; /* bounds[call_count] */
	size_t call_count;
	Dwarf_Addr lowest;
	struct exp_dwarf_range *ranges;
	size_t range_count;
};

/* Buffers in which a function's calls are gathered before they are kept; the arrays are reused. */
struct exp_dwarf_scratch {
	struct exp_dwarf_call *calls;
	struct exp_dwarf_bounds *bounds;
	size_t call_count, call_capacity, bounds_capacity;
	struct exp_dwarf_range *ranges;
	size_t range_count, range_capacity;
};

/* One range of a function's code. */
struct exp_dwarf_code {
	Dwarf_Addr start, end;
	size_t function; /* index */
};

struct exp_dwarf_unit {
	Dwarf_Off offset; /* of its first entry */
	const struct exp_dwarf_reader *reader;
	struct exp_die_unit *unit; /* for dwarf_die.c */
	Dwarf_Die die;     /* for dwarf_libdw.c: that has lines and addresses; of split units the
	                      skeleton */
	Dwarf_Die content; /* likewise: that has the functions */
	struct exp_dwarf_packaged
		packaged; /* where that is from a package; its dwarf is NULL: it is not */
	struct exp_line_table *files; /* of packaged.sections, NULL: there are none */
	const char *directory; /* of the compilation: where relative file names begin; or NULL */
	uint64_t stmt_list; /* where its line table begins; UINT64_MAX: it has none in this file */
	struct exp_dwarf_code *codes; /* codes[code_count] by start */
	size_t code_count, code_capacity;
	struct exp_dwarf_function *functions;
	size_t function_count, function_capacity;
};

/* Ranges of units' code. */
struct exp_dwarf_ranges {
	struct exp_dwarf_unit_range {
		Dwarf_Addr start, end;
		Dwarf_Off unit;
	} * of; /* of[count] by start */
	size_t count, capacity;
	int is_made;
};

/* Reads units: die.h (dwarf_die.c), or libdw (dwarf_libdw.c) for what that cannot read. */
struct exp_dwarf_reader {
	/* Report all functions of the unit by exp_dwarf_add_function. */
	void (*functions)(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit);
	/* Report the function, then all calls inlined in it, by exp_dwarf_add_call. */
	void (*calls)(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
	              const struct exp_dwarf_function *function);
	/* Fill out->callee, and if `is_call` where it is called. */
	void (*describe)(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
	                 union exp_dwarf_entry *entry, int is_call,
	                 struct exp_dwarf_described *out);
	/* Fill all but `unit` and `directory`. */
	void (*compilation)(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
	                    struct exp_dwarf_compilation *out);
};

struct exp_dwarf {
	struct exp_binary *binary;
	Dwarf *dwarf; /* of libdw; NULL: not opened, or there is none */
	int is_libdw_tried;
	struct exp_dwarf_package *package; /* of split units; NULL: not opened, or there is none */
	int is_package_tried;
	int is_package_odd;    /* there is something that is no file */
	struct exp_dies *dies; /* NULL: all is read by libdw */
	Elf *elf;              /* of what they are read from */
	int fd;
	struct exp_debug_sections debug_sections;
	Dwarf_Addr bias; /* ELF virtual address + bias = address in the debug information */
	struct exp_dwarf_unit **units; /* units hit so far, by offset */
	size_t unit_count, unit_capacity;
	struct exp_dwarf_ranges index; /* of units, as the file's own index has them */
	struct exp_dwarf_ranges
		ranges; /* of all units, made when that index does not know an address */
	struct exp_line_sections sections;
	struct exp_dwarf_scratch scratch;
	struct exp_arena arena;      /* of descriptions and functions' calls */
	struct exp_hash line_tables; /* of struct exp_dwarf_lines, by offset */
};

/* A line table that was asked for. */
struct exp_dwarf_lines {
	uint64_t offset;
	struct exp_line_table *table; /* NULL: it cannot be read here, libdw is asked */
};

extern const struct exp_dwarf_reader exp_dwarf_die_reader, exp_dwarf_libdw_reader;

/* True for entries that functions may be below of. Rust puts them into namespaces and types.
 * (dwarf_gather.c) */
int exp_dwarf_is_scope(unsigned tag);

/* Set up dies for a binary. Returns 0, -ENOTSUP: they cannot read it, or -ENOMEM. (dwarf_die.c) */
int exp_dwarf_die_open(struct exp_dwarf *dwarf);
void exp_dwarf_die_close(struct exp_dwarf *dwarf);

/* The offset of the first entry of the unit at an address, by dies. Returns 0 or -ENOENT.
 * (dwarf_die.c) */
int exp_dwarf_die_find(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Off *out);

/* Fill a zeroed unit from its first entry. Return 0, or -1: it cannot be read. (dwarf_die.c,
 * dwarf_libdw.c) */
int exp_dwarf_die_unit(struct exp_dwarf *dwarf, Dwarf_Off offset, struct exp_dwarf_unit *out);
int exp_dwarf_libdw_unit(struct exp_dwarf *dwarf, Dwarf_Off offset, struct exp_dwarf_unit *out);

/* libdw's handle, opened when it is first asked for; NULL: there is none. (dwarf_libdw.c) */
Dwarf *exp_dwarf_libdw(struct exp_dwarf *dwarf);
int exp_dwarf_libdw_find(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Off *out);

/* The line at an address by libdw, for tables that linetable.h does not know; written if it is
 * found. (dwarf_libdw.c) */
void exp_dwarf_libdw_line(struct exp_dwarf *dwarf, const struct exp_dwarf_unit *unit,
                          Dwarf_Addr address, const char **file, unsigned *line);

/* Add ranges, sort them when all are there, and find the unit of one. Return 0, -ENOMEM, -ENOENT.
 * (dwarf_gather.c) */
int exp_dwarf_ranges_add(struct exp_dwarf_ranges *ranges, Dwarf_Addr start, Dwarf_Addr end,
                         Dwarf_Off unit);
void exp_dwarf_ranges_sort(struct exp_dwarf_ranges *ranges);
int exp_dwarf_ranges_find(const struct exp_dwarf_ranges *ranges, Dwarf_Addr address,
                          Dwarf_Off *out);

/* The unit at an address, its functions gathered; NULL if there is none or memory is out. */
struct exp_dwarf_unit *exp_dwarf_unit_at(struct exp_dwarf *dwarf, Dwarf_Addr address);
void exp_dwarf_unit_free(struct exp_dwarf_unit *unit);

/* For readers: a range of code of the function that is told next; that function, which does not
 * count without code. Return 0 or -ENOMEM. (dwarf_gather.c) */
int exp_dwarf_add_code(struct exp_dwarf_unit *unit, Dwarf_Addr start, Dwarf_Addr end);
int exp_dwarf_add_function(struct exp_dwarf_unit *unit, const union exp_dwarf_entry *entry);

/* For readers: a call that is inlined in the call of index `parent`, the function itself first;
 * returns its index, or UINT32_MAX: out of memory, or too many. Then its ranges of code; returns 0
 * or -ENOMEM. Then the calls below it, and that these are all. (dwarf_inline.c) */
uint32_t exp_dwarf_add_call(struct exp_dwarf *dwarf, const union exp_dwarf_entry *entry,
                            uint32_t parent);
int exp_dwarf_add_call_range(struct exp_dwarf *dwarf, Dwarf_Addr start, Dwarf_Addr end);
void exp_dwarf_end_call(struct exp_dwarf *dwarf, uint32_t index);

/* The code of the unit at an address, or NULL. */
const struct exp_dwarf_code *exp_dwarf_code_at(const struct exp_dwarf_unit *unit,
                                               Dwarf_Addr address);

/* Read the calls inlined in a function, once; calls[0] is there afterwards unless memory is out.
 * (dwarf_inline.c) */
void exp_dwarf_function_read(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                             struct exp_dwarf_function *function);

/* Index of the innermost call at an address; 0 if it is in no inlined one. (dwarf_inline.c) */
uint32_t exp_dwarf_call_at(const struct exp_dwarf_function *function, Dwarf_Addr address);

/* Names and place of a call, read when first asked for; NULL if memory is out. (dwarf_inline.c) */
struct exp_dwarf_described *exp_dwarf_describe(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                                               struct exp_dwarf_function *function, uint32_t index);

/* The line table at an offset, of a compilation in a directory; NULL if there is none, or of a kind
 * that linetable.h does not know. (dwarf_lines.c) */
struct exp_line_table *exp_dwarf_lines(struct exp_dwarf *dwarf, uint64_t offset,
                                       const char *directory);
void exp_dwarf_lines_free(struct exp_dwarf *dwarf);

#endif
