/* Address ranges of entries, in every form that DWARF 2 to 5 have, and the index of them, in
 * sections that are made here byte by byte. */
#include "experiment/dwarf/die.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* By DWARF 5, 7.5: forms, attributes, tags; 7.25: kinds of entries in lists. */
enum {
	FORM_ADDR = 0x01,
	FORM_DATA2 = 0x05,
	FORM_UDATA = 0x0f,
	FORM_SEC_OFFSET = 0x17,
	FORM_ADDRX = 0x1b,
	FORM_RNGLISTX = 0x23,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_RANGES = 0x55,
	AT_ADDR_BASE = 0x73,
	AT_RNGLISTS_BASE = 0x74,
	TAG_COMPILE_UNIT = 0x11,
	TAG_SUBPROGRAM = 0x2e
};
enum {
	END_OF_LIST,
	BASE_ADDRESSX,
	STARTX_ENDX,
	STARTX_LENGTH,
	OFFSET_PAIR,
	BASE_ADDRESS,
	START_END,
	START_LENGTH
};

static uint8_t bytes[EXP_DEBUG_COUNT][512];
static struct exp_debug_sections sections;
static struct exp_dies dies;
static char told[512];

static void tear_down(void)
{
	exp_dies_fini(&dies);
}

TestSuite(dieranges, .fini = tear_down);

/* Add a number of that many bytes to a section. */
static void put(enum exp_debug_section_name name, unsigned size, uint64_t number)
{
	struct exp_debug_section *section = &sections.of[name];

	memcpy(bytes[name] + section->size, &number, size);
	section->bytes = bytes[name];
	section->size += size;
	section->ready = section->size;
}

static void put_all(enum exp_debug_section_name name, size_t count, const uint8_t *values)
{
	for (size_t i = 0; i < count; i++)
		put(name, 1, values[i]);
}

#define PUT(name, ...) \
	put_all(name, sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]){__VA_ARGS__})

/* Abbreviations: 1 is the unit; the others are functions that give their ranges in one way each. */
enum {
	IN_LIST = 2,
	IN_NUMBERED_LIST,
	TO_ADDRESS,
	OF_LENGTH,
	FROM_NUMBERED,
	OF_SMALL_LENGTH,
	NOWHERE
};

static void put_abbreviations(void)
{
	PUT(EXP_DEBUG_ABBREV, 1, TAG_COMPILE_UNIT, 1, AT_LOW_PC, FORM_ADDR, AT_ADDR_BASE,
	    FORM_SEC_OFFSET, AT_RNGLISTS_BASE, FORM_SEC_OFFSET, 0, 0);
	PUT(EXP_DEBUG_ABBREV, IN_LIST, TAG_SUBPROGRAM, 0, AT_RANGES, FORM_SEC_OFFSET, 0, 0);
	PUT(EXP_DEBUG_ABBREV, IN_NUMBERED_LIST, TAG_SUBPROGRAM, 0, AT_RANGES, FORM_RNGLISTX, 0, 0);
	PUT(EXP_DEBUG_ABBREV, TO_ADDRESS, TAG_SUBPROGRAM, 0, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	    FORM_ADDR, 0, 0);
	PUT(EXP_DEBUG_ABBREV, OF_LENGTH, TAG_SUBPROGRAM, 0, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	    FORM_UDATA, 0, 0);
	PUT(EXP_DEBUG_ABBREV, FROM_NUMBERED, TAG_SUBPROGRAM, 0, AT_LOW_PC, FORM_ADDRX, AT_HIGH_PC,
	    FORM_UDATA, 0, 0);
	PUT(EXP_DEBUG_ABBREV, OF_SMALL_LENGTH, TAG_SUBPROGRAM, 0, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	    FORM_DATA2, 0, 0);
	PUT(EXP_DEBUG_ABBREV, NOWHERE, TAG_SUBPROGRAM, 0, 0, 0);
	PUT(EXP_DEBUG_ABBREV, 0);
}

