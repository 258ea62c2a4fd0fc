/* unwind.c: see unwind.h. Code without tables, like JIT code, is left by its frame pointer
 * if what is there can be a frame.
 * See doc/decisions/52-copied-stacks.md. */
#include "perf/unwind.h"

#include "perf/arch/arch.h"
#include "perf/evaluate.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

enum {
	FRAME_BYTES_MAX = 1 << 16,
	ARGUMENTS_MAX = 1 << 21 /* fewer than the kernel's limit of bytes, and no address of code */
};

/* In an epilogue, tables go on saying that a register is saved which has been popped already: it
 * has its value again, and what is below the stack pointer is nobody's. */
static int is_restored(const struct frame *frame, uint64_t slot)
{
	return slot < frame->registers[RING_SP];
}

/* 1: the outermost frame; 0: `frame` is the caller's; -errno */
static int step_plain(const struct rule *rule, struct frame *frame)
{
	uint64_t cfa = frame->registers[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_offset;

	if (cfa <= frame->registers[RING_SP])
		return -EFAULT;
	for (int i = 0; i < RULE_KEPT; i++) {
		uint64_t slot = cfa + (uint64_t)(rule->saved[i] * INT64_C(8));

		if (rule->saved[i] != RULE_SAME && !is_restored(frame, slot) &&
		    frame_read(frame, slot, &frame->registers[rule_kept[i]]) < 0)
			return -EFAULT;
	}
	frame->registers[RING_SP] = cfa;
	return frame_read(frame, cfa - 8 * ARCH_RETURN_WORDS, &frame->registers[RING_PC]);
}

/* The same for a register that an expression finds. */
static int restore(const struct frame *frame, const Dwarf_Op *ops, size_t count, uint64_t cfa,
                   uint64_t *out)
{
	uint64_t slot;

	if (evaluate(frame, ops, count, cfa, 0, out) == 0)
		return 0;
	return evaluate(frame, ops, count, cfa, 1, &slot) == 0 && is_restored(frame, slot)
	               ? 0
	               : -EFAULT;
}

static int step_expressions(Dwarf_Frame *dwarf, struct frame *frame)
{
	struct frame caller = *frame;
	Dwarf_Op memory[3], *ops;
	size_t count;
	uint64_t cfa;

	if (dwarf_frame_cfa(dwarf, &ops, &count) < 0 || evaluate(frame, ops, count, 0, 1, &cfa) < 0)
		return -EFAULT;
	caller.registers[RING_SP] = cfa;
	for (int i = 0; i < RING_REGISTERS; i++) {
		if (dwarf_frame_register(dwarf, i, memory, &ops, &count) < 0)
			return -ENOTSUP;
		if (count > 0 && restore(frame, ops, count, cfa, &caller.registers[i]) < 0)
			return -EFAULT;
		if (count == 0 && ops == memory && i == RING_PC)
			return 1;
	}
	*frame = caller;
	return 0;
}

static int step_complex(struct object *object, uint64_t offset, struct frame *frame)
{
	Dwarf_Frame *dwarf = object_frame(object, offset);
	int status = dwarf ? step_expressions(dwarf, frame) : -ENOENT;

	free(dwarf);
	return status;
}

static int step_by_frame_pointer(const struct space *space, struct frame *frame)
{
	uint64_t fp = frame->registers[ARCH_FP], sp = frame->registers[RING_SP], pc, outer;

	if (fp < sp || fp - sp > FRAME_BYTES_MAX || fp % 8 != 0 ||
	    frame_read(frame, fp, &outer) < 0 || frame_read(frame, fp + 8, &pc) < 0 ||
	    !space_at(space, pc))
		return -EFAULT;
	frame->registers[ARCH_FP] = outer;
	frame->registers[RING_SP] = fp + 16;
	frame->registers[RING_PC] = pc;
	return 0;
}

/* At the start of a program, the kernel puts the number of arguments where the return address would
 * be. */
static int is_beginning(const struct frame *frame)
{
	uint64_t count;

	return frame_read(frame, frame->registers[RING_SP], &count) == 0 && count < ARGUMENTS_MAX;
}

/* To the caller's frame. *is_exact: the pc is an instruction and not a return address; then of the
 * caller's. */
static int step(const struct space *space, struct frame *frame, int *is_exact)
{
	uint64_t pc = frame->registers[RING_PC] - !*is_exact;
	const struct mapping *at = space_at(space, pc);
	const struct rule *rule;
	uint64_t offset;

	if (!at)
		return -ENOENT;
	*is_exact = 0;
	if (!at->object)
		return step_by_frame_pointer(space, frame);
	offset = pc - at->start + at->offset;
	rule = object_rule(at->object, offset);
	*is_exact = rule->is_signal;
	switch ((enum rule_kind)rule->kind) {
	case RULE_END:
		return 1;
	case RULE_PLAIN:
		return step_plain(rule, frame);
	case RULE_COMPLEX:
		return step_complex(at->object, offset, frame);
	case RULE_BEGIN:
		if (is_beginning(frame))
			return 1;
		break;
	case RULE_NONE:
		break;
	}
	return step_by_frame_pointer(space, frame);
}

void unwind(const struct space *space, struct ring_sample *sample)
{
	struct frame frame = {.stack = sample->stack,
	                      .stack_at = sample->registers[RING_SP],
	                      .stack_bytes = sample->stack_bytes};
	int is_exact = 1, status = 0;

	for (int i = 0; i < RING_REGISTERS; i++)
		frame.registers[i] = sample->registers[i];
	sample->count = 0;
	while (status == 0 && sample->count < RING_FRAMES_MAX && frame.registers[RING_PC] != 0) {
		/* Readers look before the addresses of all but the innermost frame. */
		sample->pcs[sample->count] = frame.registers[RING_PC] +
		                             (sample->count > 0 && is_exact);
		sample->count++;
		status = step(space, &frame, &is_exact);
	}
	sample->is_bad = status < 0;
	sample->is_deep = status == 0 && frame.registers[RING_PC] != 0;
}
