/* dieranges.c: the code ranges of entries: DWARF 5, sections 2.17 and 7.28, DWARF 4, section 2.17,
 * and the index of .debug_aranges, section 6.1.2. */
#include "experiment/dwarf/abbrev.h"

#include <dwarf.h>
#include <errno.h>

enum { RANGES_MAX = 1 << 16 }; /* of an entry */

/* What a list of ranges is read with. */
struct walk {
	struct exp_dies *dies;
	const struct exp_die_unit *unit;
	struct exp_reader in;
	uint64_t base;
	int (*take)(void *context, uint64_t start, uint64_t end);
	void *context;
};

/* A reader of a section from an offset on; at its end, if there is nothing. */
static struct exp_reader read_from(struct exp_debug_section *section, uint64_t offset)
{
	/* Lists do not have a length. */
	exp_debug_want(section, section->size);
	if (offset >= section->ready)
		return (struct exp_reader){
			.at = section->bytes, .end = section->bytes, .is_bad = 1};
	return (struct exp_reader){.at = section->bytes + offset,
	                           .end = section->bytes + section->ready};
}

static int tell(const struct walk *walk, uint64_t start, uint64_t end)
{
	return start < end ? walk->take(walk->context, start, end) : 0;
}

/* Entry `index` of the unit's part of .debug_addr; 0 if there is none. */
static uint64_t address_at(const struct walk *walk, uint64_t index)
{
	struct exp_debug_section *section = &walk->dies->sections->of[EXP_DEBUG_ADDR];
	unsigned size = walk->unit->address_size;
	struct exp_reader in = {.is_bad = 0};

	exp_debug_want(section, section->size);
	if (walk->unit->addresses > section->ready ||
	    index >= (section->ready - walk->unit->addresses) / size)
		return 0;
	in = read_from(section, walk->unit->addresses + index * size);
	return exp_read_fixed(&in, size);
}

/* One entry of a list of DWARF 5. Returns what `take` did, or 0; *more becomes 0 at the end. */
static int step_new(struct walk *walk, int *more)
{
	struct exp_reader *in = &walk->in;
	unsigned size = walk->unit->address_size;
	uint64_t start, end;

	switch (exp_read_fixed(in, 1)) {
	case DW_RLE_base_addressx:
		walk->base = address_at(walk, exp_read_uleb(in));
		return 0;
	case DW_RLE_base_address:
		walk->base = exp_read_fixed(in, size);
		return 0;
	case DW_RLE_startx_endx:
		start = address_at(walk, exp_read_uleb(in));
		end = address_at(walk, exp_read_uleb(in));
		break;
	case DW_RLE_startx_length:
		start = address_at(walk, exp_read_uleb(in));
		end = start + exp_read_uleb(in);
		break;
	case DW_RLE_offset_pair:
		start = walk->base + exp_read_uleb(in);
		end = walk->base + exp_read_uleb(in);
		break;
	case DW_RLE_start_end:
		start = exp_read_fixed(in, size);
		end = exp_read_fixed(in, size);
		break;
	case DW_RLE_start_length:
		start = exp_read_fixed(in, size);
		end = start + exp_read_uleb(in);
		break;
	default: /* DW_RLE_end_of_list */
		*more = 0;
		return 0;
	}
	return in->is_bad ? 0 : tell(walk, start, end);
}

/* The same of DWARF 2 to 4. */
static int step_old(struct walk *walk, int *more)
{
	unsigned size = walk->unit->address_size;
	uint64_t start = exp_read_fixed(&walk->in, size);
	uint64_t end = exp_read_fixed(&walk->in, size);

	if (start == 0 && end == 0)
		*more = 0;
	else if (start == (size == 8 ? UINT64_MAX : UINT32_MAX))
		walk->base = end;
	else if (!walk->in.is_bad)
		return tell(walk, walk->base + start, walk->base + end);
	return 0;
}

static int walk_list(struct walk *walk)
{
	int more = 1, rc = 0;

	for (int i = 0; i < RANGES_MAX && more && !walk->in.is_bad && rc == 0; i++)
		rc = walk->unit->version >= 5 ? step_new(walk, &more) : step_old(walk, &more);
	return rc;
}

