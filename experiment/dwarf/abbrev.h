/* abbrev.h: abbreviations of entries of debug information (DWARF 5, section 7.5.3), prepared for
 * reading entries. */
#ifndef XER_EXPERIMENT_DWARF_ABBREV_H
#define XER_EXPERIMENT_DWARF_ABBREV_H

#include "experiment/dwarf/die.h"
#include "experiment/dwarf/reader.h"

#include <string.h>

/* What a value is; sizes depend on the unit. */
enum exp_form_size {
	EXP_FORM_ULEB = -1,   /* one LEB128 number */
	EXP_FORM_STRING = -2, /* up to a NUL */
	EXP_FORM_BLOCK1 = -3, /* a length of 1, 2 or 4 bytes, or LEB128, and so many bytes */
	EXP_FORM_BLOCK2 = -4,
	EXP_FORM_BLOCK4 = -5,
	EXP_FORM_BLOCK = -6,
	EXP_FORM_UNKNOWN = -7
};

enum { EXP_SPEC_NONE = 0xff };

/* One attribute of an abbreviation. */
struct exp_spec {
	int64_t constant; /* the value, of DW_FORM_implicit_const */
	uint16_t form;
	int8_t size;       /* bytes, or an exp_form_size */
	uint8_t attribute; /* enum exp_die_attribute, or EXP_SPEC_NONE */
};

struct exp_abbrev {
	const struct exp_spec *specs; /* specs[count]; NULL: there is no such abbreviation */
	uint32_t count;
	uint16_t tag;
	uint8_t has_children;
	uint8_t is_fixed;  /* all values together have always `size` bytes */
	uint8_t is_passed; /* and nobody asks for any of them */
	uint32_t size;
	uint32_t attributes;                   /* bit 1 << attribute */
	uint8_t spec[EXP_DIE_ATTRIBUTE_COUNT]; /* index into specs, of attributes that there are */
};

/* The abbreviations of units with the same sizes. */
struct exp_abbrevs {
	uint64_t offset;
	unsigned version, offset_size, address_size;
	struct exp_abbrev *of; /* of[count], by code; 0 is none */
	size_t count;
};

/* Those of a unit, read once; NULL if they are damaged or use what is not known here, or memory is
 * out. */
struct exp_abbrevs *exp_abbrevs_of(struct exp_dies *dies, const struct exp_die_unit *unit);

/* The spec of an attribute that the entry has. */
static inline const struct exp_spec *exp_die_spec(const struct exp_die *die,
                                                  enum exp_die_attribute attribute)
{
	return &die->abbrev->specs[die->abbrev->spec[attribute]];
}

/* Go over a value. */
static inline void exp_form_skip(const struct exp_spec *spec, struct exp_reader *in)
{
	switch (spec->size) {
	default:
		exp_read_skip(in, (uint64_t)spec->size);
		break;
	case EXP_FORM_ULEB:
		exp_read_uleb(in);
		break;
	case EXP_FORM_STRING:
		exp_read_string(in);
		break;
	case EXP_FORM_BLOCK1:
		exp_read_skip(in, exp_read_fixed(in, 1));
		break;
	case EXP_FORM_BLOCK2:
		exp_read_skip(in, exp_read_fixed(in, 2));
		break;
	case EXP_FORM_BLOCK4:
		exp_read_skip(in, exp_read_fixed(in, 4));
		break;
	case EXP_FORM_BLOCK:
		exp_read_skip(in, exp_read_uleb(in));
		break;
	}
}

#endif
