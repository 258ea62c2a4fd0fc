/* die.h: reads the entries (DIEs) of .debug_info, DWARF 2 to 5: only what names, code ranges and
 * inlined calls need.
 *
 * libdw reads them too, and is used where these functions are not enough (split units, files shared
 * by dwz). But it needs whole sections, inflated, and looks up abbreviations and attributes one by
 * one, which took three quarters of the time of a first report on a large program. Here an
 * abbreviation is prepared once, so that one pass over an entry finds everything that is ever
 * needed from it.
 *
 * Offsets are from the start of .debug_info, and may be any numbers: an error in them or in the
 * bytes gives -EBADMSG, or no value. Every walk goes forward, so it ends. */
#ifndef XER_EXPERIMENT_DWARF_DIE_H
#define XER_EXPERIMENT_DWARF_DIE_H

#include "experiment/dwarf/debugsections.h"
#include "experiment/table/arena.h"
#include "experiment/table/hash.h"

#include <stdint.h>

/* The attributes that are kept. ATTRIBUTE(identifier, name), several names may give one: the older
 * ones are of GNU. */
#define EXP_DIE_ATTRIBUTES(ATTRIBUTE) \
	ATTRIBUTE(SIBLING, DW_AT_sibling) \
	ATTRIBUTE(LOW_PC, DW_AT_low_pc) \
	ATTRIBUTE(HIGH_PC, DW_AT_high_pc) \
	ATTRIBUTE(RANGES, DW_AT_ranges) \
	ATTRIBUTE(NAME, DW_AT_name) \
	ATTRIBUTE(LINKAGE_NAME, DW_AT_linkage_name) \
	ATTRIBUTE(MIPS_LINKAGE_NAME, DW_AT_MIPS_linkage_name) \
	ATTRIBUTE(ORIGIN, DW_AT_abstract_origin) \
	ATTRIBUTE(SPECIFICATION, DW_AT_specification) \
	ATTRIBUTE(DECL_FILE, DW_AT_decl_file) \
	ATTRIBUTE(DECL_LINE, DW_AT_decl_line) \
	ATTRIBUTE(CALL_FILE, DW_AT_call_file) \
	ATTRIBUTE(CALL_LINE, DW_AT_call_line) \
	ATTRIBUTE(STMT_LIST, DW_AT_stmt_list) \
	ATTRIBUTE(COMP_DIR, DW_AT_comp_dir) \
	ATTRIBUTE(PRODUCER, DW_AT_producer) \
	ATTRIBUTE(STR_OFFSETS_BASE, DW_AT_str_offsets_base) \
	ATTRIBUTE(ADDR_BASE, DW_AT_addr_base) \
	ATTRIBUTE(RNGLISTS_BASE, DW_AT_rnglists_base) \
	ATTRIBUTE(DWO_NAME, DW_AT_dwo_name) \
	ATTRIBUTE(GNU_DWO_NAME, DW_AT_GNU_dwo_name)

enum exp_die_attribute {
#define ATTRIBUTE(identifier, name) EXP_DIE_##identifier,
	EXP_DIE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
		EXP_DIE_ATTRIBUTE_COUNT
};

/* A unit: a compilation, or a part of one. */
struct exp_die_unit {
	uint64_t start, end; /* offsets of its header, and behind its last entry */
	uint64_t first;      /* offset of its first entry */
	uint64_t abbrev_offset;
	unsigned version, offset_size, address_size;
	int is_split;                /* its entries are in another file */
	struct exp_abbrevs *abbrevs; /* NULL: not read, or unusable */
	int has_bases;               /* what follows was read */
	uint64_t low_pc;
	uint64_t stmt_list;    /* where its line table begins, UINT64_MAX: it has none */
	const char *directory; /* of the compilation, or NULL */
	uint64_t str_offsets, addresses,
		range_lists; /* where its part of these sections begins, UINT64_MAX: nowhere */
};

