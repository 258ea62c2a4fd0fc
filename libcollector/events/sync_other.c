/* sync_other.c: waits for other threads that are no row of sync.def: routines that are run once,
 * futex by syscall(2), and monitors of Java. */
#include "libcollector/events/sync_wait.h"

#include "libcollector/hook/hook.h"

#include <errno.h>
#include <linux/futex.h>

/* ---- routines that are run once
 *
 * The thread that runs the routine waits for nothing. Another one waits if it finds the routine
 * running. */

/* The C library's word of it. */
static inline int is_running(const int *word)
{
	enum { RUNNING = 1, DONE = 2 };

	return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & (RUNNING | DONE)) == RUNNING;
}

static __attribute__((noinline)) int pthread_once_traced(pthread_once_t *once, void (*run)(void))
{
	struct sync_wait wait = SYNC_WAIT(ONCE, COND, once, 0);
	int result;

	sync_begin(&wait);
	result = REAL(pthread_once)(once, run);
	sync_end(&wait, 0);
	return result;
}

EXPORT int pthread_once(pthread_once_t *once, void (*run)(void))
{
	if (likely(!sync_is_on() || !is_running((const int *)once)))
		return REAL(pthread_once)(once, run);
	return pthread_once_traced(once, run);
}

static __attribute__((noinline)) void call_once_traced(once_flag *flag, void (*run)(void))
{
	struct sync_wait wait = SYNC_WAIT(CALL_ONCE, COND, flag, 0);

	sync_begin(&wait);
	REAL(call_once)(flag, run);
	sync_end(&wait, 0);
}

EXPORT void call_once(once_flag *flag, void (*run)(void))
{
	if (likely(!sync_is_on() || !is_running((const int *)flag)))
		REAL(call_once)(flag, run);
	else
		call_once_traced(flag, run);
}

/* ---- futex, which libstdc++ calls for atomic waits ---- */

static int is_wake(long operation)
{
	int command = (int)operation & FUTEX_CMD_MASK;

	return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
}

int sync_wants_futex(long operation)
{
	int command = (int)operation & FUTEX_CMD_MASK;

	return (sync_is_on() && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)) ||
	       (wall_is_on() && is_wake(operation));
}

long sync_futex(long number, long a, long b, long c, long d, long e, long f)
{
	struct sync_wait wait = SYNC_WAIT(FUTEX_WAIT, COND, a, 0);
	long result;

	wait.signal = sync_signal_of_futex(wait.object, b);
	if (is_wake(b)) {
		sync_signal_put(wait.signal, &wait.caller);
		return REAL(syscall)(number, a, b, c, d, e, f);
	}
	sync_begin(&wait);
	result = REAL(syscall)(number, a, b, c, d, e, f);
	sync_end(&wait, result < 0 ? errno : 0);
	return result;
}

/* ---- monitors of Java
 *
 * They are no part of a thread's time: the machine's native waits for them are. */

int sync_wants_monitors(void)
{
	return col_on(SOURCE_SYNC) & SYNC_JAVA;
}

static struct sync_wait monitor(enum fmt_sync_func func, uint64_t object, uint64_t before,
                                const struct caller *caller)
{
	return (struct sync_wait){.func = func,
	                          .state = FMT_wall_state_USER,
	                          .object = object,
	                          .caller = *caller,
	                          .start = {.before = before}};
}

void sync_monitor_begin(enum fmt_sync_func func, uint64_t object, uint64_t before,
                        const struct caller *caller)
{
	struct sync_wait wait = monitor(func, object, before, caller);

	sync_begin(&wait);
}

/* A thread that waits for a monitor may have to enter it again before the wait ends: then there is
 * no record of its beginning any more. */
void sync_monitor(enum fmt_sync_func func, uint64_t object, uint64_t before,
                  const struct caller *caller)
{
	struct sync_wait wait = monitor(func, object, before, caller);
	uint64_t after = col_ticks();

	wait.open = col_self ? col_self->open_wait : NULL;
	if (wait.open || (sync_wants_monitors() && after - before >= sync_threshold))
		sync_put(&wait, after, 0, sync_threshold);
}
