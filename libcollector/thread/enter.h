/* enter.h: enter the recorder from a function that the program calls, or in a handler of ours. What
 * is done there is done as in the tick handler: the thread's COL_HANDLER parts are used. */
#ifndef XER_LIBCOLLECTOR_THREAD_ENTER_H
#define XER_LIBCOLLECTOR_THREAD_ENTER_H

#include "libcollector/thread/thread.h"

/* Enter the recorder from a function that the program calls: all signals are blocked, and kept in
 * *old. Returns the thread, whose COL_HANDLER parts may be used; NULL if this process is not
 * recorded, and then nothing is blocked. Signal-safe. */
struct col_thread *enter_recorder(sys_sigset *old);
void enter_leave(const sys_sigset *old);

/* The same with all signals blocked already. While in_handler says so, nobody ends the recording
 * behind our back (attach.c). Returns 0 if it has ended already; enter_end is called in either
 * case. */
int enter_begin(struct col_thread *self);
void enter_end(struct col_thread *self);

#endif
