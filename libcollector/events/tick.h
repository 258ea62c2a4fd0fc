/* tick.h: a timer on each thread's CPU time. Its signal takes clock samples and, when due, usage
 * samples.
 *
 * The kernel looks at CPU-time timers once a scheduler tick, so that at most CONFIG_HZ signals a
 * second come; each sample therefore carries the exact CPU time since the thread's last one, not
 * "one period". */
#ifndef XER_COLLECTOR_TICK_H
#define XER_COLLECTOR_TICK_H

#include "libcollector/thread/signals.h"
#include "libcollector/thread/thread.h"

/* Install the handler. Normal context, at the start. */
void tick_open(void);

/* Begin to record samples. Signal-safe. */
void tick_start(void);

/* Let the signal into the calling thread, which may have it blocked. */
void tick_let_in(void);

/* In a forked child: timers are not inherited. Signal-safe. */
void tick_restart(void);

/* Start and stop the timer of `thread`, whose tid is set; any thread may do so. Signal-safe. */
void tick_arm(struct col_thread *thread);
void tick_disarm(struct col_thread *thread);

/* What `thread` has used until now is nobody's: it was before the recording. Signal-safe. */
void tick_forget_past(struct col_thread *thread);

/* The recording has ended: delete all timers. The handler stays, for signals on their way.
 * Signal-safe. */
void tick_close(void);

/* Record the CPU time that no sample has counted yet. context: the caller's. Signal-safe. */
void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context);

/* Let the CPU time that no sample has counted yet be nobody's. Signal-safe. */
void tick_forget(struct col_thread *thread);

#endif
