/* enter.h: enter the recorder from a function that the program calls, or in a handler of ours. The
 * code there runs as in the tick handler: it uses the thread's COL_HANDLER parts. */
#ifndef XER_LIBCOLLECTOR_THREAD_ENTER_H
#define XER_LIBCOLLECTOR_THREAD_ENTER_H

#include "libcollector/thread/thread.h"

/* Enter the recorder from a function that the program calls: all signals are blocked, and kept in
 * *old. Returns the thread, whose COL_HANDLER parts may be used; NULL if this process is not
 * recorded, and then nothing is blocked. Signal-safe. */
struct col_thread *enter_recorder(sys_sigset *old);
void enter_leave(const sys_sigset *old);

/* The same with all signals already blocked. While in_handler is set, no other thread ends the
 * recording (attach.c). Returns 0 if it has ended already; enter_end is called in either case. */
int enter_begin(struct col_thread *self);
void enter_end(struct col_thread *self);

#endif
