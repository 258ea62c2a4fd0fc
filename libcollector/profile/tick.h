/* tick.h: signals in each thread that uses CPU time, which take clock samples and, when due, usage
 * samples.
 *
 * They come from perf events (tick_perf.h), or where the kernel refuses those, from timers
 * (tick_timer.h). Each sample has the exact CPU time since the last one of its thread, not "one
 * period". */
#ifndef XER_COLLECTOR_PROFILE_TICK_H
#define XER_COLLECTOR_PROFILE_TICK_H

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

/* The calling thread is about to create another one, which will tick as it does. Signal-safe. */
void tick_before_thread(void);

/* The calling thread was taken out of what it does by `xcollect -P`, and blocks all signals. Its
 * own ticks begin only when it has gone back: one that is pending then would end the wait that it
 * was in. It is about to go back: what is pending is taken, and the next tick counts for it. */
void tick_borrow(void);
void tick_give_back(void);

/* The process is about to execute another program, which a tick on its way would kill; and that has
 * failed. Signal-safe. */
void tick_depart(void);
void tick_stay(void);

/* Perf events are those of another recording, or of the parent. Signal-safe. */
void tick_forget_events(void);

/* The same in a forked child, whose handlers have not begun. Signal-safe. */
void tick_begin_child(void);

/* Another recording begins: perf events may be possible by now. */
void tick_begin_again(void);

/* Before the recording: perf events shall tell time in user code alone, so that none is on its way
 * when the program executes another one without telling us. */
void tick_tell_user_only(void);

/* Perf events must not be used any more in this process and in what it executes: timers take their
 * place. Signal-safe. */
void tick_leave_perf(void);

/* The recording has ended: delete all timers. The handler stays, for signals that are still
 * pending. Signal-safe. */
void tick_close(void);

#endif
