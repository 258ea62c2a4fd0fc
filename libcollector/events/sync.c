/* sync.c: wrappers of the functions that wait for another thread, and their records. The functions
 * are the rows of sync.def; those that need more than a row are in sync_other.c.
 *
 * For a wait below the threshold, a wrapper costs two readings of the clock and no more. For a lock
 * that was free it costs one at most, since the second one would be made while the lock is held.
 * The scope is entered after the real call: many of these calls are cancellation points, and may
 * never return. */
#include "libcollector/events/sync_site.h"

#include "libcollector/base/host.h"
#include "libcollector/hook/hook.h"

#include <errno.h>

uint64_t sync_threshold;

static inline int is_on(void)
{
	return sync_is_on();
}

void sync_start(void)
{
	sync_threshold = col_ticks_of(col.descriptor.sync_threshold_ns);
	atomic_store(&col.switches->on[SOURCE_SYNC], (unsigned)col.descriptor.sync_kinds);
}

/* Addresses beyond 48 bits are cut: user space has none. */
static inline struct fmt_u48 to_u48(uint64_t value)
{
	struct fmt_u48 result;

	fmt_u48_put(&result, value);
	return result;
}

static int is_monitor(enum fmt_sync_func func)
{
	return func == FMT_sync_func_MONITOR_ENTER || func == FMT_sync_func_MONITOR_WAIT;
}

/* Native waits of the Java machine on behalf of a monitor are recorded as waits for the monitor. */
static int is_for_monitor(const struct col_thread *thread, enum fmt_sync_func func)
{
	return unlikely(thread->java_waits) && !is_monitor(func);
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
		if (open && open == thread->open_wait)
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

/* Is it recorded as synchronization? */
static int is_recorded(const struct col_thread *thread, enum fmt_sync_func func)
{
	unsigned kind = is_monitor(func) ? SYNC_JAVA : SYNC_NATIVE;

	return col_on(SOURCE_SYNC) & kind && !is_for_monitor(thread, func);
}

/* As a part of the thread's time: what the Java machine does to enter a monitor is a wait for a
 * lock, however it waits. */
static struct wall_call wall_call_of(const struct col_thread *thread, const struct sync_wait *wait,
                                     int error)
{
	enum { ENTERS = 1 }; /* java_waits */
	int enters = thread->java_waits & ENTERS;

	return (struct wall_call){.state = enters ? FMT_wall_state_LOCK : wait->state,
	                          .family = FMT_wait_family_SYNC,
	                          .func = (uint8_t)wait->func,
	                          .error = error,
	                          .object = wait->object,
	                          .owner = wait->owner,
	                          .site = wait->site};
}

static int is_part_of_time(const struct sync_wait *wait)
{
	return wait->state != FMT_wall_state_USER;
}

static uint8_t *put_open(struct col_thread *thread, const struct sync_wait *wait, uint32_t stack)
{
	struct fmt_sync_open event __attribute__((aligned(8))) = {
		.kind = FMT_KIND_sync_open,
		.func = (uint8_t)wait->func,
		.stack = stack,
		.object = to_u48(wait->object),
		.second = to_u48(wait->second),
	};
	uint8_t *payload = col_slot_event(&thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE],
	                                  FMT_STREAM_SYNCTRACE, atomic_load(&thread->tid),
	                                  sizeof(event), wait->start.before);

	if (payload)
		fdr_payload_put(payload, &event, sizeof(event));
	return payload;
}

/* Who has what is waited for, and where it was taken. */
static void find_owner(struct sync_wait *wait)
{
	uint64_t pc;

	wait->owner = sync_owner_of(wait->func, wait->object);
	pc = wall_is_on() ? sync_site_of(wait->object, wait->owner) : 0;
	wait->site = pc ? tree_node(0, pc) : 0;
}

__attribute__((noinline)) void sync_begin(struct sync_wait *wait)
{
	struct col_thread *thread;
	struct wall_call call;
	uint32_t stack;

	/* The object is read, as the call itself will: where that is a fault, not in a scope, which
	 * the program's handler may never come back to. */
	if (!wait->signal && wall_is_on())
		wait->signal = sync_signal_of(wait->func, wait->object);
	thread = scope_enter();
	if (!thread)
		return;
	find_owner(wait);
	take_back(thread, NULL);
	stack = stack_of(thread, &wait->caller);
	/* Who comes last to a barrier ends the waits of the others. */
	if (wait->func == FMT_sync_func_BARRIER_WAIT && wait->signal)
		sync_signal_note(thread, wait->signal, stack);
	if (is_recorded(thread, wait->func))
		wait->open = thread->open_wait = put_open(thread, wait, stack);
	call = wall_call_of(thread, wait, 0);
	if (wall_is_on() && is_part_of_time(wait))
		wall_open(thread, &call, stack, &wait->caller, &wait->start);
	scope_leave(thread);
	if (wait->state == FMT_wall_state_LOCK)
		col_waits(thread);
}

/* ---- waits that have ended ---- */

/* shortest: ticks. Returns the stack, 0: it was not walked. */
static uint32_t put(struct col_thread *thread, const struct sync_wait *wait, uint64_t after,
                    int error, uint64_t shortest)
{
	struct fmt_sync event __attribute__((aligned(8))) = {
		.kind = FMT_KIND_sync,
		.func = (uint8_t)wait->func,
		.object = to_u48(wait->object),
		.error = (uint32_t)error,
		.second = to_u48(wait->second),
	};

	fmt_ticks_put(&event.wait_high, &event.wait, after - wait->start.before);
	if (unlikely(thread->open_wait))
		event.stack = take_back(thread, wait->open);
	if (!is_recorded(thread, wait->func) || after - wait->start.before < shortest)
		return event.stack;
	if (!event.stack)
		event.stack = stack_of(thread, &wait->caller);
	if (col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_SYNCTRACE], FMT_STREAM_SYNCTRACE,
	                   atomic_load(&thread->tid), &event, sizeof(event), after) == 0)
		thread->events[SOURCE_SYNC]++;
	return event.stack;
}