/* Begin a unit whose code is at 0x100000; its addresses 0 to 2 are 0x1000, 0x2000 and 0x3000. */
static void begin(unsigned version, unsigned address_size)
{
	put_abbreviations();
	put(EXP_DEBUG_INFO, 4, 0); /* the length, see read */
	put(EXP_DEBUG_INFO, 2, version);
	if (version >= 5)
		PUT(EXP_DEBUG_INFO, 1, (uint8_t)address_size);
	put(EXP_DEBUG_INFO, 4, 0);
	if (version < 5)
		put(EXP_DEBUG_INFO, 1, address_size);
	put(EXP_DEBUG_INFO, 1, 1);
	put(EXP_DEBUG_INFO, address_size, 0x100000);
	put(EXP_DEBUG_INFO, 4, 8);  /* after the header of .debug_addr */
	put(EXP_DEBUG_INFO, 4, 12); /* and of .debug_rnglists */
	put(EXP_DEBUG_ADDR, 8, 0);
	for (uint64_t i = 1; i <= 3; i++)
		put(EXP_DEBUG_ADDR, address_size, 0x1000 * i);
	put(EXP_DEBUG_RNGLISTS, 8, 0);
	put(EXP_DEBUG_RNGLISTS, 4, 2);
}

static int tell(void *context, uint64_t start, uint64_t end)
{
	int *left = context;
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%lx-%lx ", start, end);
	return --*left == 0 ? -EINTR : 0;
}

/* Report the ranges of the unit's first function, at most `most`. Returns the result of the
 * walk. */
static int walk(int most)
{
	struct exp_die_unit *unit;
	struct exp_die die;
	uint32_t length;

	put(EXP_DEBUG_INFO, 1, 0); /* the end of the functions */
	length = (uint32_t)sections.of[EXP_DEBUG_INFO].size - 4;
	memcpy(bytes[EXP_DEBUG_INFO], &length, 4);
	exp_dies_init(&dies, &sections);
	unit = exp_dies_unit_next(&dies, NULL);
	cr_assert_not_null(unit);
	cr_assert_eq(exp_die_read(&dies, unit, unit->first, &die), 0);
	cr_assert_eq(exp_die_read(&dies, unit, die.behind, &die), 0);
	cr_assert_eq(die.tag, TAG_SUBPROGRAM);
	told[0] = '\0';
	return exp_die_each_range(&dies, &die, tell, &most);
}

static void says(const char *text)
{
	cr_expect_eq(walk(-1), 0);
	cr_expect_str_eq(told, text);
}

Test(dieranges, a_range_ends_at_an_address)
{
	begin(5, 8);
	PUT(EXP_DEBUG_INFO, TO_ADDRESS);
	put(EXP_DEBUG_INFO, 8, 0x5000);
	put(EXP_DEBUG_INFO, 8, 0x5010);
	says("5000-5010 ");
}

Test(dieranges, a_range_has_a_length)
{
	begin(4, 8);
	PUT(EXP_DEBUG_INFO, OF_LENGTH);
	put(EXP_DEBUG_INFO, 8, 0x5000);
	PUT(EXP_DEBUG_INFO, 0x81, 0x02); /* 0x101 */
	says("5000-5101 ");
}

Test(dieranges, a_range_has_a_length_of_few_bytes)
{
	begin(5, 8);
	PUT(EXP_DEBUG_INFO, OF_SMALL_LENGTH);
	put(EXP_DEBUG_INFO, 8, 0x5000);
	put(EXP_DEBUG_INFO, 2, 0x203);
	says("5000-5203 ");
}

Test(dieranges, a_range_begins_at_a_numbered_address)
{
	begin(5, 8);
	PUT(EXP_DEBUG_INFO, FROM_NUMBERED, 2, 0x10);
	says("3000-3010 ");
}

