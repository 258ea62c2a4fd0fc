/* abbrev.c: reads tables of abbreviations. */
#include "experiment/dwarf/abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	CODES_MAX = 1 << 20, /* compilers number from 1, without gaps */
	READ_AGAIN = 8 /* tables may overlap, but not so often that reading them takes forever */
};

static int8_t size_of_form(uint64_t form, const struct exp_die_unit *unit)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int8_t)unit->address_size;
	case DW_FORM_ref_addr:
		return (int8_t)(unit->version == 2 ? unit->address_size : unit->offset_size);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (int8_t)unit->offset_size;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return EXP_FORM_ULEB;
	case DW_FORM_string:
		return EXP_FORM_STRING;
	case DW_FORM_block1:
		return EXP_FORM_BLOCK1;
	case DW_FORM_block2:
		return EXP_FORM_BLOCK2;
	case DW_FORM_block4:
		return EXP_FORM_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return EXP_FORM_BLOCK;
	default: /* also DW_FORM_indirect, which no compiler uses */
		return EXP_FORM_UNKNOWN;
	}
}

static uint8_t attribute_of(uint64_t name)
{
	switch (name) {
#define ATTRIBUTE(identifier, name) \
	case name: \
		return EXP_DIE_##identifier;
		EXP_DIE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
	default:
		return EXP_SPEC_NONE;
	}
}

/* Gathers abbreviations; specs are in one growing array, so abbreviations have indices into it
 * until it is complete. */
struct gatherer {
	const struct exp_die_unit *unit;
	struct exp_reader in;
	struct exp_abbrev *of;
	size_t *first; /* index of the first spec, by code */
	size_t count, capacity, first_capacity;
	struct exp_spec *specs;
	size_t spec_count, spec_capacity;
};

/* One attribute. Returns 1, 0 at the end of the list, -1: it is not usable. */
static int read_spec(struct gatherer *gatherer, struct exp_abbrev *abbrev)
{
	uint64_t name = exp_read_uleb(&gatherer->in);
	uint64_t form = exp_read_uleb(&gatherer->in);
	struct exp_spec spec = {.form = (uint16_t)form, .attribute = attribute_of(name)};

	if (gatherer->in.is_bad || (name == 0 && form == 0))
		return gatherer->in.is_bad ? -1 : 0;
	spec.size = size_of_form(form, gatherer->unit);
	if (form == DW_FORM_implicit_const)
		spec.constant = exp_read_sleb(&gatherer->in);
	if (spec.size == EXP_FORM_UNKNOWN ||
	    exp_array_reserve(&gatherer->specs, &gatherer->spec_capacity, gatherer->spec_count,
	                      sizeof(*gatherer->specs)) != 0)
		return -1;
	/* An attribute's place in a list of its own is a byte. */
	if (spec.attribute != EXP_SPEC_NONE && abbrev->count < EXP_SPEC_NONE) {
		abbrev->attributes |= UINT32_C(1) << spec.attribute;
		abbrev->spec[spec.attribute] = (uint8_t)abbrev->count;
	} else {
		spec.attribute = EXP_SPEC_NONE;
	}
	if (spec.size < 0 || abbrev->size > UINT16_MAX)
		abbrev->is_fixed = 0;
	else
		abbrev->size += (unsigned)spec.size;
	abbrev->count++;
	gatherer->specs[gatherer->spec_count++] = spec;
	return 1;
}

/* Make room for a code. */
static int reserve(struct gatherer *gatherer, uint64_t code)
{
	while (gatherer->count <= code) {
		if (exp_array_reserve(&gatherer->of, &gatherer->capacity, gatherer->count,
		                      sizeof(*gatherer->of)) != 0 ||
		    exp_array_reserve(&gatherer->first, &gatherer->first_capacity, gatherer->count,
		                      sizeof(*gatherer->first)) != 0)
			return -1;
		gatherer->first[gatherer->count] = 0;
		gatherer->of[gatherer->count++] = (struct exp_abbrev){.tag = 0};
	}
	return 0;
}

/* Entries of these tags, which are most of them, do not describe code. */
static int is_detail(unsigned tag)
{
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_label:
	case DW_TAG_member:
	case DW_TAG_enumerator:
	case DW_TAG_call_site:
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_call_site_parameter:
	case DW_TAG_template_type_parameter:
	case DW_TAG_template_value_parameter:
	case DW_TAG_typedef:
	case DW_TAG_imported_declaration:
	case DW_TAG_unspecified_parameters:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_const_type:
		return 1;
	default:
		return 0;
	}
}

