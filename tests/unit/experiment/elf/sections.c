/* Sections: which one is mapped at an address, how much of it is left, and whether it is code. */
#include "experiment/elf/binary.h"
#include "tests/unit/experiment/make_elf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct exp_binary *binary;

static void set_up(void)
{
	static const struct made_section sections[] = {
		{.name = ".comment",
	         .type = SHT_PROGBITS,
	         .address = 0x1000,
	         .bytes = "not mapped",
	         .size = 10},
		{.name = ".text",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_EXECINSTR,
	         .address = 0x1000,
	         .bytes = "code here",
	         .size = 9},
		{.name = ".data",
	         .type = SHT_PROGBITS,
	         .flags = SHF_ALLOC | SHF_WRITE,
	         .address = 0x2000,
	         .bytes = "data",
	         .size = 4},
		{.name = ".bss",
	         .type = SHT_NOBITS,
	         .flags = SHF_ALLOC | SHF_WRITE,
	         .address = 0x3000,
	         .size = 16},
	};

	binary = made_binary(sections, sizeof(sections) / sizeof(sections[0]));
}

static void tear_down(void)
{
	exp_binary_close(binary);
}

TestSuite(sections, .init = set_up, .fini = tear_down);

Test(sections, have_bounds)
{
	struct exp_range range;

	cr_expect_eq(exp_binary_section_range(binary, 0xfff, &range), -ENOENT);
	cr_assert_eq(exp_binary_section_range(binary, 0x1008, &range), 0);
	cr_expect_eq(range.start, 0x1000);
	cr_expect_eq(range.end, 0x1009);
	cr_expect_eq(exp_binary_section_range(binary, 0x1009, &range), -ENOENT);
	cr_assert_eq(exp_binary_section_range(binary, 0x2000, &range), 0);
	cr_expect_eq(range.start, 0x2000);
	cr_expect_eq(exp_binary_section_range(binary, 0x3000, &range), -ENOENT,
	             "it has no bytes in the file");
}

Test(sections, have_bytes_up_to_their_ends)
{
	const uint8_t *bytes;

	cr_assert_eq(exp_binary_bytes_at(binary, 0x1000, &bytes), 9);
	cr_expect_eq(memcmp(bytes, "code here", 9), 0);
	cr_assert_eq(exp_binary_bytes_at(binary, 0x1005, &bytes), 4);
	cr_expect_eq(memcmp(bytes, "here", 4), 0);
	cr_assert_eq(exp_binary_bytes_at(binary, 0x2003, &bytes), 1);
	cr_expect_eq(*bytes, 'a');
	cr_expect_eq(exp_binary_bytes_at(binary, 0x2004, &bytes), 0);
	cr_expect_eq(exp_binary_bytes_at(binary, 0x3000, &bytes), 0);
	cr_expect_eq(exp_binary_bytes_at(binary, 0, &bytes), 0);
}

Test(sections, only_some_are_code)
{
	const uint8_t *bytes = (const uint8_t *)"";

	cr_assert_eq(exp_binary_code_at(binary, 0x1004, &bytes), 5);
	cr_expect_eq(memcmp(bytes, " here", 5), 0);
	cr_expect_eq(exp_binary_code_at(binary, 0x2000, &bytes), 0);
	cr_expect_null(bytes);
	bytes = (const uint8_t *)"";
	cr_expect_eq(exp_binary_code_at(binary, 0x5000, &bytes), 0);
	cr_expect_null(bytes);
}