/* Where the list of an entry begins. Returns 0 or -ENOENT. */
static int list_of(struct exp_dies *dies, const struct exp_die *die, uint64_t *out)
{
	const struct exp_die_unit *unit = die->unit;
	struct exp_reader in;
	uint64_t number;

	if (exp_die_number(die, EXP_DIE_RANGES, &number) != 0)
		return -ENOENT;
	*out = number;
	if (exp_die_spec(die, EXP_DIE_RANGES)->form != DW_FORM_rnglistx)
		return 0;
	if (unit->range_lists == UINT64_MAX || number > UINT32_MAX)
		return -ENOENT;
	in = read_from(&dies->sections->of[EXP_DEBUG_RNGLISTS],
	               unit->range_lists + number * unit->offset_size);
	*out = unit->range_lists + exp_read_fixed(&in, unit->offset_size);
	return in.is_bad ? -ENOENT : 0;
}

int exp_die_each_range(struct exp_dies *dies, const struct exp_die *die,
                       int (*take)(void *context, uint64_t start, uint64_t end), void *context)
{
	struct walk walk = {.dies = dies,
	                    .unit = die->unit,
	                    .base = die->unit->low_pc,
	                    .take = take,
	                    .context = context};
	uint64_t start, end, list;

	if (exp_die_has(die, EXP_DIE_HIGH_PC) &&
	    exp_die_address(dies, die, EXP_DIE_LOW_PC, &start) == 0) {
		/* It is an address, or says how long the code is. */
		if (exp_die_address(dies, die, EXP_DIE_HIGH_PC, &end) == 0)
			return tell(&walk, start, end);
		return exp_die_number(die, EXP_DIE_HIGH_PC, &end) == 0
		               ? tell(&walk, start, start + end)
		               : 0;
	}
	if (list_of(dies, die, &list) != 0)
		return 0;
	walk.in = read_from(&dies->sections->of[die->unit->version >= 5 ? EXP_DEBUG_RNGLISTS
	                                                                : EXP_DEBUG_RANGES],
	                    list);
	return walk_list(&walk);
}

/* One table of the index, that of a unit. */
static int walk_table(struct exp_reader in, unsigned offset_size,
                      int (*take)(void *context, uint64_t start, uint64_t end, uint64_t unit),
                      void *context, size_t header)
{
	const uint8_t *begin = in.at - header;
	uint64_t unit;
	unsigned size, segment;
	int rc = 0;

	if (exp_read_fixed(&in, 2) != 2) /* the version of the index */
		return 0;
	unit = exp_read_fixed(&in, offset_size);
	size = (unsigned)exp_read_fixed(&in, 1);
	segment = (unsigned)exp_read_fixed(&in, 1);
	if (in.is_bad || segment != 0 || (size != 4 && size != 8))
		return 0;
	/* Pairs stand at multiples of their size. */
	exp_read_skip(&in, (2 * size - (size_t)(in.at - begin) % (2 * size)) % (2 * size));
	while (rc == 0 && !in.is_bad) {
		uint64_t start = exp_read_fixed(&in, size), length = exp_read_fixed(&in, size);

		if (in.is_bad || (start == 0 && length == 0))
			break;
		if (length != 0 && length <= UINT64_MAX - start)
			rc = take(context, start, start + length, unit);
	}
	return rc;
}

int exp_dies_each_indexed(struct exp_dies *dies,
                          int (*take)(void *context, uint64_t start, uint64_t end, uint64_t unit),
                          void *context)
{
	struct exp_reader in = read_from(&dies->sections->of[EXP_DEBUG_ARANGES], 0);
	int rc = 0;

	while (rc == 0 && in.at < in.end) {
		unsigned offset_size = 4;
		uint64_t length = exp_read_fixed(&in, 4);
		struct exp_reader table;

		if (length == 0xffffffff) { /* the 64-bit format */
			offset_size = 8;
			length = exp_read_fixed(&in, 8);
		}
		table = in;
		exp_read_skip(&in, length);
		if (in.is_bad)
			break;
		table.end = in.at;
		rc = walk_table(table, offset_size, take, context, offset_size == 4 ? 4 : 12);
	}
	return rc;
}