/* One abbreviation. Returns as read_spec. */
static int read_abbrev(struct gatherer *gatherer)
{
	uint64_t code = exp_read_uleb(&gatherer->in);
	struct exp_abbrev abbrev = {.is_fixed = 1};
	size_t first = gatherer->spec_count;
	int more;

	/* A table that was cut off ends here. */
	if (code == 0 || gatherer->in.is_bad)
		return 0;
	abbrev.tag = (uint16_t)exp_read_uleb(&gatherer->in);
	abbrev.has_children = exp_read_fixed(&gatherer->in, 1) != 0;
	while ((more = read_spec(gatherer, &abbrev)) > 0)
		continue;
	if (more < 0 || code > CODES_MAX || abbrev.tag == 0 || reserve(gatherer, code) != 0)
		return -1;
	if (gatherer->of[code].tag != 0)
		return 1;
	abbrev.is_passed = abbrev.is_fixed && !abbrev.has_children && is_detail(abbrev.tag);
	gatherer->of[code] = abbrev;
	gatherer->first[code] = first;
	return 1;
}

/* Copy what was gathered into memory that stays. Returns NULL if memory is out. */
static struct exp_abbrevs *keep(struct exp_dies *dies, const struct gatherer *gatherer)
{
	const struct exp_die_unit *unit = gatherer->unit;
	struct exp_abbrevs *abbrevs = exp_arena_alloc(&dies->arena, sizeof(*abbrevs));
	struct exp_abbrev *of = exp_arena_alloc(&dies->arena, (gatherer->count + 1) * sizeof(*of));
	struct exp_spec *specs = exp_arena_alloc(&dies->arena,
	                                         (gatherer->spec_count + 1) * sizeof(*specs));

	if (!abbrevs || !of || !specs)
		return NULL;
	if (gatherer->spec_count != 0)
		memcpy(specs, gatherer->specs, gatherer->spec_count * sizeof(*specs));
	for (size_t i = 0; i < gatherer->count; i++) {
		of[i] = gatherer->of[i];
		of[i].specs = of[i].tag == 0 ? NULL : specs + gatherer->first[i];
	}
	*abbrevs = (struct exp_abbrevs){
		unit->abbrev_offset, unit->version, unit->offset_size, unit->address_size, of,
		gatherer->count};
	return abbrevs;
}

static struct exp_abbrevs *read_all(struct exp_dies *dies, const struct exp_die_unit *unit)
{
	struct exp_debug_section *section = &dies->sections->of[EXP_DEBUG_ABBREV];
	struct gatherer gatherer = {.unit = unit};
	struct exp_abbrevs *abbrevs;
	int more = 1;

	/* The section is small, and tables do not have a length. */
	exp_debug_want(section, section->size);
	if (unit->abbrev_offset >= section->ready ||
	    dies->abbrev_bytes / READ_AGAIN > section->ready)
		return NULL;
	gatherer.in = (struct exp_reader){.at = section->bytes + unit->abbrev_offset,
	                                  .end = section->bytes + section->ready};
	while (more > 0)
		more = read_abbrev(&gatherer);
	dies->abbrev_bytes += (uint64_t)(gatherer.in.at - section->bytes) - unit->abbrev_offset;
	abbrevs = more < 0 ? NULL : keep(dies, &gatherer);
	free(gatherer.of);
	free(gatherer.first);
	free(gatherer.specs);
	return abbrevs;
}

static int is_of(const void *item, const void *wanted)
{
	const struct exp_abbrevs *abbrevs = item;
	const struct exp_die_unit *unit = wanted;

	return abbrevs->offset == unit->abbrev_offset && abbrevs->version == unit->version &&
	       abbrevs->offset_size == unit->offset_size &&
	       abbrevs->address_size == unit->address_size;
}

struct exp_abbrevs *exp_abbrevs_of(struct exp_dies *dies, const struct exp_die_unit *unit)
{
	uint64_t hash = exp_hash_number(EXP_HASH_START, unit->abbrev_offset);
	struct exp_abbrevs *abbrevs = exp_hash_find(&dies->abbrevs, hash, is_of, unit);

	if (abbrevs)
		return abbrevs;
	abbrevs = read_all(dies, unit);
	return abbrevs && exp_hash_add(&dies->abbrevs, hash, abbrevs) == 0 ? abbrevs : NULL;
}
