/* earlier.h: waits that began before their threads' waits were recorded: when the recorder comes
 * into a running process (`xcollect -P`), or a paused recording goes on. A process that is stuck
 * is in nothing else.
 *
 * The kernel tells of a blocked thread in which system call it is, and where; nobody is woken for
 * that. A first look is made at the beginning. At the end, or at a pause, a second one tells
 * whether the wait still lasts. See doc/decisions/86-wall-clock.md. */
#ifndef XER_COLLECTOR_EARLIER_H
#define XER_COLLECTOR_EARLIER_H

#include "libcollector/thread/thread.h"

struct attach_call;

/* A source of events: see source.h. */
void earlier_start(void);
void earlier_thread_begin(struct col_thread *thread);
void earlier_thread_account(struct col_thread *thread, struct col_thread *writer,
                            enum col_context context);

/* The calling thread was taken out of this call by `xcollect -P`, and will go back into it; NULL:
 * it is the program's own again. */
void earlier_borrow(const struct attach_call *call);

#endif
