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

/* Native waits of the Java machine on behalf of a monitor are recorded as waits for the monitor. */
static int is_for_monitor(const struct col_thread *thread, enum fmt_sync_func func)
{
	return unlikely(thread->java_waits) && func != FMT_sync_func_MONITOR_ENTER &&
	       func != FMT_sync_func_MONITOR_WAIT;
}

/* ---- waits that have not ended
 *
 * The record of a wait that will block is in the file before it begins, with its stack: the process
 * may end meanwhile, in any way. When the wait ends, its own record takes the place. The walk is
 * made at most once, in time that the thread would have waited. */

enum { OPEN_SIZE = sizeof(struct fmt_sync_open) };

static int has_open(const struct col_thread *thread, const struct col_slot *slot)
{
	return thread->open_wait && col_slot_ends_with(slot, thread->open_wait, OPEN_SIZE);
}

/* In a scope of `thread`, or when it is gone: take back what stands of a wait that has ended.
 * Returns its stack, if it is the one of `open`. */
static uint32_t take_back(struct col_thread *thread, const uint8_t *open)
{
	struct col_slot *slot = &thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE];
	uint32_t stack = 0;

	if (has_open(thread, slot)) {
		if (open == thread->open_wait)
			memcpy(&stack, open + offsetof(struct fmt_sync_open, stack), sizeof(stack));
		col_slot_take_back(slot, OPEN_SIZE);
	}
	thread->open_wait = NULL;
	return stack;
}

void sync_thread_begin(struct col_thread *thread)
{
	thread->open_wait = NULL;
}

void sync_thread_gone(struct col_thread *thread)
{
	take_back(thread, NULL);
}

/* A wait begins now. Returns its record, NULL: there is none. */
static __attribute__((noinline)) const uint8_t *begin(enum fmt_sync_func func, uint64_t object,
                                                      uint64_t second, uint64_t before,
                                                      struct caller caller)
{
	struct col_thread *thread = scope_enter();
	struct fmt_sync_open event __attribute__((aligned(8))) = {
		.kind = FMT_KIND_sync_open,
		.func = (uint8_t)func,
		.object = to_u48(object),
		.second = to_u48(second),
	};
	uint8_t *payload;

	if (!thread)
		return NULL;
	take_back(thread, NULL);
	if (is_for_monitor(thread, func)) {
		scope_leave(thread);
		return NULL;
	}
	event.stack = stack_of(thread, &caller);
	payload = col_slot_event(&thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE],
	                         FMT_STREAM_SYNCTRACE, atomic_load(&thread->tid), sizeof(event),
	                         before);
	if (payload)
		fdr_payload_put(payload, &event, sizeof(event));
	thread->open_wait = payload;
	scope_leave(thread);
	return payload;
}

/* ---- waits that have ended ---- */

/* open: what `begin` returned; shortest: ticks. */
static void put(enum fmt_sync_func func, uint64_t object, uint64_t second, uint64_t before,
                uint64_t after, int error, struct caller caller, const uint8_t *open,
                uint64_t shortest)
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
	if (unlikely(thread->open_wait))
		event.stack = take_back(thread, open);
	if (!col_on(SOURCE_SYNC) || after - before < shortest || is_for_monitor(thread, func)) {
		scope_leave(thread);
		return;
	}
	if (!event.stack)
		event.stack = stack_of(thread, &caller);
	if (col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE], FMT_STREAM_SYNCTRACE,
	                   atomic_load(&thread->tid), &event, sizeof(event), after) == 0)
		thread->events[SOURCE_SYNC]++;
	scope_leave(thread);
}

/* A wait has ended. */
static inline void record(enum fmt_sync_func func, uint64_t object, uint64_t second,
                          uint64_t before, uint64_t after, int error, struct caller caller,
                          const uint8_t *open)
{
	put(func, object, second, before, after, error, caller, open, threshold);
}

/* Is there anything to be done at the end of a wait? */
static inline int is_due(uint64_t before, uint64_t after, const uint8_t *open)
{
	return open || (is_on() && after - before >= threshold);
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

/* Will the calling thread wait for it? A recursive mutex of its own it gets. */
static inline int is_held(const pthread_mutex_t *mutex)
{
	enum { KIND = 3 };
	int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & KIND;

	if (is_free_mutex(mutex))
		return 0;
	return (kind != PTHREAD_MUTEX_RECURSIVE_NP && kind != PTHREAD_MUTEX_ERRORCHECK_NP) ||
	       !col_self ||
	       (unsigned)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) !=
	               atomic_load(&col_self->tid);
}

static inline int is_written(const pthread_rwlock_t *lock)
{
	return !is_free_to_read(lock);
}

static inline int is_taken(const pthread_rwlock_t *lock)
{
	return !is_free_to_write(lock);
}

