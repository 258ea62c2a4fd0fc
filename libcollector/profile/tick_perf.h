/* tick_perf.h: ticks from the kernel's high-resolution CPU clock, by perf events.
 *
 * One event counts the CPU time of the calling thread, and is inherited by all threads that the
 * process creates from then on. At each period the kernel sends SIGTRAP to the thread itself, when
 * it is about to run code of the program: no system call is interrupted, and nobody is woken.
 * See doc/decisions/85-clock.md. Needs Linux 5.18 and perf_event_paranoid <= 2. */
#ifndef XER_COLLECTOR_PROFILE_TICK_PERF_H
#define XER_COLLECTOR_PROFILE_TICK_PERF_H

#include <signal.h>
#include <stdint.h>

enum tick_perf_trap {
	TICK_PERF_FOREIGN, /* no signal of ours */
	TICK_PERF_DUE,     /* the thread has run for a period since the last one */
	TICK_PERF_LATE     /* the same, but the signal was blocked for some time */
};

/* Open the events on the calling thread, for tick_perf_run, with a period in ns on average. Without
 * `with_kernel`, or if the kernel does not allow it, periods that end in the kernel are not told.
 * is_alone: it is known that the process has no other thread. Returns 0 or -errno: then nothing is
 * open. Signal-safe. */
int tick_perf_open(uint64_t period_ns, int with_kernel, int is_alone);

/* Close them, if they are still ours: no thread has any more. Signal-safe. */
void tick_perf_close(void);

/* The same in a forked child, for which no other thread closes anything any more. Signal-safe. */
void tick_perf_forget(void);

int tick_perf_is_open(void);

/* Does a tick tell time in user code alone? */
int tick_perf_is_user_only(void);

/* Has each thread of the process the event, however it was created? So it is if the calling thread
 * was the only one at the opening, or tick_perf_cover has said so. */
int tick_perf_is_everywhere(void);

/* Are the events still open, or has the program closed our descriptors? Signal-safe. */
int tick_perf_is_intact(void);

/* Is it the thread that called tick_perf_open? */
int tick_perf_is_opener(uint32_t tid);

/* What is this SIGTRAP in thread `tid`? period_ns: of CPU time, that has ended with it. The next
 * one has another length, at random, if it is the opening thread's. Signal-safe. */
enum tick_perf_trap tick_perf_look(const siginfo_t *info, uint32_t tid, uint64_t *period_ns);

/* An event for a first sample of the calling thread, whose number is `tid`, within that much CPU
 * time, at random: its period may be longer than its life. At most TICK_PERF_YOUNG threads have one
 * at a time, and none if few descriptors are allowed. Returns
 * its number, 0: there is none. It counts from tick_perf_begin to tick_perf_drop, which any thread
 * may call. Signal-safe. */
enum { TICK_PERF_YOUNG = 64 };
unsigned tick_perf_add(uint32_t tid, uint64_t within_ns);
void tick_perf_begin(unsigned number);

/* An event like that of tick_perf_open for thread `tid`, which was there before that call and so
 * has not inherited one; threads that it creates from now on inherit this one. It needs a
 * descriptor until tick_perf_close, since theirs end with it, so at most one in
 * TICK_PERF_PART of those that are allowed is used. Returns its number, 0: there is none.
 * Signal-safe. */
enum { TICK_PERF_PART = 8 };
unsigned tick_perf_add_for(uint32_t tid);

/* Each thread has an event now: so will those have that any of them creates. */
void tick_perf_cover(void);

/* Thread `tid` has had a sample by the event: of a young thread, it is not needed any more. An
 * event of another thread is left alone. Signal-safe. */
void tick_perf_serve(unsigned number, uint32_t tid);

/* The thread of the event, `tid`, has ended. An event of another thread is left alone. Signal-safe.
 */
void tick_perf_drop(unsigned number, uint32_t tid);

/* A thread is about to be created, which inherits the period as it is now. Signal-safe. */
void tick_perf_settle(void);

/* Make the calling thread's events its own: the kernel switches between threads that have inherited
 * theirs from the same one without stopping them, so samples would stand in a fixed relation to
 * the slices of time. Not needed for threads created by the one that called tick_perf_open.
 * Signal-safe. */
void tick_perf_part(void);

/* Begin to send signals, or go on. Signal-safe. */
void tick_perf_run(void);

/* The events of the opening thread itself begin only when it comes back; and it has. Signal-safe.
 */
void tick_perf_leave(void);
void tick_perf_return(void);
int tick_perf_is_away(void);

/* Stop before another program is executed, which a signal on its way would kill. Signal-safe. */
void tick_perf_depart(void);

#endif
