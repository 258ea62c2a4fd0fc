/* snapshot_wait.c: see snapshot_wait.h. */
#include "libcollector/process/snapshot_wait.h"

#include "libcollector/hook/hook.h"
#include "libcollector/process/snapshot.h"
#include "libcollector/thread/signals.h"

enum { SECOND_MS = 1000, MS_NS = 1000000 };

/* What thread->alarm is without a timer; else it is the number of the timer, and 1. */
enum { NONE = 0, EXPIRED = -1 };

static void make(uint64_t ms, const char *how)
{
	char why[SNAPSHOT_WHY], *at;

	if (!snapshot_is_due())
		return;
	at = stpcpy(why, "Thread ");
	at = snapshot_put_number(at, (uint64_t)sys_gettid());
	at = stpcpy(at, how);
	at = snapshot_put_number(at, ms);
	strcpy(at, " ms for a lock");
	snapshot_begin(why);
}

static void drop_timer(struct col_thread *thread)
{
	if (thread->alarm > 0)
		SYS1(SYS_timer_delete, thread->alarm - 1);
	thread->alarm = NONE;
}

/* The record of the wait, which has not ended. */
static const uint8_t *open_of(const struct col_thread *thread)
{
	return thread->open_wait ? thread->open_wait : thread->wall.open;
}

void snapshot_wait_begins(struct col_thread *thread)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
	uint64_t ms = col.descriptor.snapshot_wait_ms;
	struct itimerspec once = {.it_value = {.tv_sec = (time_t)(ms / SECOND_MS),
	                                       .tv_nsec = (long)(ms % SECOND_MS * MS_NS)}};
	int timer;

	drop_timer(thread); /* the program has jumped out of the wait before */
	/* Without our handler, the signal would kill the program. */
	if (!col_is_recording() || !(signals_ours() & SYS_SIGBIT(TICK_SIGNAL)))
		return;
	event.sigev_value.sival_ptr = thread;
	event._sigev_un._tid = (int)atomic_load(&thread->tid);
	if (SYS3(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		return;
	thread->alarm = timer + 1;
	thread->alarm_open = open_of(thread);
	SYS4(SYS_timer_settime, timer, 0, &once, NULL);
}

void snapshot_wait_lasts(struct col_thread *thread)
{
	int is_over = thread->alarm_open != open_of(thread); /* the program jumped out of it */

	drop_timer(thread);
	if (is_over || !col_is_recording())
		return;
	thread->alarm = EXPIRED;
	make(col.descriptor.snapshot_wait_ms, " has waited ");
}

void snapshot_wait_ended(struct col_thread *thread, uint64_t ticks)
{
	uint64_t ms = col_ns_of(ticks) / MS_NS;
	int has_none = thread->alarm == NONE;

	drop_timer(thread);
	if (has_none && ms >= col.descriptor.snapshot_wait_ms)
		make(ms, " waited ");
}

/* ---- jumps: a handler of the program may leave the wait by one. The timer would expire in another
 * call then, which may return for it. If the jump does not leave the wait, its end is soon enough
 * for a snapshot. A child that nobody announced has no memory at `col_self`. */

#define JUMP(name) \
	EXPORT void name(struct __jmp_buf_tag place[1], int value) \
	{ \
		struct col_thread *thread = col_self; \
\
		if (unlikely(col.descriptor.snapshot_wait_ms) && thread && \
		    process_is_recorded() && thread->alarm > 0) \
			drop_timer(thread); \
		REAL(name)(place, value); \
		__builtin_unreachable(); \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
