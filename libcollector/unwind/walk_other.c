/* walk_other.c: walk the stack of a blocked thread. See walk_other.h.
 * See doc/decisions/86-wall-clock.md. */
#include "libcollector/unwind/walk_other.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/object.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/shadow.h"
#include "libcollector/unwind/tree.h"

#include <errno.h>
#include <string.h>

enum {
	FRAMES = 1000,   /* outer ones are cut off */
	PART = 16 << 10, /* of the stack, which is read at once */
	SEARCHED = 512,  /* words, for a saved frame pointer */
	SAVED_FAR = 1 << 20,
	CODE_BEFORE = 8 /* bytes, in which a call is */
};

/* A walk in progress. */
struct other {
	struct cfi_machine *machine;
	int memory;
	uint64_t pc, sp, bp;
	int is_leaf, has_guess;
	uint64_t part_at; /* part[part_size] is there */
	size_t part_size;
	unsigned count; /* frames, innermost first */
};

static uint8_t part[PART];
static uint64_t frames[FRAMES];

static int has_word(const struct other *other, uint64_t address)
{
	uint64_t at = address - other->part_at;

	return at < other->part_size && other->part_size - at >= 8;
}

static int read_word(struct other *other, uint64_t address, uint64_t *value)
{
	if (!has_word(other, address)) {
		long got = sys_pread(other->memory, part, PART, address);

		other->part_at = address;
		other->part_size = got > 0 ? (size_t)got : 0;
		if (!has_word(other, address))
			return -EFAULT;
	}
	memcpy(value, part + (address - other->part_at), 8);
	return 0;
}

/* ---- the frame pointer */

static int is_return_address(struct other *other, uint64_t pc)
{
	struct object_found found;
	uint8_t before[CODE_BEFORE];

	return pc > SYS_PAGE && !(pc >> ARCH_ADDRESS_BITS) &&
	       object_find((uintptr_t)pc, &found) == 0 &&
	       sys_pread(other->memory, before, sizeof(before), pc - CODE_BEFORE) ==
	               sizeof(before) &&
	       arch_follows_call(before);
}

/* Is there a return address behind the word at `bp`? */
static int may_be_frame(struct other *other, uint64_t bp)
{
	uint64_t ra;

	return bp >= other->sp && !(bp & 7) && read_word(other, bp + 8, &ra) == 0 &&
	       is_return_address(other, shadow_true_address(ra, bp + 16));
}

/* Is that word the caller's frame pointer? Callers may use the register for anything else, but then
 * nothing tells such a place from others. */
static int is_linked(struct other *other, uint64_t bp)
{
	uint64_t saved;

	return read_word(other, bp, &saved) == 0 && saved > bp && saved - bp < SAVED_FAR;
}

/* The bytes between the stack pointer and the frame pointer in the function at pc, as its first
 * instructions say; -1: they do not. */
static int frame_bytes(struct other *other)
{
	enum { PROLOGUE = 48 };
	uint64_t pc = other->pc - !other->is_leaf, start;
	const uint8_t *hdr = rule_eh_frame_hdr(pc);
	uint8_t code[PROLOGUE] = {0};
	long got;

	if (!hdr || cfi_function_find(hdr, pc, &start) < 0)
		return -1;
	got = sys_pread(other->memory, code, sizeof(code), start);
	return got > 0 ? arch_frame_bytes(code, (size_t)got < pc - start ? (size_t)got : pc - start)
	               : -1;
}

/* Search the stack for such a place: a guess, since it may be left over from an earlier call. */
static int search_bp(struct other *other, int must_be_linked)
{
	for (uint64_t at = other->sp; at < other->sp + 8 * SEARCHED; at += 8)
		if ((!must_be_linked || is_linked(other, at)) && may_be_frame(other, at)) {
			other->has_guess = 1;
			other->bp = at;
			return 0;
		}
	return -EFAULT;
}

static int find_bp(struct other *other)
{
	int bytes;

	if (other->bp)
		return 0;
	bytes = frame_bytes(other);
	if (bytes >= 0 && may_be_frame(other, other->sp + (unsigned)bytes)) {
		other->bp = other->sp + (unsigned)bytes;
		return 0;
	}
	return search_bp(other, 1) == 0 ? 0 : search_bp(other, 0);
}