/* Its value is in the lowest half of its first word. */
static inline int is_down(const sem_t *semaphore)
{
	return __atomic_load_n((const unsigned *)semaphore, __ATOMIC_RELAXED) == 0;
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

#define BEGIN(func, waited_for, with, before, blocks) \
	((blocks) && is_on() ? begin(FMT_sync_func_##func, (uint64_t)(waited_for), \
	                             (uint64_t)(with), before, CALLER) \
	                     : NULL)

#define WAIT(name, func, how, parameters, arguments, waited_for, with, blocks) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		uint64_t before = col_ticks(), after; \
		const uint8_t *open = BEGIN(func, waited_for, with, before, blocks); \
		int result = REAL(name) arguments; \
\
		after = col_ticks(); \
		if (is_due(before, after, open)) \
			record(FMT_sync_func_##func, (uint64_t)(waited_for), (uint64_t)(with), \
			       before, after, ERROR_OF_##how(result), CALLER, open); \
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
	const uint8_t *open;
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
	if (is_due(wait->before, after, wait->open))
		record(wait->function, wait->object, wait->second, wait->before, after, ECANCELED,
		       wait->caller, wait->open);
	return CONTINUE;
}

#define WAIT_CANCELLABLE(name, func, how, parameters, arguments, waited_for, with, blocks) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		struct waiting wait = {FMT_sync_func_##func, \
		                       (uint64_t)(waited_for), \
		                       (uint64_t)(with), \
		                       col_ticks(), \
		                       CALLER, \
		                       NULL, \
		                       waiting}; \
		uint64_t after; \
		int result; \
\
		ARCH_UNWOUND(sync_unwound); \
		wait.open = BEGIN(func, waited_for, with, wait.before, blocks); \
		waiting = &wait; \
		result = REAL(name) arguments; \
		waiting = wait.outer; \
		after = col_ticks(); \
		if (is_due(wait.before, after, wait.open)) \
			record(wait.function, wait.object, wait.second, wait.before, after, \
			       ERROR_OF_##how(result), wait.caller, wait.open); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

#define LOCK(name, func, is_free, blocks, type) \
	static __attribute__((noinline)) int name##_traced(type *lock) \
	{ \
		uint64_t before, after; \
		const uint8_t *open; \
		int result; \
\
		if (threshold && is_free(lock)) \
			return REAL(name)(lock); \
		before = col_ticks(); \
		open = BEGIN(func, lock, 0, before, blocks(lock)); \
		result = REAL(name)(lock); \
		after = col_ticks(); \
		if (is_due(before, after, open)) \
			record(FMT_sync_func_##func, (uint64_t)lock, 0, before, after, \
			       ERROR_OF_ERROR(result), CALLER, open); \
		return result; \
	} \
	EXPORT int name(type *lock) \
	{ \
		PASS_ON(name, (lock)); \
		return name##_traced(lock); \
	}

/* An object has been made: a wait of no time, whatever the threshold. */
static void record_init(enum fmt_sync_func func, uint64_t object, struct caller caller)
{
	uint64_t now = col_ticks();

	put(func, object, 0, now, now, 0, caller, NULL, 0);
}

#define INIT(name, func, parameters, arguments, made) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		int result = REAL(name) arguments; \
\
		if (is_on() && result == 0) \
			record_init(FMT_sync_func_##func, (uint64_t)(made), CALLER); \
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

static void ran(enum fmt_sync_func func, const void *object, uint64_t before, struct caller caller,
                const uint8_t *open)
{
	uint64_t after = col_ticks();

	if (is_due(before, after, open))
		record(func, (uint64_t)object, 0, before, after, 0, caller, open);
}

static __attribute__((noinline)) int pthread_once_traced(pthread_once_t *once, void (*run)(void))
{
	uint64_t before = col_ticks();
	const uint8_t *open = BEGIN(ONCE, once, 0, before, 1);
	int result = REAL(pthread_once)(once, run);

	ran(FMT_sync_func_ONCE, once, before, CALLER, open);
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
	const uint8_t *open = BEGIN(CALL_ONCE, flag, 0, before, 1);

	REAL(call_once)(flag, run);
	ran(FMT_sync_func_CALL_ONCE, flag, before, CALLER, open);
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

void sync_monitor_begin(enum fmt_sync_func func, uint64_t object, uint64_t before,
                        const struct caller *caller)
{
	begin(func, object, 0, before, *caller);
}

/* A thread that waits for a monitor may have to enter it again before the wait ends: then there is
 * no record of its beginning any more. */
void sync_monitor(enum fmt_sync_func func, uint64_t object, uint64_t before,
                  const struct caller *caller)
{
	uint64_t after = col_ticks();
	const uint8_t *open = col_self ? col_self->open_wait : NULL;

	if (open || (sync_wants_monitors() && after - before >= threshold))
		record(func, object, 0, before, after, 0, *caller, open);
}

/* ---- futex, which libstdc++ calls for atomic waits ---- */

int sync_wants_futex(long operation)
{
	int command = (int)operation & FUTEX_CMD_MASK;

	return is_on() && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

long sync_futex(long number, long a, long b, long c, long d, long e, long f)
{
	uint64_t before = col_ticks(), after;
	const uint8_t *open = BEGIN(FUTEX_WAIT, a, 0, before, 1);
	long result = REAL(syscall)(number, a, b, c, d, e, f);

	after = col_ticks();
	if (is_due(before, after, open))
		record(FMT_sync_func_FUTEX_WAIT, (uint64_t)a, 0, before, after,
		       result < 0 ? errno : 0, CALLER, open);
	return result;
}
