/* Unwinding rules: how rows are packed, and what is found for the code of this program. */
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/shadow.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/object/map.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>

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

static uint32_t packed_cfa(const uint8_t *expression)
{
	struct cfi_row row = usual_row();

	row.cfa_expression = expression;
	return rule_pack(&row);
}

Test(rule, realigned_frames_and_plt_stubs_are_packed)
{
	static const uint8_t plt[] = {11,   0x77, 8,    0x80, 0,    0x3f,
	                              0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	static const uint8_t of_fp[] = {3, 0x76, 0x78, 0x06}, of_sp[] = {3, 0x77, 0x10, 0x06};
	uint32_t rule = packed_cfa(plt);

	cr_assert_eq(rule_kind(rule), RULE_PLT);
	cr_assert_eq(rule_cfa_offset(rule), 8 * 11, "the byte of the stub");
	rule = packed_cfa(of_fp);
	cr_assert_eq(rule_kind(rule), RULE_BP_DEREF);
	cr_assert_eq(rule_cfa_offset(rule), -8);
	rule = packed_cfa(of_sp);
	cr_assert_eq(rule_kind(rule), RULE_SP_DEREF);
	cr_assert_eq(rule_cfa_offset(rule), 16);
}

Test(rule, other_expressions_are_left_to_the_slow_walk)
{
	static const uint8_t others[][6] = {
		{3, 0x73, 0x78, 0x06},       /* of another register */
		{3, 0x76, 0x78, 0x12},       /* without reading memory */
		{2, 0x76, 0x78, 0x06},       /* that end too early */
		{4, 0x76, 0x78, 0x06, 0x96}, /* that continue */
		{4, 0x76, 0x80, 0x01, 0x06}, /* an offset of two bytes */
		{3, 0x76, 0xf8, 0x06},       /* the same, cut */
		{3, 0x77, 0x04, 0x06},       /* no multiple of 8 */
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert_eq(packed_cfa(others[i]), RULE_COMPLEX, "%zu", i);
}

static uint32_t packed_fp(struct cfi_rule fp)
{
	struct cfi_row row = usual_row();

	row.rule[ARCH_FP] = fp;
	return rule_pack(&row);
}

Test(rule, the_frame_pointer_is_found_where_compilers_put_it)
{
	static const uint8_t here[] = {2, 0x76, 0x70}, there[] = {2, 0x76, 0x08};
	static const uint8_t others[][5] = {
		{2, 0x77, 0x08}, {2, 0x76, 0x88}, {1, 0x76, 0x08}, {3, 0x76, 0x08, 0x06}};
	uint32_t rule = packed_fp((struct cfi_rule){.how = CFI_EXPRESSION, .expression = here});

	cr_assert_eq(rule_bp(rule), RULE_BP_AT_BP);
	cr_assert_eq(rule_bp_offset(rule), -16);
	cr_assert_eq(rule_cfa_offset(rule), 64);
	rule = packed_fp((struct cfi_rule){.how = CFI_EXPRESSION, .expression = there});
	cr_assert_eq(rule_bp_offset(rule), 8);
	cr_assert_eq(rule_bp(packed_fp((struct cfi_rule){.how = CFI_UNDEFINED})), RULE_BP_SAME);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert_eq(packed_fp((struct cfi_rule){.how = CFI_EXPRESSION,
		                                         .expression = others[i]}),
		             RULE_COMPLEX, "%zu", i);
	cr_assert_eq(packed_fp((struct cfi_rule){.how = CFI_REGISTER, .reg = ARCH_BX}),
	             RULE_COMPLEX);
	cr_assert_eq(packed_fp((struct cfi_rule){.how = CFI_VAL_OFFSET, .offset = 8}),
	             RULE_COMPLEX);
}

Test(rule, only_what_fits_is_packed)
{
	struct cfi_row row = usual_row();

	row.cfa_offset = 8 * 0x7fff;
	cr_assert_eq(rule_cfa_offset(rule_pack(&row)), 8 * 0x7fff);
	row.cfa_offset += 8;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row.cfa_offset = -8 * 0x8000;
	cr_assert_eq(rule_cfa_offset(rule_pack(&row)), -8 * 0x8000);
	row.cfa_offset -= 8;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row.cfa_offset = 12;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	cr_assert_eq(
		rule_bp_offset(packed_fp((struct cfi_rule){.how = CFI_OFFSET, .offset = 4088})),
		4088);
	cr_assert_eq(packed_fp((struct cfi_rule){.how = CFI_OFFSET, .offset = 4096}), RULE_COMPLEX);
	cr_assert_eq(
		rule_bp_offset(packed_fp((struct cfi_rule){.how = CFI_OFFSET, .offset = -4096})),
		-4096);
	cr_assert_eq(packed_fp((struct cfi_rule){.how = CFI_OFFSET, .offset = -4104}),
	             RULE_COMPLEX);
	row = usual_row();
	row.rule[ARCH_RA].how = CFI_VAL_OFFSET;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX);
	row = usual_row();
	row.rule[ARCH_SP].how = CFI_OFFSET;
	cr_assert_eq(rule_pack(&row), RULE_COMPLEX, "the caller's stack pointer is not the CFA");
}

/* ---- of code ---- */

/* Frames of 24 bytes, then one that the frame pointer points to; the outermost one; a row that no
 * word can hold. */
void rule_code(void), rule_pushed(void), rule_framed(void), rule_outermost(void), rule_other(void),
	rule_returning(void);
__asm__(".pushsection .text\n"
        ".globl rule_code, rule_pushed, rule_framed, rule_outermost, rule_other, rule_returning\n"
        "rule_code:\n\t.cfi_startproc\n\tpush %rbp\n"
        "rule_pushed:\n\t.cfi_def_cfa_offset 24\n\t.cfi_offset 6, -16\n\tnop\n"
        "rule_framed:\n\t.cfi_def_cfa_register 6\n\tnop\n\t.cfi_endproc\n"
        "rule_outermost:\n\t.cfi_startproc\n\t.cfi_undefined 16\n\tnop\n\t.cfi_endproc\n"
        "rule_other:\n\t.cfi_startproc\n\t.cfi_def_cfa 3, 16\n\tnop\n\t.cfi_endproc\n"
        "rule_returning:\n\t.cfi_startproc\n\t.cfi_def_cfa_offset 25\n\tnop\n\t.cfi_endproc\n"
        ".popsection");

static struct cfi_machine machine;

static void open_map(void)
{
	scratch_open();
	map_open();
	map_begin();
}

Test(rule, of_an_address_is_that_of_its_row, .init = open_map, .fini = scratch_remove)
{
	uint32_t rule = rule_find(&machine, (uint64_t)&rule_code);

	cr_assert_eq(rule_kind(rule), RULE_SP);
	cr_assert_eq(rule_cfa_offset(rule), 8);
	cr_assert_eq(rule_bp(rule), RULE_BP_SAME);
	rule = rule_find(&machine, (uint64_t)&rule_pushed);
	cr_assert_eq(rule_kind(rule), RULE_SP);
	cr_assert_eq(rule_cfa_offset(rule), 24);
	cr_assert_eq(rule_bp(rule), RULE_BP_AT_CFA);
	cr_assert_eq(rule_bp_offset(rule), -16);
	cr_assert_eq(rule_kind(rule_find(&machine, (uint64_t)&rule_framed)), RULE_BP);
	cr_assert_eq(rule_find(&machine, (uint64_t)&rule_outermost), RULE_END);
	cr_assert_eq(rule_find(&machine, (uint64_t)&rule_other), RULE_COMPLEX);
}

Test(rule, a_found_rule_is_kept_until_all_are_forgotten, .init = open_map, .fini = scratch_remove)
{
	uint64_t pc = (uint64_t)&rule_pushed, *entry = NULL;
	uint32_t rule = rule_find(&machine, pc);

	for (size_t i = 0; i < sizeof(rule_cache) / sizeof(rule_cache[0]); i++)
		if (rule_cache[i]) {
			cr_assert_null(entry, "one entry");
			entry = &rule_cache[i];
		}
	cr_assert_eq(*entry, (pc >> RULE_CACHE_BITS) << 32 | rule);
	*entry ^= 1 << 16;
	cr_assert_eq(rule_find(&machine, pc), rule ^ 1 << 16, "from the cache");
	rule_cache_clear();
	cr_assert_eq(*entry, 0);
	cr_assert_eq(rule_find(&machine, pc), rule);
}

Test(rule, where_there_is_no_object_is_none, .init = open_map, .fini = scratch_remove)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(page, MAP_FAILED);
	cr_assert_eq(rule_find(&machine, (uint64_t)page), RULE_UNKNOWN);
	cr_assert_eq(rule_find(&machine, 0), RULE_UNKNOWN);
	cr_assert_eq(rule_find(&machine, (uint64_t)1 << 47), RULE_UNKNOWN);
	cr_assert_eq(rule_find(&machine, UINT64_MAX), RULE_UNKNOWN);
	for (size_t i = 0; i < sizeof(rule_cache) / sizeof(rule_cache[0]); i++)
		cr_assert_eq(rule_cache[i], 0, "there may be one tomorrow");
	cr_assert_null(rule_eh_frame_hdr((uint64_t)page));
	cr_assert_not_null(rule_eh_frame_hdr((uint64_t)&rule_code));
}

/* Its rows give the CFA with one more. */
Test(rule, a_trampoline_of_returns_has_a_rule_of_its_own, .init = open_map, .fini = scratch_remove)
{
	uint64_t pc = (uint64_t)&rule_returning;
	uint32_t rule;

	cr_assert_eq(rule_find(&machine, pc), RULE_COMPLEX, "25 is no multiple of 8");
	rule_cache_clear();
	shadow_trampoline = pc;
	rule = rule_find(&machine, pc);
	cr_assert_eq(rule_kind(rule), RULE_RETURNING);
	cr_assert_eq(rule_cfa_offset(rule), 24);
	shadow_trampoline = pc + 256;
	rule_cache_clear();
	cr_assert_eq(rule_find(&machine, pc), RULE_COMPLEX, "it is elsewhere");
}
