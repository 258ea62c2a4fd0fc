/* sync.c: wrappers of the functions that wait for another thread, and their records. The functions
 * are the rows of sync.def.
 *
 * For a wait below the threshold, a wrapper costs two readings of the clock and no more. For a lock
 * that was free it costs one at most, since the second one would be made while the lock is held.
 * The scope is entered after the real call: many of these calls are cancellation points, and may
 * never return. */
#include "libcollector/events/sync.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/scope.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>

static uint64_t threshold; /* ticks */

/* Native waits. */
static inline int is_on(void)
{
	return col_on(SOURCE_SYNC) & SYNC_NATIVE;
}

void sync_start(void)
{
	threshold = (uint64_t)((double)col.descriptor.sync_threshold_ns * 1e-9 *
	                       (double)col.descriptor.clock_hz);
	atomic_store(&col.switches->on[SOURCE_SYNC], (unsigned)col.descriptor.sync_kinds);
}

/* Addresses and ticks beyond 48 bits are cut: user space has no such addresses, and no wait of less
 * than three hours has so many ticks. */
static inline struct fmt_u48 to_u48(uint64_t value)
{
	struct fmt_u48 result;

	fmt_u48_put(&result, value);
	return result;
}

static void record(enum fmt_sync_func func, uint64_t object, uint64_t second, uint64_t before,
                   uint64_t after, int error, struct caller caller)
{
	struct col_thread *thread = scope_enter();
	struct fmt_sync event __attribute__((aligned(8))) = {
		.kind = FMT_KIND_sync,
		.func = (uint8_t)func,
		.object = to_u48(object),
		.error = (uint32_t)error,
		.wait = to_u48(after - before),
		.second = to_u48(second),
	};

	if (!thread)
		return;
	/* Native waits of the Java machine on behalf of a monitor are recorded as waits for the
	 * monitor. */
	if (unlikely(thread->java_waits && func != FMT_sync_func_MONITOR_ENTER &&
	             func != FMT_sync_func_MONITOR_WAIT)) {
		scope_leave(thread);
		return;
	}
	event.stack = stack_of(thread, &caller);
	if (col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE], FMT_STREAM_SYNCTRACE,
	                   atomic_load(&thread->tid), &event, sizeof(event), after) == 0)
		thread->events[SOURCE_SYNC]++;
	scope_leave(thread);
}

/* ---- locks that are free
 *
 * The C library's word of a lock tells. Trying the lock by another function would change what the
 * program does: a robust mutex that is beyond use would wait for ever, and another library's
 * wrapper of the function that the program calls would not be called. If another thread takes the
 * lock right after we looked, the wait is not recorded. */

enum { WRITER = 2, FIRST_READER = 8 };

static inline int is_free_mutex(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0;
}

static inline int is_free_to_read(const pthread_rwlock_t *lock)
{
	return !(__atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) & WRITER);
}

static inline int is_free_to_write(const pthread_rwlock_t *lock)
{
	unsigned readers = __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED);

	return !(readers & WRITER) && readers < FIRST_READER;
}

/* How the functions return an error, as an errno value. errno is still the caller's. A robust mutex
 * whose owner has died is held now. */
#define ERROR_OF_ERROR(result) ((result) == EOWNERDEAD ? 0 : (result))
#define ERROR_OF_ERRNO(result) ((result) < 0 ? errno : 0)
#define ERROR_OF_SERIAL(result) ((result) == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : (result))
#define ERROR_OF_C11(result) c11_error(result)

static int c11_error(int result)
{
	switch (result) {
	case thrd_success:
		return 0;
	case thrd_busy:
		return EBUSY;
	case thrd_timedout:
		return ETIMEDOUT;
	case thrd_nomem:
		return ENOMEM;
	default:
		return EINVAL;
	}
}

#define WAIT(name, func, how, parameters, arguments, waited_for, with) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		uint64_t before = col_ticks(); \
		int result = REAL(name) arguments; \
		uint64_t after = col_ticks(); \
\
		if (is_on() && after - before >= threshold) \
			record(FMT_sync_func_##func, (uint64_t)(waited_for), (uint64_t)(with), \
			       before, after, ERROR_OF_##how(result), CALLER); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

/* ---- waits that are cancellation points
 *
 * A thread that is cancelled does not come back to the wrapper. The unwinder tells us when it
 * passes the wrapper's frame. */

struct waiting {
	enum fmt_sync_func function;
	uint64_t object, second, before;
	struct caller caller;
	struct waiting *outer; /* that a handler of the program has interrupted */
};

/* The innermost of the thread. */
static __thread struct waiting *waiting __attribute__((tls_model("initial-exec")));

/* What the unwinder asks of a personality routine (C++ ABI). */
int sync_unwound(int version, int actions) __attribute__((used, visibility("hidden")));
int sync_unwound(int version, int actions)
{
	enum { CLEANUP_PHASE = 2, FORCED = 8, CONTINUE = 8 };
	const struct waiting *wait = waiting;
	uint64_t after = col_ticks();

	(void)version;
	if (!wait || (actions & (CLEANUP_PHASE | FORCED)) != (CLEANUP_PHASE | FORCED))
		return CONTINUE;
	waiting = wait->outer;
	if (is_on() && after - wait->before >= threshold)
		record(wait->function, wait->object, wait->second, wait->before, after, ECANCELED,
		       wait->caller);
	return CONTINUE;
}

#define WAIT_CANCELLABLE(name, func, how, parameters, arguments, waited_for, with) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		struct waiting wait = {FMT_sync_func_##func, \
		                       (uint64_t)(waited_for), \
		                       (uint64_t)(with), \
		                       col_ticks(), \
		                       CALLER, \
		                       waiting}; \
		uint64_t after; \
		int result; \
