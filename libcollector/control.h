/* control.h: control of the recording by the program (include/collectorAPI.h) and by signals
 * (xcollect -y, -l, -x). */
#ifndef XER_COLLECTOR_CONTROL_H
#define XER_COLLECTOR_CONTROL_H

#include "libcollector/thread/thread.h"

/* Install what the descriptor asks for. Normal context, at the start. */
void control_open(void);

/* If xcollect -x asks for it, stop the process until somebody continues it. Normal context, at the
 * end of the start. */
void control_stop(void);

/* End the recording of this process for good: from here on, the recorder makes no system call.
 * Signal-safe. */
void control_terminate(void);

/* Enter the recorder from a function that the program calls: all signals are blocked, and kept in
 * *old. Returns the thread, whose COL_HANDLER parts may be used; NULL if this process is not
 * recorded, and then nothing is blocked. Signal-safe. */
struct col_thread *control_enter(sys_sigset *old);
void control_leave(const sys_sigset *old);

#endif
