/* Bounds of functions, by the index of the unwinding tables. */
#include "experiment/elf/binary.h"
#include "tests/unit/experiment/make_elf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum { INDEX = 0x3000, TABLES = 0x3800, FUNCTIONS = 3 };

/* The index as linkers write it: offsets from its own address, sorted. */
static struct {
	uint8_t version, pointer, count_form, table_form;
	int32_t tables;
	uint32_t count;
	struct {
		int32_t start, table;
	} entries[FUNCTIONS];
} index_made;

/* A table of one function. */
static struct {
	uint32_t size, common;
	int32_t start;
	uint32_t length;
} tables[FUNCTIONS];

static struct exp_binary *binary;

static void set_up(void)
{
	static const struct {
		uint64_t start;
		uint32_t length;
	} functions[FUNCTIONS] = {{0x1000, 0x40}, {0x1040, 0x10}, {0x5000, 0x20}};

	index_made.version = 1;
	index_made.pointer = 0x1b;
	index_made.count_form = 0x03;
	index_made.table_form = 0x3b;
	index_made.count = FUNCTIONS;
	for (int i = 0; i < FUNCTIONS; i++) {
		index_made.entries[i].start = (int32_t)functions[i].start - INDEX;
		index_made.entries[i].table = TABLES + i * (int32_t)sizeof(tables[0]) - INDEX;
		tables[i].length = functions[i].length;
	}
}

static void tear_down(void)
{
	exp_binary_close(binary);
}

TestSuite(fde, .init = set_up, .fini = tear_down);

static void open_program(void)
{
	const struct made_section sections[] = {
		{.name = ".eh_frame_hdr",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC,
	         .address = INDEX,
	         .bytes = &index_made,
	         .size = sizeof(index_made)},
		{.name = ".eh_frame",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC,
	         .address = TABLES,
	         .bytes = tables,
	         .size = sizeof(tables)},
	};

	binary = made_binary(sections, 2);
}

static void expect(uint64_t address, uint64_t start, uint64_t end)
{
	struct exp_range range;

	cr_assert_eq(exp_binary_unwind_range(binary, address, &range), 0, "%#lx", address);
	cr_expect_eq(range.start, start, "%#lx", address);
	cr_expect_eq(range.end, end, "%#lx", address);
}

static void expect_none(uint64_t address)
{
	struct exp_range range;

	cr_expect_eq(exp_binary_unwind_range(binary, address, &range), -ENOENT, "%#lx", address);
}

Test(fde, a_function_reaches_as_far_as_its_table_says)
{
	open_program();
	expect_none(0xfff);
	expect(0x1000, 0x1000, 0x1040);
	expect(0x103f, 0x1000, 0x1040);
	expect(0x1040, 0x1040, 0x1050);
	expect(0x104f, 0x1040, 0x1050);
	expect_none(0x1050);
	expect_none(0x4fff);
	expect(0x5000, 0x5000, 0x5020);
	expect(0x501f, 0x5000, 0x5020);
	expect_none(0x5020);
	expect_none(UINT64_MAX);
}

Test(fde, an_index_of_another_form_is_not_read)
{
	static const size_t fields[] = {0, 2, 3};

	for (size_t i = 0; i < 3; i++) {
		((uint8_t *)&index_made)[fields[i]] ^= 4;
		open_program();
		expect_none(0x1000);
		exp_binary_close(binary);
		((uint8_t *)&index_made)[fields[i]] ^= 4;
	}
	index_made.pointer = 0x03; /* has no effect, as the tables are found by the entries */
	open_program();
	expect(0x1000, 0x1000, 0x1040);
}

Test(fde, an_index_that_is_cut_is_not_read)
{
	index_made.count = FUNCTIONS + 1;
	open_program();
	expect_none(0x1000);
	exp_binary_close(binary);
	index_made.count = 0;
	open_program();
	expect_none(0x1000);
}

Test(fde, a_table_outside_of_the_file_has_no_length)
{
	index_made.entries[0].table = 0x100000;
	index_made.entries[2].table += 4;
	open_program();
	expect_none(0x1000);
	expect(0x1040, 0x1040, 0x1050);
	expect_none(0x5000);
}

Test(fde, a_program_without_an_index_has_no_bounds)
{
	binary = made_binary(&(struct made_section){.name = ".eh_frame",
	                                            .type = SHT_PROGBITS,
	                                            .flags = SHF_ALLOC,
	                                            .address = TABLES,
	                                            .bytes = tables,
	                                            .size = sizeof(tables)},
	                     1);
	expect_none(0x1000);
}
