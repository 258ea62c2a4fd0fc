/* tick_timer.h: ticks by timers on the CPU time of single threads, which the kernel looks at once
 * in a scheduler tick. All of it is signal-safe. */
#ifndef XER_COLLECTOR_PROFILE_TICK_TIMER_H
#define XER_COLLECTOR_PROFILE_TICK_TIMER_H

#include <stdint.h>
#include <time.h>

/* Create a timer that sends TICK_SIGNAL with `value` to thread `tid` after each `period_us` of its
 * CPU time, the first time after `first_us`. Returns 0 or -errno; -EAGAIN: the user may have
 * too few signals pending (RLIMIT_SIGPENDING) for more timers of ours. */
int tick_timer_create(uint32_t tid, void *value, uint64_t period_us, uint64_t first_us, int *timer);
void tick_timer_delete(int timer);

/* In a forked child, which has none. */
void tick_timers_forget(void);

/* The first time for a thread: sooner, after a random part of the period. Threads that begin
 * together are not to be seen together. */
uint64_t tick_timer_first_us(uint32_t tid, uint64_t period_us);

#endif
