/* masks.h: threads that had blocked the recorder's signal before it came. */
#ifndef XER_ATTACH_MASKS_H
#define XER_ATTACH_MASKS_H

#include <sys/types.h>

/* Remove the recorder's tick signal (format/attach.h) from the signal masks of all threads of
 * process `pid`; each thread that blocks it is stopped for a moment. A thread that cannot be
 * stopped stays as it is: its CPU time is then known only at its end. */
void masks_let_in(pid_t pid);

#endif
