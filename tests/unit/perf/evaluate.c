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
