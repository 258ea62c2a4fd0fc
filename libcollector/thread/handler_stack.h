/* handler_stack.h: stacks for the recorder's handlers.
 *
 * A thread of the program may have just enough stack for itself. A handler of ours needs some 4 KiB
 * beside the frame that the kernel puts on the stack of the thread. So it goes on on a stack of
 * ours. All signals are blocked in it: it is left as it was entered, and there are never more
 * handlers than threads that run or that were interrupted in one. */
#ifndef XER_COLLECTOR_HANDLER_STACK_H
#define XER_COLLECTOR_HANDLER_STACK_H

#include <stdint.h>

/* Have memory for them. Without it, handlers run where they are. Normal context, at the start. */
void handler_stacks_open(void);

/* In a forked child: none is in use. */
void handler_stacks_restart(void);

/* Call `function` on one of them, in the calling thread, whose number is `tid` (0: not known), with
 * all signals blocked. Returns 1, or 0 if all are in use: then it was not called. Signal-safe. */
int handler_stack_run(void (*function)(void *argument), void *argument, uint32_t tid);

#endif