Test(dieranges, an_empty_range_is_none)
{
	begin(5, 8);
	PUT(EXP_DEBUG_INFO, OF_LENGTH);
	put(EXP_DEBUG_INFO, 8, 0x5000);
	PUT(EXP_DEBUG_INFO, 0);
	says("");
}

Test(dieranges, an_entry_without_code_has_no_ranges)
{
	begin(5, 8);
	PUT(EXP_DEBUG_INFO, NOWHERE);
	says("");
}

/* One entry of each kind. */
static void put_new_list(unsigned size)
{
	const enum exp_debug_section_name lists = EXP_DEBUG_RNGLISTS;

	PUT(lists, OFFSET_PAIR, 0x10, 0x20); /* relative to where the unit's code is */
	PUT(lists, BASE_ADDRESSX, 1, OFFSET_PAIR, 1, 3);
	PUT(lists, BASE_ADDRESS);
	put(lists, size, 0x7000);
	PUT(lists, OFFSET_PAIR, 4, 0x84, 0x01);
	PUT(lists, STARTX_ENDX, 0, 2);
	PUT(lists, STARTX_LENGTH, 2, 5);
	PUT(lists, START_END);
	put(lists, size, 0x8000);
	put(lists, size, 0x8001);
	PUT(lists, START_LENGTH);
	put(lists, size, 0x9000);
	PUT(lists, 9, OFFSET_PAIR, 7, 7);
	PUT(lists, END_OF_LIST, OFFSET_PAIR, 1, 2);
}

#define NEW_LIST "100010-100020 2001-2003 7004-7084 1000-3000 3000-3005 8000-8001 9000-9009 "

Test(dieranges, lists_of_dwarf_5_have_entries_of_seven_kinds)
{
	begin(5, 8);
	put_new_list(8);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 12);
	says(NEW_LIST);
}

Test(dieranges, addresses_may_have_four_bytes)
{
	begin(5, 4);
	put_new_list(4);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 12);
	says(NEW_LIST);
}

Test(dieranges, lists_have_numbers)
{
	begin(5, 8);
	put(EXP_DEBUG_RNGLISTS, 4, 100); /* list 0: no offset */
	put(EXP_DEBUG_RNGLISTS, 4, 8);   /* list 1: after these offsets */
	put_new_list(8);
	PUT(EXP_DEBUG_INFO, IN_NUMBERED_LIST, 1);
	says(NEW_LIST);
}

Test(dieranges, a_list_ends_where_it_is_told_to)
{
	begin(5, 8);
	put_new_list(8);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 12);
	cr_expect_eq(walk(3), -EINTR);
	cr_expect_str_eq(told, "100010-100020 2001-2003 7004-7084 ");
}

/* A range that is cut off, or has an address that does not exist, is left out. */
Test(dieranges, a_list_that_is_cut_has_what_is_there)
{
	begin(5, 8);
	PUT(EXP_DEBUG_RNGLISTS, OFFSET_PAIR, 1, 2, STARTX_ENDX, 3, 1, START_END, 0, 0);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 12);
	says("100001-100002 0-2000 ");
}

Test(dieranges, a_list_outside_of_its_section_is_empty)
{
	begin(5, 8);
	put_new_list(8);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 500);
	says("");
}

static void put_pair(unsigned size, uint64_t start, uint64_t end)
{
	put(EXP_DEBUG_RANGES, size, start);
	put(EXP_DEBUG_RANGES, size, end);
}

/* Pairs of offsets; the highest address says that the base follows. */
static void put_old_list(unsigned size)
{
	put_pair(size, 0x5555, 0x6666);
	put_pair(size, 0, 0x10);
	put_pair(size, 0x20, 0x30);
	put_pair(size, size == 8 ? UINT64_MAX : UINT32_MAX, 0x7000);
	put_pair(size, 1, 2);
	put_pair(size, 3, 3);
	put_pair(size, 0, 0);
	put_pair(size, 5, 6);
}

Test(dieranges, older_lists_are_pairs)
{
	begin(4, 8);
	put_old_list(8);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 16);
	says("100000-100010 100020-100030 7001-7002 ");
}

