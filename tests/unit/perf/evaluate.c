/* DWARF expressions as unwinding tables have them, made of single operations here. */
#include "perf/evaluate.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <errno.h>

static const uint64_t words[] = {0x10, 0x20, 0x30, 0x40};
static const struct frame frame = {.registers = {1, 2, 3, 4, 5, 6, 0x1000, 0x1008, [16] = 0x400015},
                                   .stack = (const uint8_t *)words,
                                   .stack_at = 0x1000,
                                   .stack_bytes = sizeof(words)};
static uint64_t value;

#define OPS(...) \
	((const Dwarf_Op[]){__VA_ARGS__}), \
		sizeof((const Dwarf_Op[]){__VA_ARGS__}) / sizeof(Dwarf_Op)
#define OP(name, ...) \
	{ \
		.atom = DW_OP_##name, __VA_ARGS__ \
	}
#define EVALUATE(is_address, ...) evaluate(&frame, OPS(__VA_ARGS__), 0x1018, is_address, &value)

Test(evaluate, places_and_values)
{
	cr_assert_eq(EVALUATE(0, OP(call_frame_cfa), OP(plus_uconst, .number = (Dwarf_Word)-8)), 0);
	cr_assert_eq(value, 0x30, "what lies below the CFA");
	cr_assert_eq(EVALUATE(0, OP(call_frame_cfa), OP(plus_uconst, .number = 8), OP(stack_value)),
	             0);
	cr_assert_eq(value, 0x1020);
	cr_assert_eq(EVALUATE(1, OP(bregx, .number = 7, .number2 = 8)), 0);
	cr_assert_eq(value, 0x1010);
	cr_assert_eq(EVALUATE(0, OP(regx, .number = 3)), 0);
	cr_assert_eq(value, 4);
	cr_assert_eq(EVALUATE(0, OP(reg2)), 0);
	cr_assert_eq(value, 3);
	cr_assert_eq(EVALUATE(1, OP(breg6, .number = 8), OP(deref)), 0);
	cr_assert_eq(value, 0x20);
}

/* rsp + 8 + ((rip & 15) >= 11) * 8 */
Test(evaluate, a_stub_of_the_linkage_table)
{
	cr_assert_eq(EVALUATE(1, OP(breg7, .number = 8), OP(breg16), OP(lit15), OP(and), OP(lit5),
	                      OP(ge), OP(lit3), OP(shl), OP(plus)),
	             0);
	cr_assert_eq(value, 0x1018);
}

Test(evaluate, what_cannot_be_is_refused)
{
	cr_assert_eq(EVALUATE(1, OP(plus)), -ENOTSUP, "nothing there");
	cr_assert_eq(EVALUATE(0, OP(const8u, .number = 0x1019)), -EFAULT, "beyond the copy");
	cr_assert_eq(EVALUATE(0, OP(const8u, .number = UINT64_MAX - 3)), -EFAULT);
	cr_assert_eq(EVALUATE(1, OP(bregx, .number = 17)), -ENOTSUP, "no such register");
	cr_assert_eq(EVALUATE(1, OP(skip)), -ENOTSUP, "not used by such tables");
	cr_assert_eq(evaluate(&frame, NULL, 0, 0, 1, &value), -ENOTSUP, "empty");
	Dwarf_Op many[100];
	for (int i = 0; i < 100; i++)
		many[i] = (Dwarf_Op)OP(lit1);
	cr_assert_eq(evaluate(&frame, many, 100, 0, 1, &value), -ENOTSUP, "too deep");
}

/* DWARF 5, section 2.5.1.4 and 2.5.1.5: comparisons are signed, the other operations wrap around;
 * the operand that was pushed first stands on the left. */
Test(evaluate, operations_on_two_values)
{
	static const struct {
		uint8_t atom;
		uint64_t a, b, result;
	} rows[] = {
		{DW_OP_and, 12, 10, 8},
		{DW_OP_or, 12, 10, 14},
		{DW_OP_xor, 12, 10, 6},
		{DW_OP_plus, 12, 10, 22},
		{DW_OP_plus, UINT64_MAX, 2, 1},
		{DW_OP_minus, 12, 10, 2},
		{DW_OP_minus, 10, 12, UINT64_MAX - 1},
		{DW_OP_mul, 12, 10, 120},
		{DW_OP_shl, 3, 4, 48},
		{DW_OP_shl, 3, 63, UINT64_C(1) << 63},
		{DW_OP_shl, 3, 64, 0},
		{DW_OP_shr, 48, 4, 3},
		{DW_OP_shr, UINT64_MAX, 63, 1},
		{DW_OP_shr, UINT64_MAX, 64, 0},
	};
	/* What the six comparisons say of less, equal and greater. */
	static const struct {
		uint8_t atom;
		uint64_t less, equal, greater;
	} comparisons[] = {
		{DW_OP_eq, 0, 1, 0}, {DW_OP_ne, 1, 0, 1}, {DW_OP_ge, 0, 1, 1},
		{DW_OP_gt, 0, 0, 1}, {DW_OP_le, 1, 1, 0}, {DW_OP_lt, 1, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(EVALUATE(1, OP(const8u, .number = rows[i].a),
		                      OP(const8u, .number = rows[i].b), {.atom = rows[i].atom}),
		             0);
		cr_expect_eq(value, rows[i].result, "operation 0x%x, row %zu", rows[i].atom, i);
	}
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		const Dwarf_Op minus = OP(const8s, .number = (Dwarf_Word)-1), one = OP(lit1),
			       compare = {.atom = comparisons[i].atom};

		cr_expect_eq(EVALUATE(1, minus, one, compare), 0);
		cr_expect_eq(value, comparisons[i].less, "0x%x: -1, 1", compare.atom);
		cr_expect_eq(EVALUATE(1, one, one, compare), 0);
		cr_expect_eq(value, comparisons[i].equal, "0x%x: 1, 1", compare.atom);
		cr_expect_eq(EVALUATE(1, one, minus, compare), 0);
		cr_expect_eq(value, comparisons[i].greater, "0x%x: 1, -1", compare.atom);
	}
}

Test(evaluate, operations_on_one_value_and_on_the_stack)
{
	cr_assert_eq(EVALUATE(1, OP(lit5), OP(neg)), 0);
	cr_assert_eq(value, (uint64_t)-5);
	cr_assert_eq(EVALUATE(1, OP(lit5), OP(not )), 0);
	cr_assert_eq(value, ~UINT64_C(5));
	cr_assert_eq(EVALUATE(1, OP(lit5), OP(dup), OP(mul)), 0);
	cr_assert_eq(value, 25);
	cr_assert_eq(EVALUATE(1, OP(lit5), OP(lit3), OP(drop)), 0);
	cr_assert_eq(value, 5);
	cr_assert_eq(EVALUATE(1, OP(lit5), OP(lit3), OP(swap), OP(minus)), 0);
	cr_assert_eq(value, (uint64_t)-2);
	cr_assert_eq(EVALUATE(1, OP(lit0), OP(lit31), OP(nop), OP(plus)), 0);
	cr_assert_eq(value, 31);
}