\
		ARCH_UNWOUND(sync_unwound); \
		waiting = &wait; \
		result = REAL(name) arguments; \
		waiting = wait.outer; \
		after = col_ticks(); \
		if (is_on() && after - wait.before >= threshold) \
			record(wait.function, wait.object, wait.second, wait.before, after, \
			       ERROR_OF_##how(result), wait.caller); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

#define LOCK(name, func, is_free, type) \
	static __attribute__((noinline)) int name##_traced(type *lock) \
	{ \
		uint64_t before, after; \
		int result; \
\
		if (threshold && is_free(lock)) \
			return REAL(name)(lock); \
		before = col_ticks(); \
		result = REAL(name)(lock); \
		after = col_ticks(); \
		if (is_on() && after - before >= threshold) \
			record(FMT_sync_func_##func, (uint64_t)lock, 0, before, after, \
			       ERROR_OF_ERROR(result), CALLER); \
		return result; \
	} \
	EXPORT int name(type *lock) \
	{ \
		PASS_ON(name, (lock)); \
		return name##_traced(lock); \
	}

#define INIT(name, func, parameters, arguments, made) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		int result = REAL(name) arguments; \
		uint64_t now = col_ticks(); \
\
		if (is_on() && result == 0) \
			record(FMT_sync_func_##func, (uint64_t)(made), 0, now, now, 0, CALLER); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

/* As they were before condition variables were rewritten: objects of one version do not work with
 * functions of the other. */
EXPORT int pthread_cond_wait_old(pthread_cond_t *cond, pthread_mutex_t *mutex);
EXPORT int pthread_cond_timedwait_old(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                      const struct timespec *time);
EXPORT int pthread_cond_init_old(pthread_cond_t *cond, const pthread_condattr_t *attributes);

#include "libcollector/events/sync.def"

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

static void ran(enum fmt_sync_func func, const void *object, uint64_t before, struct caller caller)
{
	uint64_t after = col_ticks();

	if (is_on() && after - before >= threshold)
		record(func, (uint64_t)object, 0, before, after, 0, caller);
}

static __attribute__((noinline)) int pthread_once_traced(pthread_once_t *once, void (*run)(void))
{
	uint64_t before = col_ticks();
	int result = REAL(pthread_once)(once, run);

	ran(FMT_sync_func_ONCE, once, before, CALLER);
	return result;
}

EXPORT int pthread_once(pthread_once_t *once, void (*run)(void))
{
	if (likely(!is_on() || !is_running((const int *)once)))
		return REAL(pthread_once)(once, run);
	return pthread_once_traced(once, run);
}

static __attribute__((noinline)) void call_once_traced(once_flag *flag, void (*run)(void))
{
	uint64_t before = col_ticks();

	REAL(call_once)(flag, run);
	ran(FMT_sync_func_CALL_ONCE, flag, before, CALLER);
}

EXPORT void call_once(once_flag *flag, void (*run)(void))
{
	if (likely(!is_on() || !is_running((const int *)flag)))
		REAL(call_once)(flag, run);
	else
		call_once_traced(flag, run);
}

HOOK_VERSION(pthread_cond_wait, pthread_cond_wait, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_timedwait, pthread_cond_timedwait, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_init, pthread_cond_init, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_wait_old, pthread_cond_wait, "@GLIBC_2.2.5");
HOOK_VERSION(pthread_cond_timedwait_old, pthread_cond_timedwait, "@GLIBC_2.2.5");
HOOK_VERSION(pthread_cond_init_old, pthread_cond_init, "@GLIBC_2.2.5");

/* ---- monitors of Java ---- */

int sync_wants_monitors(void)
{
	return col_on(SOURCE_SYNC) & SYNC_JAVA;
}

void sync_monitor(enum fmt_sync_func func, uint64_t object, uint64_t before,
                  const struct caller *caller)
{
	uint64_t after = col_ticks();

	if (sync_wants_monitors() && after - before >= threshold)
		record(func, object, 0, before, after, 0, *caller);
}

/* ---- futex, which libstdc++ calls for atomic waits ---- */

int sync_wants_futex(long operation)
{
	int command = (int)operation & FUTEX_CMD_MASK;

	return is_on() && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

long sync_futex(long number, long a, long b, long c, long d, long e, long f)
{
	uint64_t before = col_ticks();
	long result = REAL(syscall)(number, a, b, c, d, e, f);
	uint64_t after = col_ticks();

	if (after - before >= threshold)
		record(FMT_sync_func_FUTEX_WAIT, (uint64_t)a, 0, before, after,
		       result < 0 ? errno : 0, CALLER);
	return result;
}
