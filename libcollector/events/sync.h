/* sync.h: synchronization tracing: waits for mutexes, condition variables, semaphores, ...,
 * wrapped. */
#ifndef XER_COLLECTOR_SYNC_H
#define XER_COLLECTOR_SYNC_H

#include "libcollector/thread/scope.h"

/* What col.switches->on[SOURCE_SYNC] says is recorded; also the descriptor's. */
enum { SYNC_NATIVE = 1, SYNC_JAVA = 2 };

/* Begin to record waits that are not shorter than the descriptor's threshold. Before this, the
 * wrappers only pass on. */
void sync_start(void);

/* Learn how the C library keeps who waits, and share with the children that will be forked who ends
 * the waits for what they share. */
void sync_share(void);
void sync_share_in_child(void);

/* A thread ends or is gone: a wait that it has left by a jump has no record any more. Signal-safe.
 */
void sync_thread_gone(struct col_thread *thread);

/* A state gets a new thread. */
void sync_thread_begin(struct col_thread *thread);

/* Is a futex call with this operation to be recorded? Signal-safe. */
int sync_wants_futex(long operation);

/* The wrapper of futex called by syscall(2), with all its arguments; to be entered by a jump. */
long sync_futex(long number, long a, long b, long c, long d, long e, long f);

/* Are waits for monitors of Java recorded? Signal-safe. */
int sync_wants_monitors(void);

/* The calling thread begins to wait for a monitor. In the thread, normal context. */
void sync_monitor_begin(enum fmt_sync_func func, uint64_t object, uint64_t before,
                        const struct caller *caller);

/* Record a wait of the calling thread for a monitor, since `before`, unless it was too short. In
 * the thread, normal context. */
void sync_monitor(enum fmt_sync_func func, uint64_t object, uint64_t before,
                  const struct caller *caller);

#endif
