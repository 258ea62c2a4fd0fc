/* tick.h: a timer on the CPU time of each thread. Its signal takes clock samples and, when due,
 * usage samples.
 *
 * The kernel checks CPU-time timers once in a scheduler tick, so at most CONFIG_HZ signals come in
 * a second. Therefore each sample has the exact CPU time since the last one of its thread, not "one
 * period". */
#ifndef XER_COLLECTOR_TICK_H
#define XER_COLLECTOR_TICK_H

#include "libcollector/thread/signals.h"
#include "libcollector/thread/thread.h"

/* Install the handler. Normal context, at the start. */
void tick_open(void);

/* Begin to record samples. Signal-safe. */
void tick_start(void);

/* Unblock the signal in the calling thread. */
void tick_let_in(void);

/* Start and stop the timer of `thread`, whose tid is set; any thread may do so. Signal-safe. */
void tick_arm(struct col_thread *thread);
void tick_disarm(struct col_thread *thread);

/* Do not count what `thread` has used until now: it was before the recording. Signal-safe. */
void tick_forget_past(struct col_thread *thread);

/* The recording has ended: delete all timers. The handler stays, for signals that are still
 * pending. Signal-safe. */
void tick_close(void);

/* Record the CPU time that no sample has counted yet. context: the caller's. Signal-safe. */
void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context);

/* Do not count the CPU time that is in no sample yet. Signal-safe. */
void tick_forget(struct col_thread *thread);

#endif
