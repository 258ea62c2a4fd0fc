/* altstack.h: alternate signal stacks that are too small for a tick on top of the program's own
 * handler.
 *
 * With wide vector registers, a signal frame takes 3.5 KiB, and many programs give their handlers 8
 * KiB in total. So ticks do not come while a handler runs on such a stack: as soon as the process
 * has a stack of that kind, the mask of each handler with SA_ONSTACK includes our signals. The CPU
 * time is in the sample that comes after the handler. */
#ifndef XER_COLLECTOR_ALTSTACK_H
#define XER_COLLECTOR_ALTSTACK_H

#include "libcollector/base/sys.h"

/* Large enough for a signal frame of the program, one of ours, and 4 KiB each for what runs on
 * them. */
enum { ALTSTACK_ENOUGH = 16384 };

/* Has the process had an alternate stack smaller than that, as far as we know? Signal-safe. */
int altstack_expected(void);

/* Does the calling thread run on one? A system call, if there can be one at all. Signal-safe. */
int altstack_is_small(void);

/* Is less than `need` bytes of it left below `frame`, where the kernel has put the frame of our
 * handler, so that the handler should return at once? (The program has unblocked our signals there,
 * or has jumped out of its handler.) A handler that goes on on a stack of ours (handler_stack.h)
 * needs ALTSTACK_ENTRY, others ALTSTACK_ENOUGH / 4. Signal-safe. */
enum { ALTSTACK_ENTRY = 512 };
int altstack_is_exhausted(const void *frame, int need);

/* From now on, it has; altstack_expect is for other causes. */
void altstack_note(void);

/* The process may have created such stacks before the recording began. */
void altstack_expect(void);

#endif
