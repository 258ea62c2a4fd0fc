/* safe.h: may a stopped thread call the loader and the allocator, here and now?
 *
 * The call takes the locks of ld.so and malloc, and in a process with one thread, malloc takes
 * none. So a thread that is inside one of them must not be used, and its whole call stack is
 * checked. */
#ifndef XER_ATTACH_SAFE_H
#define XER_ATTACH_SAFE_H

#include "attach/objects.h"
#include "attach/thread.h"

/* What would break. */
enum safe_verdict {
	SAFE_YES,
	SAFE_NO,     /* not yet */
	SAFE_UNKNOWN /* the stack could not be followed out of the C library */
};

/* Judge the stopped thread. If SAFE_NO, *wait_for is the address where the outermost critical
 * function returns to, 0 if unknown. */
enum safe_verdict safe_judge(struct objects *objects, const struct thread *thread,
                             uint64_t *wait_for);

/* The same of frames[count], innermost first, of a thread with these registers. For tests.
 * Returns the index of the outermost critical frame, or -1. */
int safe_outermost_critical(struct objects *objects, const struct object_frame *frames, int count,
                            const struct arch_registers *registers);

#endif
