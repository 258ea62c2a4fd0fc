/* tick.h: signals in each thread that uses CPU time, which take clock samples and, when due, usage
 * samples.
 *
 * They come from perf events (tick_perf.h), or where the kernel refuses those, from timers
 * (tick_timer.h). Each sample has the exact CPU time since the last one of its thread, not "one
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

/* The calling thread is about to create another one, which will tick as it does. Signal-safe. */
void tick_before_thread(void);

/* The process is about to execute another program, which a tick on its way would kill; and that has
 * failed. Signal-safe. */
void tick_depart(void);
void tick_stay(void);

/* In a forked child: its parent's perf events are not its own. Signal-safe. */
void tick_forget_events(void);

/* Before the recording: perf events shall tell time in user code alone, so that none is on its way
 * when the program executes another one without telling us. */
void tick_tell_user_only(void);

/* Perf events must not be used any more in this process and in what it executes: timers take their
 * place. Signal-safe. */
void tick_leave_perf(void);

/* The recording has ended: delete all timers. The handler stays, for signals that are still
 * pending. Signal-safe. */
void tick_close(void);

/* Record the CPU time that no sample has counted yet. context: the caller's. Signal-safe. */
void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context);

/* Do not count the CPU time that is in no sample yet. Signal-safe. */
void tick_forget(struct col_thread *thread);

#endif
