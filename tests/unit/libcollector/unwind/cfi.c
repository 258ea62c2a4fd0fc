/* Tests of DWARF expressions and of packing unwind rows. */
#include "libcollector/unwind/rule.h"

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

Test(cfi, expression_of_a_plt_stub_adds_8_once_the_push_was_made)
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

Test(cfi, expression_follows_pointers_and_indexed_registers)
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

Test(cfi, expressions_that_are_wrong_are_refused)
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

static struct cfi_row usual_row(void)
{
	struct cfi_row row = {.cfa_reg = ARCH_SP, .cfa_offset = 64};

	row.rule[ARCH_RA] = (struct cfi_rule){.how = CFI_OFFSET, .offset = -8};
	return row;
}

Test(rule, packs_what_compilers_write)
{
	struct cfi_row row = usual_row();
	uint32_t rule = rule_pack(&row);

	cr_assert_eq(rule_kind(rule), RULE_SP);
	cr_assert_eq(rule_cfa_offset(rule), 64);
	cr_assert_eq(rule_bp(rule), RULE_BP_SAME);
	row.cfa_reg = ARCH_FP;
	row.cfa_offset = 16;
	row.rule[ARCH_FP] = (struct cfi_rule){.how = CFI_OFFSET, .offset = -16};
	rule = rule_pack(&row);
	cr_assert_eq(rule_kind(rule), RULE_BP);
	cr_assert_eq(rule_bp(rule), RULE_BP_AT_CFA);
	cr_assert_eq(rule_bp_offset(rule), -16);
}

Test(rule, leaves_the_rest_to_the_slow_walk)
{
	struct cfi_row row = usual_row();

	row.cfa_reg = ARCH_BX;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row = usual_row();
	row.cfa_offset = 1 << 19;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row = usual_row();
	row.rule[ARCH_RA].offset = -16;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row = usual_row();
	row.rule[ARCH_RA].how = CFI_UNDEFINED;
	cr_assert_eq(rule_pack(&row), RULE_END);
	row.is_signal_frame = 1;
	cr_assert_eq(rule_pack(&row), RULE_SIGNAL);
}

Test(rule, offsets_survive_packing_over_their_whole_range)
{
	struct cfi_row row = usual_row();

	row.rule[ARCH_FP].how = CFI_OFFSET;
	for (int64_t cfa = 8; cfa < 1 << 18; cfa += 8 * 997)
		for (int64_t bp = -4096; bp < 4096; bp += 8 * 31) {
			uint32_t rule;

			row.cfa_offset = cfa;
			row.rule[ARCH_FP].offset = bp;
			rule = rule_pack(&row);
			cr_assert_eq(rule_cfa_offset(rule), cfa);
			cr_assert_eq(rule_bp_offset(rule), bp);
		}
}
