/* cfi_expression.c: the stack machine of DWARF expressions, as far as unwind tables use it. */
#include "libcollector/unwind/cfi.h"

#include "libcollector/base/leb.h"

#include <errno.h>

enum { DEPTH = 16, STEPS = 256 };

struct stack {
	uint64_t value[DEPTH];
	unsigned depth;
	int error;
};

static void push(struct stack *stack, uint64_t value)
{
	if (stack->depth == DEPTH)
		stack->error = -ENOTSUP;
	else
		stack->value[stack->depth++] = value;
}

static uint64_t pop(struct stack *stack)
{
	if (stack->depth == 0) {
		stack->error = -ENOTSUP;
		return 0;
	}
	return stack->value[--stack->depth];
}

static void binary(struct stack *stack, uint8_t op)
{
	uint64_t b = pop(stack);
	uint64_t a = pop(stack);

	switch (op) {
	case 0x1a: /* and */
		push(stack, a & b);
		break;
	case 0x1c: /* minus */
		push(stack, a - b);
		break;
	case 0x1e: /* mul */
		push(stack, a * b);
		break;
	case 0x21: /* or */
		push(stack, a | b);
		break;
	case 0x22: /* plus */
		push(stack, a + b);
		break;
	case 0x24: /* shl */
		push(stack, b < 64 ? a << b : 0);
		break;
	case 0x25: /* shr */
		push(stack, b < 64 ? a >> b : 0);
		break;
	case 0x27: /* xor */
		push(stack, a ^ b);
		break;
	case 0x29: /* eq */
		push(stack, a == b);
		break;
	case 0x2a: /* ge */
		push(stack, (int64_t)a >= (int64_t)b);
		break;
	case 0x2b: /* gt */
		push(stack, (int64_t)a > (int64_t)b);
		break;
	case 0x2c: /* le */
		push(stack, (int64_t)a <= (int64_t)b);
		break;
	case 0x2d: /* lt */
		push(stack, (int64_t)a < (int64_t)b);
		break;
	case 0x2e: /* ne */
		push(stack, a != b);
		break;
	default:
		stack->error = -ENOTSUP;
	}
}

/* Operations that push a constant. Returns 0 if `op` is none of them. */
static int constant(struct stack *stack, uint8_t op, const uint8_t **at)
{
	if (op >= 0x30 && op <= 0x4f) { /* lit0..lit31 */
		push(stack, op - 0x30u);
		return 1;
	}
	if (op >= 0x08 && op <= 0x0f) { /* const1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s */
		push(stack, leb_fixed(at, 1u << ((op - 0x08) / 2), op & 1));
		return 1;
	}
	if (op == 0x10 || op == 0x11) { /* constu, consts */
		push(stack, op & 1 ? (uint64_t)leb_signed(at) : leb_unsigned(at));
		return 1;
	}
	return 0;
}

static void shuffle(struct stack *stack, uint8_t op, const uint8_t **at)
{
	uint64_t top = pop(stack);
	uint64_t next;

	switch (op) {
	case 0x12: /* dup */
		push(stack, top);
		push(stack, top);
		break;
	case 0x13: /* drop */
		break;
	case 0x14: /* over */
		next = pop(stack);
		push(stack, next);
		push(stack, top);
		push(stack, next);
		break;
	case 0x16: /* swap */
		next = pop(stack);
		push(stack, top);
		push(stack, next);
		break;
	case 0x1f: /* neg */
		push(stack, -top);
		break;
	case 0x20: /* not */
		push(stack, ~top);
		break;
	case 0x23: /* plus_uconst */
		push(stack, top + leb_unsigned(at));
		break;
	default:
		stack->error = -ENOTSUP;
	}
}

static int is_binary(uint8_t op)
{
	return op == 0x1a || op == 0x1c || op == 0x1e || op == 0x21 || op == 0x22 || op == 0x24 ||
	       op == 0x25 || op == 0x27 || (op >= 0x29 && op <= 0x2e);
}

int cfi_evaluate(const uint8_t *block, const struct arch_registers *registers, int push_cfa,
                 uint64_t cfa, cfi_read read, void *context, uint64_t *value)
{
	struct stack stack = {.depth = 0};
	uint64_t len;
	const uint8_t *at = cfi_expression(block, &len);
	const uint8_t *end = at + len;
	int steps = 0;

	if (push_cfa)
		push(&stack, cfa);
	while (at < end && !stack.error) {
		uint8_t op = *at++;

		if (++steps > STEPS)
			return -ENOTSUP;
		if (constant(&stack, op, &at))
			continue;
		if (op >= 0x70 && op <= 0x80) { /* breg0..breg16 */
			uint64_t offset = (uint64_t)leb_signed(&at);

			push(&stack, registers->value[op - 0x70] + offset);
		} else if (op == 0x06) { /* deref */
			uint64_t word;

			if (read(context, pop(&stack), &word) < 0)
				return -EFAULT;
			push(&stack, word);
		} else if (op == 0x94) { /* deref_size */
			unsigned size = *at++;
			uint64_t word;

			if (size == 0 || size > 8)
				return -ENOTSUP;
			if (read(context, pop(&stack), &word) < 0)
				return -EFAULT;
			push(&stack, word << (64 - 8 * size) >> (64 - 8 * size));
		} else if (op == 0x28) { /* bra */
			int64_t skip = (int64_t)leb_fixed(&at, 2, 1);

			if (pop(&stack))
				at += skip;
		} else if (op == 0x2f) { /* skip */
			int64_t skip = (int64_t)leb_fixed(&at, 2, 1);

			at += skip;
		} else if (is_binary(op)) {
			binary(&stack, op);
		} else {
			shuffle(&stack, op, &at);
		}
	}
	if (stack.error)
		return stack.error;
	*value = pop(&stack);
	return stack.error;
}
