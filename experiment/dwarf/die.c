/* die.c: units and entries of debug information (DWARF 5, sections 7.5.1 and 7.5.2).
 * See doc/decisions/20-debug-entries.md. */
#include "experiment/dwarf/abbrev.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

enum {
	HEAD_MAX = 40,     /* bytes of a unit's header */
	CHAIN_MAX = 16,    /* of instances of instances */
	NESTING_MAX = 512, /* of entries, when going over one */
	PARENTS_MAX = 32   /* of entries, when looking for one's parent */
};

void exp_dies_init(struct exp_dies *dies, struct exp_debug_sections *sections)
{
	*dies = (struct exp_dies){.sections = sections};
}

void exp_dies_fini(struct exp_dies *dies)
{
	free(dies->units);
	exp_hash_fini(&dies->abbrevs);
	exp_arena_fini(&dies->arena);
}

/* What stands in the header behind the version. Returns 0 or -EBADMSG. */
static int read_head_rest(struct exp_reader *in, struct exp_die_unit *unit)
{
	unsigned type = DW_UT_compile;

	if (unit->version >= 5) {
		type = (unsigned)exp_read_fixed(in, 1);
		unit->address_size = (unsigned)exp_read_fixed(in, 1);
		unit->abbrev_offset = exp_read_fixed(in, unit->offset_size);
	} else {
		unit->abbrev_offset = exp_read_fixed(in, unit->offset_size);
		unit->address_size = (unsigned)exp_read_fixed(in, 1);
	}
	if (type == DW_UT_skeleton || type == DW_UT_split_compile || type == DW_UT_split_type)
		unit->is_split = 1;
	if (type == DW_UT_skeleton || type == DW_UT_split_compile || type == DW_UT_type ||
	    type == DW_UT_split_type)
		exp_read_skip(in, 8); /* an id */
	if (type == DW_UT_type || type == DW_UT_split_type)
		exp_read_skip(in, unit->offset_size);
	return in->is_bad || (unit->address_size != 4 && unit->address_size != 8) ? -EBADMSG : 0;
}

/* Read the header behind the last one that was read. Returns 0 and *unit, or -EBADMSG. */
static int read_header(struct exp_dies *dies, struct exp_die_unit *unit)
{
	struct exp_debug_section *info = &dies->sections->of[EXP_DEBUG_INFO];
	uint64_t start = dies->walked, length;
	struct exp_reader in = {.is_bad = 0};
	int rc;

	if (start >= info->size)
		return -EBADMSG;
	exp_debug_want(info, info->size - start < HEAD_MAX ? info->size : start + HEAD_MAX);
	if (start >= info->ready)
		return -EBADMSG;
	in.at = info->bytes + start;
	in.end = info->bytes + info->ready;
	*unit = (struct exp_die_unit){.start = start, .offset_size = 4};
	length = exp_read_fixed(&in, 4);
	if (length == 0xffffffff) { /* the 64-bit format */
		unit->offset_size = 8;
		length = exp_read_fixed(&in, 8);
	}
	unit->end = (uint64_t)(in.at - info->bytes);
	if (in.is_bad || length == 0 || length > info->size - unit->end)
		return -EBADMSG;
	unit->end += length;
	unit->version = (unsigned)exp_read_fixed(&in, 2);
	rc = unit->version < 2 || unit->version > 5 ? -EBADMSG : read_head_rest(&in, unit);
	unit->first = (uint64_t)(in.at - info->bytes);
	/* A unit that cannot be read still counts as a unit, without entries. */
	if (rc != 0 || unit->first > unit->end)
		unit->first = unit->end;
	return 0;
}

/* Go on to one more unit. Returns 0 or -ENOENT. */
static int add_unit(struct exp_dies *dies)
{
	struct exp_die_unit header, *unit;

	if (read_header(dies, &header) != 0)
		return -ENOENT;
	unit = exp_arena_alloc(&dies->arena, sizeof(*unit));
	if (!unit || exp_array_reserve(&dies->units, &dies->unit_capacity, dies->unit_count,
	                               sizeof(struct exp_die_unit *)) != 0)
		return -ENOENT;
	*unit = header;
	dies->units[dies->unit_count++] = unit;
	dies->walked = header.end;
	return 0;
}