/* ---- frames */

static int find_cfa(struct other *other, uint32_t rule, uint64_t *cfa)
{
	uint64_t offset = (uint64_t)rule_cfa_offset(rule);

	switch (rule_kind(rule)) {
	case RULE_SP:
	case RULE_RETURNING:
		*cfa = other->sp + offset;
		return 0;
	case RULE_BP:
		if (find_bp(other) < 0)
			return -EFAULT;
		*cfa = other->bp + offset;
		return 0;
	case RULE_SP_DEREF:
		return read_word(other, other->sp + offset, cfa);
	case RULE_BP_DEREF:
		if (find_bp(other) < 0)
			return -EFAULT;
		return read_word(other, other->bp + offset, cfa);
	case RULE_PLT:
		*cfa = arch_plt_cfa(other->pc, other->sp, offset / 8);
		return 0;
	default:
		return -EFAULT;
	}
}

static int step(struct other *other, uint32_t rule)
{
	uint64_t cfa, slot;

	if (find_cfa(other, rule, &cfa) < 0 || cfa <= other->sp || cfa & 7)
		return -EFAULT;
	if (rule_bp(rule) != RULE_BP_SAME) {
		if (rule_bp(rule) == RULE_BP_AT_BP && find_bp(other) < 0)
			return -EFAULT;
		slot = (rule_bp(rule) == RULE_BP_AT_CFA ? cfa : other->bp) +
		       (uint64_t)rule_bp_offset(rule);
		if (read_word(other, slot, &other->bp) < 0)
			return -EFAULT;
	}
	if (read_word(other, cfa - 8, &other->pc) < 0)
		return -EFAULT;
	other->pc = shadow_true_address(other->pc, cfa);
	other->sp = cfa;
	other->is_leaf = 0;
	return 0;
}

/* Out of a signal handler: all registers are in its frame. */
static int step_signal(struct other *other)
{
	uint64_t frame = other->sp, pc, sp, bp;

	if (read_word(other, arch_signal_slot(frame, ARCH_SP), &sp) < 0 ||
	    read_word(other, arch_signal_slot(frame, ARCH_RA), &pc) < 0 ||
	    read_word(other, arch_signal_slot(frame, ARCH_FP), &bp) < 0)
		return -EFAULT;
	other->pc = pc;
	other->sp = sp;
	other->bp = bp;
	other->is_leaf = 1;
	return 0;
}

static void put(struct other *other, uint64_t pc)
{
	if (other->count < FRAMES)
		frames[other->count++] = pc;
}

/* Returns 0 if the outermost frame was reached. */
static int walk(struct other *other)
{
	int is_interrupted = 0, failed = 0;

	while (!failed && other->pc != 0) {
		uint32_t rule;
		int guessed = other->has_guess;

		if (other->count >= FRAMES - 2)
			return -EFAULT;
		/* Readers look before the addresses of all but the innermost frame. */
		put(other, other->pc + (uint64_t)is_interrupted);
		rule = rule_find(other->machine, other->pc - !other->is_leaf);
		is_interrupted = rule_kind(rule) == RULE_SIGNAL;
		if (rule_kind(rule) == RULE_END)
			return 0;
		failed = is_interrupted ? step_signal(other) : step(other, rule);
		if (!failed && other->has_guess && !guessed)
			put(other, FMT_PC_GUESSED);
	}
	return failed;
}

uint32_t walk_other_stack(struct cfi_machine *machine, const struct walk_other *thread)
{
	struct other other = {.machine = machine,
	                      .memory = thread->memory,
	                      .pc = thread->pc,
	                      .sp = thread->sp,
	                      .bp = thread->bp,
	                      .is_leaf = 1};
	uint32_t node = 0;

	if (walk(&other) < 0) {
		col_count(&col.count.stacks_truncated, 1);
		node = tree_node(0, FMT_PC_TRUNCATED);
	}
	while (other.count > 0)
		node = tree_node(node, frames[--other.count]);
	return node;
}
