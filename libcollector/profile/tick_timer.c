/* tick_timer.c: timers on the CPU time of threads. See tick_timer.h.
 *
 * Only of single threads. With a timer on the CPU time of the process, the kernel would answer each
 * question for that time, clock() say, from what it counted at the last scheduler tick: the
 * program's own clock would go in steps of some ms. See doc/decisions/06-unannounced-threads.md. */
#include "libcollector/profile/tick_timer.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/signals.h"

/* Each timer counts as a signal of the user that may be pending, and the program may need these. */
enum { SHARE = 8 };

static atomic_uint count; /* timers that there are */

static int may_have_more(void)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_SIGPENDING, NULL, &limit) < 0 ||
	       atomic_load(&count) < limit.rlim_cur / SHARE;
}

/* The first sample of a process comes early, so that short ones have one: most processes of a make
 * or a script are short. */
enum { FIRST_US = 1000 };

uint64_t tick_timer_first_us(uint32_t tid, uint64_t period_us)
{
	uint64_t most = tid == (uint32_t)col.pid && period_us > FIRST_US ? FIRST_US : period_us;

	return col_any_of(most);
}

static struct timespec time_of(uint64_t us)
{
	return (struct timespec){.tv_sec = (time_t)(us / 1000000),
	                         .tv_nsec = (long)(us % 1000000 * 1000)};
}

int tick_timer_create(uint32_t tid, void *value, uint64_t period_us, uint64_t first_us, int *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
	struct itimerspec interval = {.it_interval = time_of(period_us),
	                              .it_value = time_of(first_us)};
	long error;

	if (!may_have_more())
		return -EAGAIN;
	event.sigev_value.sival_ptr = value;
	event._sigev_un._tid = (int)tid;
	error = SYS3(SYS_timer_create, sys_thread_clock(tid), &event, timer);
	if (error < 0)
		return (int)error;
	atomic_fetch_add(&count, 1);
	error = SYS4(SYS_timer_settime, *timer, 0, &interval, NULL);
	if (error < 0)
		tick_timer_delete(*timer);
	return (int)error;
}

void tick_timer_delete(int timer)
{
	SYS1(SYS_timer_delete, timer);
	atomic_fetch_sub(&count, 1);
}

void tick_timers_forget(void)
{
	atomic_store(&count, 0);
}
