/* sync.h: synchronization tracing: waits for mutexes, condition variables, semaphores, ..., wrapped. */
#ifndef XER_COLLECTOR_SYNC_H
#define XER_COLLECTOR_SYNC_H

/* Begin to record waits that are not shorter than the descriptor's threshold. Before this, the wrappers only
 * pass on. */
void sync_start(void);

/* Is a futex call with this operation to be recorded? Signal-safe. */
int sync_wants_futex(long operation);

/* The wrapper of futex called by syscall(2), with all its arguments; to be entered by a jump. */
long sync_futex(long number, long a, long b, long c, long d, long e, long f);

#endif