Test(dieranges, older_lists_of_small_addresses)
{
	begin(3, 4);
	put_old_list(4);
	PUT(EXP_DEBUG_INFO, IN_LIST);
	put(EXP_DEBUG_INFO, 4, 8);
	says("100000-100010 100020-100030 7001-7002 ");
}

/* ---- the index of all units: DWARF 5, 6.1.2 */

static int tell_indexed(void *context, uint64_t start, uint64_t end, uint64_t unit)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%lx:", unit);
	return tell(context, start, end);
}

/* A table of a unit; its size is that of two pairs and the end, unless another one is given. */
static void put_table(unsigned version, uint64_t unit, unsigned size, unsigned segment, int is_64)
{
	const enum exp_debug_section_name index = EXP_DEBUG_ARANGES;
	size_t header = is_64 ? 24 : 12;
	size_t padding = (2 * size - header % (2 * size)) % (2 * size);

	if (is_64)
		put(index, 4, UINT32_MAX);
	put(index, is_64 ? 8 : 4, header - (is_64 ? 12 : 4) + padding + 6 * size);
	put(index, 2, version);
	put(index, is_64 ? 8 : 4, unit);
	put(index, 1, size);
	put(index, 1, segment);
	for (size_t i = 0; i < padding; i++)
		put(index, 1, 0xee);
	put(index, size, 0x1000 + unit);
	put(index, size, 0x10);
	put(index, size, 0x2000 + unit);
	put(index, size, 0x20);
	put(index, size, 0);
	put(index, size, 0);
}

static int walk_index(int most)
{
	exp_dies_init(&dies, &sections);
	told[0] = '\0';
	return exp_dies_each_indexed(&dies, tell_indexed, &most);
}

Test(dieranges, the_index_has_a_table_for_each_unit)
{
	put_table(2, 0x40, 8, 0, 0);
	put_table(2, 0x80, 4, 0, 0);
	put_table(2, 0xc0, 8, 0, 1);
	put_table(2, 0x100, 4, 0, 1);
	cr_expect_eq(walk_index(-1), 0);
	cr_expect_str_eq(told, "40:1040-1050 40:2040-2060 80:1080-1090 80:2080-20a0 "
	                       "c0:10c0-10d0 c0:20c0-20e0 100:1100-1110 100:2100-2120 ");
}

Test(dieranges, tables_of_other_kinds_are_passed_over)
{
	put_table(3, 0x40, 8, 0, 0);
	put_table(2, 0x80, 8, 4, 0);
	put_table(2, 0xc0, 2, 0, 0);
	put_table(2, 0x100, 8, 0, 0);
	cr_expect_eq(walk_index(-1), 0);
	cr_expect_str_eq(told, "100:1100-1110 100:2100-2120 ");
}

Test(dieranges, the_index_ends_where_it_is_told_to_or_cut)
{
	put_table(2, 0x40, 8, 0, 0);
	put_table(2, 0x80, 8, 0, 0);
	cr_expect_eq(walk_index(3), -EINTR);
	cr_expect_str_eq(told, "40:1040-1050 40:2040-2060 80:1080-1090 ");
	sections.of[EXP_DEBUG_ARANGES].size--;
	sections.of[EXP_DEBUG_ARANGES].ready--;
	cr_expect_eq(walk_index(-1), 0);
	cr_expect_str_eq(told, "40:1040-1050 40:2040-2060 ", "half a table is none");
}

Test(dieranges, an_indexed_range_stays_within_addresses)
{
	put_table(2, 0x40, 8, 0, 0);
	memset(bytes[EXP_DEBUG_ARANGES] + 16, 0xff, 8); /* the first start */
	memset(bytes[EXP_DEBUG_ARANGES] + 40, 0, 8);    /* the second length */
	cr_expect_eq(walk_index(-1), 0);
	cr_expect_str_eq(told, "");
}
