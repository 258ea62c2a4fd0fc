/* walk_step.h: a walk in progress, for the modules that take its steps: walk.c, walk_slow.c,
 * walk_guess.c, and those that know the frames of a virtual machine. */
#ifndef XER_LIBCOLLECTOR_UNWIND_WALK_STEP_H
#define XER_LIBCOLLECTOR_UNWIND_WALK_STEP_H

#include "libcollector/base/collector.h"
#include "libcollector/unwind/walk.h"

#include <errno.h>
#include <string.h>

enum { WALK_PAGE = 4096, WALK_GROW_PAGES = 16 };

/* Mark the page that contains `address` as readable, or those from memo->low down to `page`.
 * Returns 0, or -EFAULT if one is not. */
int walk_cover(struct walk_memo *memo, uint64_t address);
int walk_grow_down(struct walk_memo *memo, uint64_t page);

static inline int walk_knows(const struct walk_memo *memo, uint64_t address)
{
	return address - memo->low < memo->high - memo->low && memo->high - address >= 8;
}

/* Read a word if it is mapped. Returns 0 or -EFAULT. */
static inline int walk_read(struct walk_memo *memo, uint64_t address, uint64_t *value)
{
	if (unlikely(!walk_knows(memo, address)) &&
	    (walk_cover(memo, address) < 0 || walk_cover(memo, address + 7) < 0))
		return -EFAULT;
	memcpy(value, (const void *)address, 8);
	return 0;
}

struct walk {
	struct walk_memo *memo;
	struct walk_frame
		*fresh; /* new frames, outermost first, up to memo->frame + memo->capacity */
	struct walk_frame *least; /* so far, and one more */
	int is_short, is_cut;     /* that is not because of the memo's size; and it went so far */
	uint64_t pc, sp, bp;
	int is_exchanged;   /* as of a frame, of the one that is pushed next */
	int is_leaf;        /* pc is an instruction, not a return address */
	int is_interrupted; /* and one that a signal interrupted: readers look before the addresses
	                       of all but the innermost frame */
	uint64_t guess_bp;  /* where a guess has read bp from, 0: nowhere */
	int guessed, scans; /* frames that were, and those for which the stack was searched */
	int is_forgotten;   /* the memo's frames further out are not to be met */
	int plain;          /* the memo may keep this stack */
	const ucontext_t *context; /* the interrupted one, NULL: none */
	uint64_t base;             /* where the walk ends for the memo's base */
};

enum walk_end { WALK_COMPLETE, WALK_BASE, WALK_MEMO, WALK_NEEDS_REGISTERS, WALK_TRUNCATED };

/* walk->pc was read below the stack pointer sp: where does the code really return to? */
static inline void walk_correct(struct walk *walk, uint64_t sp)
{
	uint64_t pc = shadow_true_address(walk->pc, sp);

	walk->is_exchanged = pc != walk->pc;
	walk->pc = pc;
}

/* Add the frame at walk->pc. Returns 0, or -1 if it does not fit. */
static inline int walk_push(struct walk *walk, uint64_t bp_slot)
{
	struct walk_memo *memo = walk->memo;

	if (__builtin_expect(walk->fresh <= walk->least, 0)) {
		if (walk->is_short)
			walk->is_cut = 1;
		else
			memo->is_too_small = 1;
		return -1;
	}
	*--walk->fresh = (struct walk_frame){.sp = walk->sp,
	                                     .pc = walk->pc + (uint64_t)walk->is_interrupted,
	                                     .bp = walk->bp,
	                                     .bp_slot = bp_slot,
	                                     .is_exchanged = (uint8_t)walk->is_exchanged};
	walk->is_exchanged = walk->is_interrupted = 0;
	if (__builtin_expect(bp_slot && !walk_knows(memo, bp_slot), 0))
		walk->plain = 0;
	return 0;
}

/* Can `pc` be a return address: is there a call before it? */
int walk_is_return_address(struct walk *walk, uint64_t pc);

/* Step over code without unwinding tables: Java code, or else by what a return address must look
 * like. Returns 0 or -1. */
int walk_guess(struct walk *walk);

/* Code of a virtual machine with frames of its own: from a frame at walk->pc in [*low, *high),
 * `step` goes to its caller. Returns 0 or -1. `low` is NULL as long as there is no machine, and is
 * set last. */
struct walk_machine {
	const uint64_t *low, *high;
	int (*step)(struct walk *walk);
};
extern struct walk_machine walk_machine __attribute__((visibility("hidden")));

/* Call `see` with each address that has no tables and belongs to no virtual machine.
 * Signal-safe. */
void walk_tell_unmapped(void (*see)(uint64_t pc));

/* The whole walk with all registers, from the context or from the caller. */
enum walk_end walk_slowly(struct walk *walk, uint64_t pc, uint64_t sp, const ucontext_t *context);

#endif