/* Index of the first unit that ends behind an offset, among those read. */
static size_t position(const struct exp_dies *dies, uint64_t offset)
{
	size_t low = 0, high = dies->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dies->units[middle]->end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the parts of other sections begin that the unit's values count from; its first entry says
 * so. */
static void read_bases(struct exp_dies *dies, struct exp_die_unit *unit)
{
	struct exp_die die;

	unit->str_offsets = unit->addresses = unit->range_lists = unit->stmt_list = UINT64_MAX;
	if (exp_die_read(dies, unit, unit->first, &die) != 0 || die.tag == 0)
		return;
	exp_die_number(&die, EXP_DIE_STR_OFFSETS_BASE, &unit->str_offsets);
	exp_die_number(&die, EXP_DIE_ADDR_BASE, &unit->addresses);
	exp_die_number(&die, EXP_DIE_RNGLISTS_BASE, &unit->range_lists);
	exp_die_address(dies, &die, EXP_DIE_LOW_PC, &unit->low_pc);
	exp_die_number(&die, EXP_DIE_STMT_LIST, &unit->stmt_list);
	unit->directory = exp_die_text(dies, &die, EXP_DIE_COMP_DIR);
	if (exp_die_has(&die, EXP_DIE_GNU_DWO_NAME) || exp_die_has(&die, EXP_DIE_DWO_NAME))
		unit->is_split = 1;
}

/* Make a unit's entries readable. Returns it, or NULL. */
static struct exp_die_unit *prepare(struct exp_dies *dies, struct exp_die_unit *unit)
{
	if (unit->has_bases)
		return unit;
	if (exp_debug_want(&dies->sections->of[EXP_DEBUG_INFO], unit->end) != 0)
		return NULL;
	unit->has_bases = 1;
	unit->abbrevs = exp_abbrevs_of(dies, unit);
	read_bases(dies, unit);
	return unit;
}

struct exp_die_unit *exp_dies_unit_at(struct exp_dies *dies, uint64_t offset)
{
	size_t at;

	while (dies->walked <= offset)
		if (add_unit(dies) != 0)
			return NULL;
	at = position(dies, offset);
	return prepare(dies, dies->units[at]);
}

struct exp_die_unit *exp_dies_unit_next(struct exp_dies *dies, const struct exp_die_unit *unit)
{
	return exp_dies_unit_at(dies, !unit ? 0 : unit->end);
}

/* Go over the values of an entry, and note where those are that are kept. */
static void read_values(struct exp_reader *in, struct exp_die *out)
{
	const struct exp_abbrev *abbrev = out->abbrev;

	if (abbrev->is_passed) {
		exp_read_skip(in, abbrev->size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->count; i++) {
		const struct exp_spec *spec = &abbrev->specs[i];

		if (spec->attribute != EXP_SPEC_NONE)
			out->value[spec->attribute] = in->at;
		exp_form_skip(spec, in);
	}
}

int exp_die_read(struct exp_dies *dies, struct exp_die_unit *unit, uint64_t offset,
                 struct exp_die *out)
{
	const struct exp_debug_section *info = &dies->sections->of[EXP_DEBUG_INFO];
	struct exp_reader in;
	uint64_t code;

	if (!unit->abbrevs || offset < unit->first || offset >= unit->end ||
	    unit->end > info->ready)
		return -EBADMSG;
	in = (struct exp_reader){.at = info->bytes + offset, .end = info->bytes + unit->end};
	out->unit = unit;
	out->offset = offset;
	out->end = in.end;
	code = exp_read_uleb(&in);
	if (in.is_bad || code >= (code == 0 ? 1 : unit->abbrevs->count))
		return -EBADMSG;
	out->tag = 0;
	out->present = 0;
	out->has_children = 0;
	if (code != 0) {
		out->abbrev = &unit->abbrevs->of[code];
		if (!out->abbrev->specs)
			return -EBADMSG;
		read_values(&in, out);
		out->tag = out->abbrev->tag;
		out->present = out->abbrev->is_passed ? 0 : out->abbrev->attributes;
		out->has_children = out->abbrev->has_children;
	}
	out->behind = (uint64_t)(in.at - info->bytes);
	return in.is_bad ? -EBADMSG : 0;
}

/* The offset after an entry and all that is below it, if it is known without a walk; else 0. */
static uint64_t offset_behind(const struct exp_die *die)
{
	uint64_t sibling;

	if (!die->has_children)
		return die->behind;
	if (exp_die_number(die, EXP_DIE_SIBLING, &sibling) != 0)
		return 0;
	/* References within a unit count from its header. */
	if (exp_die_spec(die, EXP_DIE_SIBLING)->form != DW_FORM_ref_addr)
		sibling += die->unit->start;
	return sibling > die->behind ? sibling : 0;
}

int exp_die_next(struct exp_dies *dies, struct exp_die *die)
{
	uint64_t next = offset_behind(die);
	unsigned depth = 1;
	struct exp_die at;

	if (next != 0)
		return exp_die_read(dies, die->unit, next, die);
	next = die->behind;
	while (depth > 0) {
		if (exp_die_read(dies, die->unit, next, &at) != 0 || depth > NESTING_MAX)
			return -EBADMSG;
		next = at.tag == 0 ? at.behind : offset_behind(&at);
		if (at.tag == 0) {
			depth--;
		} else if (next == 0) {
			next = at.behind;
			depth++;
		}
	}
	return exp_die_read(dies, die->unit, next, die);
}

int exp_die_parent(struct exp_dies *dies, const struct exp_die *die, struct exp_die *out)
{
	struct exp_die next;
	int rc = exp_die_read(dies, die->unit, die->unit->first, out);

	for (int depth = 0; rc == 0 && depth < PARENTS_MAX && out->has_children; depth++) {
		struct exp_die child;

		rc = exp_die_read(dies, die->unit, out->behind, &child);
		for (next = child; rc == 0 && child.tag != 0 && child.offset < die->offset;
		     child = next) {
			rc = exp_die_next(dies, &next);
			if (rc == 0 && next.offset > die->offset)
				break;
		}
		if (rc == 0 && child.offset == die->offset)
			return 0;
		if (rc == 0 && (child.tag == 0 || child.offset > die->offset))
			return -ENOENT;
		*out = child;
	}
	return rc != 0 ? rc : -ENOENT;
}

/* A reader of a value. */
static struct exp_reader reader_of(const struct exp_die *die, enum exp_die_attribute attribute)
{
	return (struct exp_reader){.at = die->value[attribute], .end = die->end};
}

int exp_die_number(const struct exp_die *die, enum exp_die_attribute attribute, uint64_t *out)
{
	const struct exp_spec *spec;
	struct exp_reader in;

	if (!exp_die_has(die, attribute))
		return -ENOENT;
	spec = exp_die_spec(die, attribute);
	in = reader_of(die, attribute);
	if (spec->form == DW_FORM_implicit_const)
		*out = (uint64_t)spec->constant;
	else if (spec->form == DW_FORM_sdata)
		*out = (uint64_t)exp_read_sleb(&in);
	else if (spec->size == EXP_FORM_ULEB)
		*out = exp_read_uleb(&in);
	else if (spec->size >= 1 && spec->size <= 8)
		*out = exp_read_fixed(&in, (unsigned)spec->size);
	else
		return -ENOENT;
	return 0;
}

/* Number `index` in a section, of entries of `size` bytes from `base` on. Returns 0 or -ENOENT. */
static int number_at(struct exp_debug_section *section, uint64_t base, uint64_t index,
                     unsigned size, uint64_t *out)
{
	struct exp_reader in;

	exp_debug_want(section, section->size);
	if (base > section->ready || index >= (section->ready - base) / size)
		return -ENOENT;
	in = (struct exp_reader){.at = section->bytes + base + index * size,
	                         .end = section->bytes + section->ready};
	*out = exp_read_fixed(&in, size);
	return 0;
}

int exp_die_address(struct exp_dies *dies, const struct exp_die *die,
                    enum exp_die_attribute attribute, uint64_t *out)
{
	const struct exp_die_unit *unit = die->unit;
	uint64_t number;

	if (exp_die_number(die, attribute, &number) != 0)
		return -ENOENT;
	switch (exp_die_spec(die, attribute)->form) {
	case DW_FORM_addr:
		*out = number;
		return 0;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return number_at(&dies->sections->of[EXP_DEBUG_ADDR], unit->addresses, number,
		                 unit->address_size, out);
	default:
		return -ENOENT;
	}
}

/* A string at an offset of a section. */
static const char *text_at(struct exp_debug_section *section, uint64_t offset)
{
	exp_debug_want(section, section->size);
	if (offset >= section->ready ||
	    !memchr(section->bytes + offset, '\0', section->ready - offset))
		return NULL;
	return (const char *)section->bytes + offset;
}

const char *exp_die_text(struct exp_dies *dies, const struct exp_die *die,
                         enum exp_die_attribute attribute)
{
	struct exp_debug_section *of = dies->sections->of;
	const struct exp_die_unit *unit = die->unit;
	uint64_t number = 0;

	if (!exp_die_has(die, attribute))
		return NULL;
	if (exp_die_spec(die, attribute)->form == DW_FORM_string)
		return (const char *)die->value[attribute];
	if (exp_die_number(die, attribute, &number) != 0)
		return NULL;
	switch (exp_die_spec(die, attribute)->form) {
	case DW_FORM_strp:
		return text_at(&of[EXP_DEBUG_STR], number);
	case DW_FORM_line_strp:
		return text_at(&of[EXP_DEBUG_LINE_STR], number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		if (number_at(&of[EXP_DEBUG_STR_OFFSETS], unit->str_offsets, number,
		              unit->offset_size, &number) != 0)
			return NULL;
		return text_at(&of[EXP_DEBUG_STR], number);
	default:
		return NULL;
	}
}

int exp_die_refer(struct exp_dies *dies, const struct exp_die *die,
                  enum exp_die_attribute attribute, struct exp_die *out)
{
	struct exp_die_unit *unit = die->unit;
	uint64_t offset;

	if (exp_die_number(die, attribute, &offset) != 0)
		return -ENOENT;
	switch (exp_die_spec(die, attribute)->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		offset += unit->start;
		break;
	case DW_FORM_ref_addr:
		unit = exp_dies_unit_at(dies, offset);
		break;
	default:
		return -ENOENT;
	}
	return !unit ? -EBADMSG : exp_die_read(dies, unit, offset, out);
}

int exp_die_integrate(struct exp_dies *dies, struct exp_die *die, enum exp_die_attribute attribute)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		enum exp_die_attribute link = exp_die_has(die, EXP_DIE_ORIGIN)
		                                      ? EXP_DIE_ORIGIN
		                                      : EXP_DIE_SPECIFICATION;

		if (exp_die_has(die, attribute))
			return 0;
		if (exp_die_refer(dies, die, link, die) != 0 || die->tag == 0)
			return -ENOENT;
	}
	return -ENOENT;
}
