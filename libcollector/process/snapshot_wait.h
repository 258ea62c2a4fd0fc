/* snapshot_wait.h: a thread that waits for a lock for too long makes a snapshot (xcollect
 * --snapshot-wait), while it waits.
 *
 * A timer of real time sends our tick signal to the thread. The calls that wait for locks go on
 * waiting after a signal, so the program does not notice. Where the system has no timer left, the
 * snapshot is made when the wait is over. All of it is signal-safe. */
#ifndef XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_WAIT_H
#define XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_WAIT_H

#include "libcollector/thread/thread.h"

/* The calling thread is about to wait. */
void snapshot_wait_begins(struct col_thread *thread);

/* Its timer has expired. */
void snapshot_wait_lasts(struct col_thread *thread);

/* It has waited, so many ticks. */
void snapshot_wait_ended(struct col_thread *thread, uint64_t ticks);

#endif
