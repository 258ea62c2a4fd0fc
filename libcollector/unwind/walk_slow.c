/* walk_slow.c: walk a stack with all registers, for the rare frames whose tables need them.
 *
 * Lazy symbol binding (a CFA on another register) and hand-written assembler (CFA expressions) are
 * the usual cases.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/walk_step.h"

#include "libcollector/unwind/rule.h"

#include <errno.h>

static int read_word(void *context, uint64_t address, uint64_t *value)
{
	return walk_read(context, address, value);
}

static int find_cfa(struct walk_memo *memo, const struct cfi_row *row,
                    const struct arch_registers *from, uint64_t *cfa)
{
	if (row->cfa_expression)
		return cfi_evaluate(row->cfa_expression, from, 0, 0, read_word, memo, cfa);
	if (row->cfa_reg >= ARCH_REGISTERS)
		return -ENOTSUP;
	*cfa = from->value[row->cfa_reg] + (uint64_t)row->cfa_offset;
	return 0;
}

static int apply(struct walk_memo *memo, const struct cfi_rule *rule,
                 const struct arch_registers *from, uint64_t cfa, uint64_t *value)
{
	uint64_t address;
	int error;

	switch ((enum cfi_how)rule->how) {
	case CFI_SAME:
	case CFI_UNDEFINED:
		return 0;
	case CFI_OFFSET:
		return walk_read(memo, cfa + (uint64_t)rule->offset, value);
	case CFI_VAL_OFFSET:
		*value = cfa + (uint64_t)rule->offset;
		return 0;
	case CFI_REGISTER:
		if (rule->reg >= ARCH_REGISTERS)
			return -ENOTSUP;
		*value = from->value[rule->reg];
		return 0;
	case CFI_EXPRESSION:
		error = cfi_evaluate(rule->expression, from, 1, cfa, read_word, memo, &address);
		return error < 0 ? error : walk_read(memo, address, value);
	case CFI_VAL_EXPRESSION:
		return cfi_evaluate(rule->expression, from, 1, cfa, read_word, memo, value);
	}
	return -ENOTSUP;
}

/* The caller's registers by a row. Returns 1 at the outermost frame, 0, or -errno. */
static int step_row(struct walk_memo *memo, const struct cfi_row *row,
                    struct arch_registers *registers)
{
	struct arch_registers from = *registers;
	uint64_t cfa;
	int error;

	if (row->rule[ARCH_RA].how == CFI_UNDEFINED)
		return 1;
	error = find_cfa(memo, row, &from, &cfa);
	if (error < 0)
		return error;
	if (!row->is_signal_frame && cfa <= from.value[ARCH_SP])
		return -EFAULT;
	registers->value[ARCH_SP] = cfa;
	for (int i = 0; i < ARCH_REGISTERS; i++) {
		error = apply(memo, &row->rule[i], &from, cfa, &registers->value[i]);
		if (error < 0)
			return error;
	}
	return 0;
}

static int step_signal(struct walk_memo *memo, struct arch_registers *registers)
{
	struct arch_registers outer;

	for (int i = 0; i < ARCH_REGISTERS; i++)
		if (walk_read(memo, arch_signal_slot(registers->value[ARCH_SP], i),
		              &outer.value[i]) < 0)
			return -EFAULT;
	*registers = outer;
	return 0;
}

/* Where the tables end: a guess, with the registers that it gives. */
static int step_guess(struct walk *walk, struct arch_registers *registers)
{
	if (walk_guess(walk) < 0)
		return -EFAULT;
	registers->value[ARCH_RA] = walk->pc;
	registers->value[ARCH_SP] = walk->sp;
	registers->value[ARCH_FP] = walk->bp;
	return 0;
}

/* One frame outwards. Returns 1 at the outermost frame, 0, or -errno. */
static int step(struct walk *walk, struct arch_registers *registers)
{
	struct walk_memo *memo = walk->memo;
	uint64_t pc = walk->pc - !walk->is_leaf;
	const uint8_t *hdr = rule_eh_frame_hdr(pc);
	const struct cfi_row *row;
	int status = hdr ? cfi_row_find(memo->machine, hdr, pc, &row) : -ENOENT;

	if (status == 0 && row->is_signal_frame)
		status = step_signal(memo, registers);
	else if (status == 0)
		status = step_row(memo, row, registers);
	else if (rule_find(memo->machine, pc) == RULE_END)
		status = 1;
	else
		status = step_guess(walk, registers);
	registers->value[ARCH_RA] = shadow_true_address(registers->value[ARCH_RA],
	                                                registers->value[ARCH_SP]);
	walk->is_leaf = walk->is_interrupted = status == 0 &&
	                                       rule_find(memo->machine, pc) == RULE_SIGNAL;
	return status;
}

enum walk_end walk_slowly(struct walk *walk, uint64_t pc, uint64_t sp, const ucontext_t *context)
{
	struct arch_registers registers;
	int inside = !context; /* still in the collector's own frames */
	int status = 0;

	if (context)
		arch_registers_load(&registers, context);
	else
		arch_registers_here(&registers);
	walk->is_leaf = 1;
	while (status == 0) {
		walk->pc = registers.value[ARCH_RA];
		walk->sp = registers.value[ARCH_SP];
		walk->bp = registers.value[ARCH_FP];
		if (inside && walk->pc == pc && walk->sp == sp)
			inside = 0;
		if (walk->pc == 0)
			return WALK_COMPLETE;
		if (!inside && walk->sp >= walk->base)
			return WALK_BASE;
		if (!inside && walk_push(walk, 0) < 0)
			return WALK_TRUNCATED;
		if (inside && walk->sp > sp)
			return WALK_TRUNCATED;
		status = step(walk, &registers);
	}
	return status == 1 ? WALK_COMPLETE : WALK_TRUNCATED;
}
