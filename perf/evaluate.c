/* evaluate.c: the stack machine of DWARF (version 5, section 2.5), as far as unwinding tables use
 * it: trampolines of signals, stubs of procedure linkage tables, frames that align the stack. See
 * evaluate.h.
 * See doc/decisions/52-copied-stacks.md. */
#include "perf/evaluate.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum { DEPTH = 32 };

struct machine {
	const struct frame *frame;
	uint64_t cfa;
	uint64_t values[DEPTH];
	unsigned depth;
	int error;
};

int frame_read(const struct frame *frame, uint64_t address, uint64_t *out)
{
	uint64_t at = address - frame->stack_at;

	if (at > frame->stack_bytes || frame->stack_bytes - at < sizeof(*out))
		return -EFAULT;
	memcpy(out, frame->stack + at, sizeof(*out));
	return 0;
}

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH)
		machine->error = -ENOTSUP;
	else
		machine->values[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (machine->depth == 0) {
		machine->error = -ENOTSUP;
		return 0;
	}
	return machine->values[--machine->depth];
}

static void push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	if (number >= RING_REGISTERS)
		machine->error = -ENOTSUP;
	else
		push(machine, machine->frame->registers[number] + offset);
}

static void dereference(struct machine *machine)
{
	uint64_t value = 0;

	if (frame_read(machine->frame, pop(machine), &value) < 0)
		machine->error = -EFAULT;
	push(machine, value);
}

static int combine(uint8_t atom, uint64_t a, uint64_t b, uint64_t *out)
{
	switch (atom) {
	case DW_OP_and:
		*out = a & b;
		return 0;
	case DW_OP_or:
		*out = a | b;
		return 0;
	case DW_OP_xor:
		*out = a ^ b;
		return 0;
	case DW_OP_plus:
		*out = a + b;
		return 0;
	case DW_OP_minus:
		*out = a - b;
		return 0;
	case DW_OP_mul:
		*out = a * b;
		return 0;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return 0;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return 0;
	case DW_OP_eq:
		*out = a == b;
		return 0;
	case DW_OP_ne:
		*out = a != b;
		return 0;
	case DW_OP_ge:
		*out = (int64_t)a >= (int64_t)b;
		return 0;
	case DW_OP_gt:
		*out = (int64_t)a > (int64_t)b;
		return 0;
	case DW_OP_le:
		*out = (int64_t)a <= (int64_t)b;
		return 0;
	case DW_OP_lt:
		*out = (int64_t)a < (int64_t)b;
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* An operation on what was pushed before. */
static void operate(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t b = pop(machine), a, value;

	switch (op->atom) {
	case DW_OP_drop:
		return;
	case DW_OP_dup:
		push(machine, b);
		push(machine, b);
		return;
	case DW_OP_plus_uconst:
		push(machine, b + op->number);
		return;
	case DW_OP_neg:
		push(machine, -b);
		return;
	case DW_OP_not:
		push(machine, ~b);
		return;
	default:
		a = pop(machine);
	}
	if (op->atom == DW_OP_swap) {
		push(machine, b);
		push(machine, a);
	} else if (combine(op->atom, a, b, &value) == 0) {
		push(machine, value);
	} else {
		machine->error = -ENOTSUP;
	}
}

static void run(struct machine *machine, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(machine, atom - DW_OP_lit0);
	else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		push(machine, op->number);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(machine, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_register(machine, op->number, op->number2);
	else if (atom == DW_OP_call_frame_cfa)
		push(machine, machine->cfa);
	else if (atom == DW_OP_deref)
		dereference(machine);
	else if (atom != DW_OP_nop)
		operate(machine, op);
}

/* The register that an expression names, or -1. */
static int named_register(const Dwarf_Op *ops, size_t count)
{
	if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < RING_REGISTERS)
		return (int)ops[0].number;
	return count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + RING_REGISTERS
	               ? ops[0].atom - DW_OP_reg0
	               : -1;
}

int evaluate(const struct frame *frame, const Dwarf_Op *ops, size_t count, uint64_t cfa,
             int is_address, uint64_t *out)
{
	struct machine machine = {.frame = frame, .cfa = cfa};
	int number = named_register(ops, count);

	if (number >= 0) {
		*out = frame->registers[number];
		return 0;
	}
	for (size_t i = 0; i < count && machine.error == 0; i++) {
		if (ops[i].atom == DW_OP_stack_value)
			is_address = 1;
		else
			run(&machine, &ops[i]);
	}
	if (!is_address)
		dereference(&machine);
	if (machine.error == 0)
		*out = pop(&machine);
	return machine.error;
}
