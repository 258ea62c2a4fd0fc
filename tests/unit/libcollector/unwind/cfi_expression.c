/* DWARF expressions: each operation by section 2.5 of DWARF 5. */
#include "libcollector/unwind/cfi.h"

#include <criterion/criterion.h>
#include <errno.h>

static int read_memory(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	if (address < 4096)
		return -EFAULT;
	memcpy(value, (const void *)address, 8);
	return 0;
}

static uint64_t evaluate(const uint8_t *block, const struct arch_registers *registers, int *error)
{
	uint64_t value = 0;

	*error = cfi_evaluate(block, registers, 0, 0, read_memory, NULL, &value);
	return value;
}

Test(cfi_expression, expression_of_a_plt_stub_adds_8_once_the_push_was_made)
{
	const uint8_t plt[] = {11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	struct arch_registers registers = {{0}};
	int error;

	registers.value[ARCH_SP] = 0x7000;
	registers.value[ARCH_RA] = 0x401020;
	cr_assert_eq(evaluate(plt, &registers, &error), 0x7008);
	cr_assert_eq(error, 0);
	registers.value[ARCH_RA] = 0x40102b;
	cr_assert_eq(evaluate(plt, &registers, &error), 0x7010);
}

Test(cfi_expression, expression_follows_pointers_and_indexed_registers)
{
	uint64_t saved[4] = {1, 2, 0x1234, 4};
	/* *(rsp + 8 + r9 * 8) + 8, as Montgomery multiplication in libcrypto has it */
	const uint8_t block[] = {9, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23};
	uint8_t whole[16];
	struct arch_registers registers = {{0}};
	int error;

	memcpy(whole, block, sizeof(block));
	whole[0] = 10;
	whole[10] = 8;
	registers.value[ARCH_SP] = (uint64_t)saved;
	registers.value[9] = 1;
	cr_assert_eq(evaluate(whole, &registers, &error), 0x1234 + 8);
	cr_assert_eq(error, 0);
}

Test(cfi_expression, expressions_that_are_wrong_are_refused)
{
	const uint8_t underflow[] = {1, 0x22};
	const uint8_t unknown[] = {1, 0xf1};
	const uint8_t bad_pointer[] = {2, 0x31, 0x06};
	const uint8_t endless[] = {3, 0x2f, 0xfd, 0xff};
	struct arch_registers registers = {{0}};
	int error;

	evaluate(underflow, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
	evaluate(unknown, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
	evaluate(bad_pointer, &registers, &error);
	cr_assert_eq(error, -EFAULT);
	evaluate(endless, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
}

/* ---- one operation after the other ---- */

struct operation {
	const char *name;
	uint8_t block[24];
	uint64_t value;
};

static const struct operation operations[] = {
	{"lit0", {1, 0x30}, 0},
	{"lit31", {1, 0x4f}, 31},
	{"const1u", {2, 0x08, 0xfe}, 0xfe},
	{"const1s", {2, 0x09, 0xfe}, (uint64_t)-2},
	{"const2u", {3, 0x0a, 0x34, 0xf2}, 0xf234},
	{"const2s", {3, 0x0b, 0x34, 0xf2}, (uint64_t)-0xdcc},
	{"const4u", {5, 0x0c, 0x78, 0x56, 0x34, 0x92}, 0x92345678},
	{"const4s", {5, 0x0d, 0xff, 0xff, 0xff, 0xff}, (uint64_t)-1},
	{"const8u", {9, 0x0e, 8, 7, 6, 5, 4, 3, 2, 0x81}, 0x8102030405060708},
	{"const8s", {9, 0x0f, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, (uint64_t)-3},
	{"constu", {3, 0x10, 0xe5, 0x0e}, 0x765},
	{"consts", {3, 0x11, 0x80, 0x7f}, (uint64_t)-128},
	{"dup", {3, 0x37, 0x12, 0x22}, 14},
	{"drop", {3, 0x37, 0x38, 0x13}, 7},
	{"over", {5, 0x39, 0x34, 0x14, 0x1c, 0x1c}, 14},
	{"swap", {4, 0x37, 0x32, 0x16, 0x1c}, (uint64_t)-5},
	{"and", {3, 0x3e, 0x37, 0x1a}, 6},
	{"minus", {3, 0x37, 0x32, 0x1c}, 5},
	{"mul", {3, 0x37, 0x36, 0x1e}, 42},
	{"neg", {2, 0x37, 0x1f}, (uint64_t)-7},
	{"not", {2, 0x37, 0x20}, ~(uint64_t)7},
	{"or", {3, 0x3c, 0x35, 0x21}, 13},
	{"plus", {3, 0x3c, 0x35, 0x22}, 17},
	{"plus_uconst", {4, 0x35, 0x23, 0x80, 0x01}, 133},
	{"shl", {3, 0x35, 0x33, 0x24}, 40},
	{"shl by 63", {4, 0x31, 0x08, 63, 0x24}, (uint64_t)1 << 63},
	{"shl by 64", {4, 0x31, 0x08, 64, 0x24}, 0},
	{"shr", {4, 0x08, 40, 0x33, 0x25}, 5},
	{"shr by 63", {5, 0x09, 0xff, 0x08, 63, 0x25}, 1},
	{"shr by 64", {5, 0x09, 0xff, 0x08, 64, 0x25}, 0},
	{"xor", {3, 0x3c, 0x35, 0x27}, 9},
	{"eq", {3, 0x35, 0x35, 0x29}, 1},
	{"not eq", {3, 0x35, 0x36, 0x29}, 0},
	{"ge of equal", {3, 0x35, 0x35, 0x2a}, 1},
	{"ge of less", {3, 0x34, 0x35, 0x2a}, 0},
	{"ge has signs", {4, 0x34, 0x09, 0xff, 0x2a}, 1},
	{"gt of equal", {3, 0x35, 0x35, 0x2b}, 0},
	{"gt", {3, 0x36, 0x35, 0x2b}, 1},
	{"gt has signs", {4, 0x34, 0x09, 0xff, 0x2b}, 1},
	{"le of equal", {3, 0x35, 0x35, 0x2c}, 1},
	{"le of more", {3, 0x36, 0x35, 0x2c}, 0},
	{"le has signs", {4, 0x09, 0xff, 0x34, 0x2c}, 1},
	{"lt of equal", {3, 0x35, 0x35, 0x2d}, 0},
	{"lt", {3, 0x34, 0x35, 0x2d}, 1},
	{"lt has signs", {4, 0x09, 0xff, 0x34, 0x2d}, 1},
	{"ne", {3, 0x34, 0x35, 0x2e}, 1},
	{"ne of equal", {3, 0x35, 0x35, 0x2e}, 0},
	{"breg0", {2, 0x70, 0}, 1000},
	{"breg16", {2, 0x80, 3}, 1019},
	{"breg5 backwards", {2, 0x75, 0x7b}, 1000},
	{"skip", {6, 0x35, 0x2f, 1, 0, 0x36, 0x37}, 7},
	{"bra", {8, 0x35, 0x31, 0x28, 2, 0, 0x36, 0x37, 0x38}, 8},
	{"bra of 0", {7, 0x35, 0x30, 0x28, 1, 0, 0x36, 0x37}, 7},
};

Test(cfi_expression, each_operation_does_what_dwarf_says)
{
	struct arch_registers registers;
	uint64_t value;
	int error;

	for (uint64_t i = 0; i < ARCH_REGISTERS; i++)
		registers.value[i] = 1000 + i;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		value = evaluate(operations[i].block, &registers, &error);
		cr_assert_eq(error, 0, "%s", operations[i].name);
		cr_assert_eq(value, operations[i].value, "%s gives %#lx", operations[i].name,
		             value);
	}
}

/* Values below the top must still be there: a sum of products tells them apart. */
Test(cfi_expression, skip_leaves_out_what_it_skips_and_nothing_else)
{
	/* 5, skip over the 6, 7, minus */
	const uint8_t skips[] = {7, 0x35, 0x2f, 1, 0, 0x36, 0x37, 0x1c};
	/* 5, 0, bra is not taken: 6, 7, minus, minus */
	const uint8_t stays[] = {9, 0x35, 0x30, 0x28, 1, 0, 0x36, 0x37, 0x1c, 0x1c};
	struct arch_registers registers = {{0}};
	int error;

	cr_assert_eq(evaluate(skips, &registers, &error), (uint64_t)-2);
	cr_assert_eq(evaluate(stays, &registers, &error), 6);
	cr_assert_eq(error, 0);
}

Test(cfi_expression, words_are_read_in_the_size_that_is_wanted)
{
	static const uint64_t word = 0x8877665544332211;
	static const uint64_t sizes[9] = {0,
	                                  0x11,
	                                  0x2211,
	                                  0x332211,
	                                  0x44332211,
	                                  0x5544332211,
	                                  0x665544332211,
	                                  0x77665544332211,
	                                  0x8877665544332211};
	struct arch_registers registers = {{(uint64_t)&word}};
	uint8_t block[] = {4, 0x70, 0, 0x94, 0};
	int error;

	for (uint8_t size = 1; size <= 8; size++) {
		block[4] = size;
		cr_assert_eq(evaluate(block, &registers, &error), sizes[size]);
		cr_assert_eq(error, 0);
	}
	block[4] = 0;
	evaluate(block, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
	block[4] = 9;
	evaluate(block, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
	block[4] = 8;
	registers.value[0] = 16;
	evaluate(block, &registers, &error);
	cr_assert_eq(error, -EFAULT);
}

Test(cfi_expression, rules_of_registers_begin_with_the_cfa)
{
	const uint8_t add[] = {2, 0x23, 5}, alone[] = {0};
	struct arch_registers registers = {{0}};
	uint64_t value = 0;

	cr_assert_eq(cfi_evaluate(add, &registers, 1, 100, read_memory, NULL, &value), 0);
	cr_assert_eq(value, 105);
	cr_assert_eq(cfi_evaluate(alone, &registers, 1, 100, read_memory, NULL, &value), 0);
	cr_assert_eq(value, 100);
	cr_assert_eq(cfi_evaluate(alone, &registers, 0, 100, read_memory, NULL, &value), -ENOTSUP,
	             "nothing is on the stack");
}

/* There is room for 16 values. */
Test(cfi_expression, a_stack_too_deep_is_refused)
{
	uint8_t block[20] = {16};
	struct arch_registers registers = {{0}};
	int error;

	memset(block + 1, 0x31, 17);
	block[16] = 0x32;
	cr_assert_eq(evaluate(block, &registers, &error), 2);
	cr_assert_eq(error, 0);
	block[0] = 17;
	evaluate(block, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
}

/* 256 steps are allowed. */
Test(cfi_expression, a_long_way_is_refused)
{
	uint8_t block[260] = {0x80, 2}; /* 256 operations */
	struct arch_registers registers = {{0}};
	int error;

	memset(block + 2, 0x20, 257);
	block[2] = 0x31;
	cr_assert_eq(evaluate(block, &registers, &error), ~(uint64_t)1);
	cr_assert_eq(error, 0);
	block[0] = 0x81;
	evaluate(block, &registers, &error);
	cr_assert_eq(error, -ENOTSUP);
}

Test(cfi_expression, operations_that_tables_do_not_use_are_refused)
{
	/* pick, div, and the neighbours of known operations */
	static const uint8_t others[] = {0x03, 0x07, 0x15, 0x17, 0x19, 0x1b, 0x1d,
	                                 0x26, 0x50, 0x6f, 0x81, 0x93, 0x95, 0x96};
	struct arch_registers registers = {{0}};
	int error;

	for (size_t i = 0; i < sizeof(others); i++) {
		uint8_t block[] = {5, 0x32, 0x31, others[i], 0x30, 0x30};

		evaluate(block, &registers, &error);
		cr_assert_eq(error, -ENOTSUP, "%#x", others[i]);
	}
}