static void find_signaller(const struct col_thread *thread, const struct sync_wait *wait,
                           uint64_t after, struct wall_call *call)
{
	struct sync_signal signal;

	/* A wait that was not foreseen has no key: what it was for may be gone by now. */
	if (call->error != 0 || !wait->signal ||
	    !sync_signal_find(wait->signal, wait->start.before, after, atomic_load(&thread->tid),
	                      &signal))
		return;
	call->owner = signal.tid;
	call->site = signal.stack;
}

void sync_put(const struct sync_wait *wait, uint64_t after, int error, uint64_t shortest)
{
	struct col_thread *thread = scope_enter();
	struct wall_call call;
	uint32_t stack;

	if (!thread)
		return;
	stack = put(thread, wait, after, error, shortest);
	call = wall_call_of(thread, wait, error);
	find_signaller(thread, wait, after, &call);
	if (is_part_of_time(wait) && wall_is_due(&wait->start, call.state, after))
		wall_close(thread, &call, &wait->start, after, stack, &wait->caller);
	scope_leave(thread);
	if (wait->state == FMT_wall_state_LOCK)
		col_waited(thread, after - wait->start.before);
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

#define WAIT(name, func, state, how, parameters, arguments, waited_for, with, blocks) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		struct sync_wait wait = SYNC_WAIT(func, state, waited_for, with); \
		int result; \
\
		if (blocks) \
			sync_begin(&wait); \
		result = REAL(name) arguments; \
		sync_end(&wait, ERROR_OF_##how(result)); \
		sync_took(FMT_sync_func_##func, wait.object, wait.second, ERROR_OF_##how(result), \
		          wait.caller.pc); \
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

/* The innermost of the thread. */
static __thread struct sync_wait *waiting __attribute__((tls_model("initial-exec")));

/* What the unwinder asks of a personality routine (C++ ABI). */
int sync_unwound(int version, int actions) __attribute__((used, visibility("hidden")));
int sync_unwound(int version, int actions)
{
	enum { CLEANUP_PHASE = 2, FORCED = 8, CONTINUE = 8 };
	const struct sync_wait *wait = waiting;

	(void)version;
	if (!wait || (actions & (CLEANUP_PHASE | FORCED)) != (CLEANUP_PHASE | FORCED))
		return CONTINUE;
	waiting = wait->outer;
	sync_end(wait, ECANCELED);
	return CONTINUE;
}

#define WAIT_CANCELLABLE(name, func, state, how, parameters, arguments, waited_for, with, blocks) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		struct sync_wait wait = SYNC_WAIT(func, state, waited_for, with); \
		int result; \
\
		ARCH_UNWOUND(sync_unwound); \
		if (blocks) \
			sync_begin(&wait); \
		wait.outer = waiting; \
		waiting = &wait; \
		result = REAL(name) arguments; \
		waiting = wait.outer; \
		sync_end(&wait, ERROR_OF_##how(result)); \
		sync_took(FMT_sync_func_##func, wait.object, wait.second, ERROR_OF_##how(result), \
		          wait.caller.pc); \
		return result; \
	} \
	EXPORT int name parameters \
	{ \
		PASS_ON(name, arguments); \
		return name##_traced arguments; \
	}

/* Only if all calls are recorded, those that do not wait are, too. */
static inline int is_no_matter(void)
{
	return !sync_is_native() || sync_threshold;
}

#define LOCK(name, func, is_free, blocks, type) \
	static __attribute__((noinline)) int name##_traced(type *lock) \
	{ \
		struct sync_wait wait; \
		int result; \
\
		if (is_free(lock) && is_no_matter()) { \
			result = REAL(name)(lock); \
			sync_took(FMT_sync_func_##func, (uint64_t)lock, 0, ERROR_OF_ERROR(result), \
			          (uint64_t)__builtin_return_address(0)); \
			return result; \
		} \
		wait = SYNC_WAIT(func, LOCK, lock, 0); \
		if (blocks(lock)) \
			sync_begin(&wait); \
		result = REAL(name)(lock); \
		sync_end(&wait, ERROR_OF_ERROR(result)); \
		sync_took(FMT_sync_func_##func, (uint64_t)lock, 0, ERROR_OF_ERROR(result), \
		          wait.caller.pc); \
		return result; \
	} \
	EXPORT int name(type *lock) \
	{ \
		PASS_ON(name, (lock)); \
		return name##_traced(lock); \
	}

/* An object has been made: a wait of no time, whatever the threshold. */
static void record_init(const struct sync_wait *wait)
{
	sync_put(wait, wait->start.before, 0, 0);
}

#define INIT(name, func, parameters, arguments, made) \
	static __attribute__((noinline)) int name##_traced parameters \
	{ \
		int result = REAL(name) arguments; \
\
		if (sync_is_native() && result == 0) \
			record_init(&SYNC_WAIT(func, USER, made, 0)); \
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

HOOK_VERSION(pthread_cond_wait, pthread_cond_wait, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_timedwait, pthread_cond_timedwait, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_init, pthread_cond_init, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_wait_old, pthread_cond_wait, "@GLIBC_2.2.5");
HOOK_VERSION(pthread_cond_timedwait_old, pthread_cond_timedwait, "@GLIBC_2.2.5");
HOOK_VERSION(pthread_cond_init_old, pthread_cond_init, "@GLIBC_2.2.5");
