/* walk_other.h: the stack of another thread, which is blocked in the kernel.
 *
 * The kernel tells where such a thread is and where its stack is, and nothing of its other
 * registers. The frame pointer becomes known with the first frame that has saved it. Where a frame
 * needs it before that, it is found from the function's prologue, or searched for in the stack,
 * where the mark of a guess is put.
 *
 * The thread may wake up meanwhile, and its stack may even be unmapped: so the stack is read
 * through the kernel. */
#ifndef XER_COLLECTOR_WALK_OTHER_H
#define XER_COLLECTOR_WALK_OTHER_H

#include "libcollector/unwind/walk.h"

struct walk_other {
	uint64_t pc, sp; /* pc: the next instruction */
	uint64_t bp;     /* the frame pointer, 0: unknown */
	int memory;      /* a descriptor of /proc/self/mem */
};

/* The node of its stack, 0 if the tree has stopped. machine: working memory. Uses memory of its
 * own: one call at a time in a process. Signal-safe. */
uint32_t walk_other_stack(struct cfi_machine *machine, const struct walk_other *thread);

#endif
