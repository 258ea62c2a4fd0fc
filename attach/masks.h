/* masks.h: threads that had the collector's signal blocked before it came. */
#ifndef XER_ATTACH_MASKS_H
#define XER_ATTACH_MASKS_H

#include <sys/types.h>

/* Take the collector's tick signal (format/attach.h) out of the signal masks of all threads of
 * process `pid`; each that has it there is stopped for a moment. A thread that cannot be stopped
 * stays as it is: its CPU time is then known only at its end. */
void masks_let_in(pid_t pid);

#endif
