/* altstack.h: alternate signal stacks that are too small for a tick on top of the program's own
 * handler.
 *
 * With wide vector registers one signal frame takes 3.5 KiB, and many programs give their handlers
 * 8 KiB for it all. A tick does not come while a handler runs on such a stack: the mask of each
 * handler that has SA_ONSTACK has our signals as soon as the process has a stack of that kind. The
 * time is in the sample that comes after the handler. */
#ifndef XER_COLLECTOR_ALTSTACK_H
#define XER_COLLECTOR_ALTSTACK_H

#include "libcollector/base/sys.h"

/* A signal frame of the program's, one of ours and 4 KiB each for what runs on them fit into this.
 */
enum { ALTSTACK_ENOUGH = 16384 };

/* Has the process, as far as is known, had an alternate stack with less than that? Signal-safe. */
int altstack_expected(void);

/* Does the calling thread run on one? A system call, if one is expected at all. Signal-safe. */
int altstack_is_small(void);

/* Is there so little left of it below `frame`, which the kernel has put there for our handler, that
 * it had better return at once? (The program has let our signals in there, or a jump out of its
 * handler.) Signal-safe. */
int altstack_is_exhausted(const void *frame);

/* It has, from now on; altstack_expect is for others. */
void altstack_note(void);

/* The process may have made such stacks before the recording began. */
void altstack_expect(void);

#endif