struct exp_dies {
	struct exp_debug_sections *sections;
	struct exp_die_unit *
		*units; /* units[unit_count] by offset: those whose headers were read */
	size_t unit_count, unit_capacity;
	uint64_t walked; /* offset behind the last of them */
	struct exp_hash abbrevs;
	uint64_t abbrev_bytes; /* that were read as tables of abbreviations */
	struct exp_arena arena;
};

struct exp_die {
	struct exp_die_unit *unit;
	const struct exp_abbrev *abbrev;
	uint64_t offset;
	uint64_t behind; /* offset behind its own values: of its first child, if it has any */
	unsigned tag;    /* 0: not an entry, but the end of a list of siblings */
	int has_children;
	uint32_t present;                              /* bit 1 << attribute */
	const uint8_t *value[EXP_DIE_ATTRIBUTE_COUNT]; /* of those that are present; checked to lie
	                                                  within the unit */
	const uint8_t *end;                            /* of the unit */
};

/* sections are borrowed. */
void exp_dies_init(struct exp_dies *dies, struct exp_debug_sections *sections);
void exp_dies_fini(struct exp_dies *dies);

/* The unit that an entry is in, its bytes ready; NULL if there is none. */
struct exp_die_unit *exp_dies_unit_at(struct exp_dies *dies, uint64_t offset);

/* The units one after the other: the first (NULL), or the next. NULL at the end. */
struct exp_die_unit *exp_dies_unit_next(struct exp_dies *dies, const struct exp_die_unit *unit);

/* Read the entry of a unit at an offset. Of parameters, variables and the like the values are not
 * kept. Returns 0 or -EBADMSG. */
int exp_die_read(struct exp_dies *dies, struct exp_die_unit *unit, uint64_t offset,
                 struct exp_die *out);

/* Go from an entry to its next sibling, or to the entry that ends the list. Returns 0 or -EBADMSG.
 */
int exp_die_next(struct exp_dies *dies, struct exp_die *die);

/* The entry that an entry stands below. It is looked for from the start of the unit. Returns 0,
 * -ENOENT or -EBADMSG. */
int exp_die_parent(struct exp_dies *dies, const struct exp_die *die, struct exp_die *out);

static inline int exp_die_has(const struct exp_die *die, enum exp_die_attribute attribute)
{
	return (die->present >> attribute & 1) != 0;
}

/* The value of an attribute: a number (also an offset); an address; a string that lives with the
 * sections. Return 0, NULL for strings, or -ENOENT: it has no such attribute, or of another kind.
 */
int exp_die_number(const struct exp_die *die, enum exp_die_attribute attribute, uint64_t *out);
int exp_die_address(struct exp_dies *dies, const struct exp_die *die,
                    enum exp_die_attribute attribute, uint64_t *out);
const char *exp_die_text(struct exp_dies *dies, const struct exp_die *die,
                         enum exp_die_attribute attribute);

/* The entry that an attribute refers to. Returns 0, -ENOENT or -EBADMSG. out may be the entry
 * itself. */
int exp_die_refer(struct exp_dies *dies, const struct exp_die *die,
                  enum exp_die_attribute attribute, struct exp_die *out);

/* Go on from an entry to the one that it is an instance of, or that it completes, until one has the
 * attribute. die is changed. Returns 0 or -ENOENT. */
int exp_die_integrate(struct exp_dies *dies, struct exp_die *die, enum exp_die_attribute attribute);

/* Call `take` for the ranges of code of an entry, until it does not return 0. Returns what it
 * returned, or 0. (dieranges.c) */
int exp_die_each_range(struct exp_dies *dies, const struct exp_die *die,
                       int (*take)(void *context, uint64_t start, uint64_t end), void *context);

/* Call `take` for the ranges of code of all compilations, from the file's own index; unit: the
 * offset of its header. Until it does not return 0. Returns what it returned, or 0.
 * (dieranges.c) */
int exp_dies_each_indexed(struct exp_dies *dies,
                          int (*take)(void *context, uint64_t start, uint64_t end, uint64_t unit),
                          void *context);

#endif
