/* masks.h: threads that had blocked the recorder's signals before it came. */
#ifndef XER_ATTACH_MASKS_H
#define XER_ATTACH_MASKS_H

#include <sys/types.h>

/* Remove the signals that bring the recorder's ticks, ATTACH_TICK_SIGNAL (format/attach.h) and
 * SIGTRAP, from the signal masks of all threads of process `pid`, as far as the process has
 * handlers for them. Each thread that blocks one is stopped for a moment. A thread that cannot be
 * stopped stays as it is: its CPU time is then known only at its end. */
void masks_let_in(pid_t pid);

#endif
