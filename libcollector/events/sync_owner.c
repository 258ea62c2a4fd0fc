/* sync_owner.c: who has a lock, is waited for, or ended a wait. The words of locks are part of the
 * C library's binary interface: programs initialize locks with them. */
#include "libcollector/events/sync_wait.h"

#include "libcollector/hook/hook.h"

#include <pthread.h>
#include <sys/sem.h>
#include <time.h>

static uint32_t of_mutex(const pthread_mutex_t *mutex)
{
	return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

static uint32_t of_rwlock(const pthread_rwlock_t *lock)
{
	return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}

/* The clock of a thread's CPU time has its id: the complement, above three bits for the kind of
 * clock (Linux, include/linux/posix-timers.h). */
static uint32_t of_thread(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) == 0 ? ~(uint32_t)(clock >> 3) : 0;
}

uint32_t sync_owner_of(enum fmt_sync_func func, uint64_t object)
{
	const void *lock = (const void *)(uintptr_t)object;

	switch (func) {
	case FMT_sync_func_MUTEX_LOCK:
	case FMT_sync_func_MUTEX_TIMEDLOCK:
	case FMT_sync_func_MUTEX_CLOCKLOCK:
	case FMT_sync_func_MTX_LOCK:
	case FMT_sync_func_MTX_TIMEDLOCK:
		return of_mutex(lock);
	case FMT_sync_func_RDLOCK:
	case FMT_sync_func_TIMEDRDLOCK:
	case FMT_sync_func_CLOCKRDLOCK:
	case FMT_sync_func_WRLOCK:
	case FMT_sync_func_TIMEDWRLOCK:
	case FMT_sync_func_CLOCKWRLOCK:
		return of_rwlock(lock);
	case FMT_sync_func_JOIN:
	case FMT_sync_func_TIMEDJOIN:
	case FMT_sync_func_CLOCKJOIN:
	case FMT_sync_func_THRD_JOIN:
		return of_thread((pthread_t)object);
	default:
		return 0;
	}
}

/* ---- who ended a wait
 *
 * A table like that of sync_site.h: small, without a lock, and a later entry takes the place of an
 * earlier one. It is written by signals that somebody waits for, so those that nobody waits for
 * cost a look at the object. See doc/decisions/86-wall-clock.md. */

enum { SIGNALS_BITS = 10 };

/* `object` is written last, and zero before: while the others do not belong together, the entry is
 * nobody's. Of two threads that signal one object at a time, either is told. */
static struct entry {
	_Atomic(uint64_t) object;
	_Atomic(uint64_t) who; /* id of the thread << 32 | node */
	_Atomic(uint64_t) at;  /* event time */
} signals[1 << SIGNALS_BITS];

static struct entry *entry_of(uint64_t object)
{
	uint64_t mixed = (object ^ object >> 32) * 0x9e3779b97f4a7c15u;

	return &signals[mixed >> (64 - SIGNALS_BITS)];
}

void sync_signal_note(const struct col_thread *thread, uint64_t object, uint32_t stack)
{
	struct entry *entry = entry_of(object);
	uint64_t who = (uint64_t)atomic_load(&thread->tid) << 32 | stack;

	atomic_store_explicit(&entry->object, 0, memory_order_relaxed);
	atomic_store_explicit(&entry->who, who, memory_order_release);
	atomic_store_explicit(&entry->at, col_ticks(), memory_order_release);
	atomic_store_explicit(&entry->object, object, memory_order_release);
}

void sync_signal_put(uint64_t object, const struct caller *caller)
{
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	sync_signal_note(thread, object, stack_of(thread, caller));
	scope_leave(thread);
}

/* Each round of a barrier has a key of its own: a thread that leaves early may come to the next
 * round before others have left this one. The C library's second word of a barrier is the same for
 * all threads of a round, and changes when the last one comes; should it be something else, rounds
 * are told apart no more. */
static uint64_t round_of(uint64_t barrier)
{
	enum { SHIFT = 48 };
	const unsigned *words = (const unsigned *)(uintptr_t)barrier;

	return barrier ^ (uint64_t)__atomic_load_n(words + 1, __ATOMIC_RELAXED) << SHIFT;
}

uint64_t sync_signal_of(enum fmt_sync_func func, uint64_t object)
{
	switch (func) {
	case FMT_sync_func_COND_WAIT:
	case FMT_sync_func_COND_TIMEDWAIT:
	case FMT_sync_func_COND_CLOCKWAIT:
	case FMT_sync_func_CND_WAIT:
	case FMT_sync_func_CND_TIMEDWAIT:
	case FMT_sync_func_SEM_WAIT:
	case FMT_sync_func_SEM_TIMEDWAIT:
	case FMT_sync_func_SEM_CLOCKWAIT:
	case FMT_sync_func_FUTEX_WAIT:
		return object;
	case FMT_sync_func_BARRIER_WAIT:
		return round_of(object);
	default:
		return 0;
	}
}

int sync_signal_find(uint64_t object, uint64_t from, uint64_t to, uint32_t tid,
                     struct sync_signal *out)
{
	struct entry *entry = entry_of(object);
	uint64_t who, at;

	if (atomic_load_explicit(&entry->object, memory_order_acquire) != object)
		return 0;
	who = atomic_load_explicit(&entry->who, memory_order_acquire);
	at = atomic_load_explicit(&entry->at, memory_order_acquire);
	if (atomic_load_explicit(&entry->object, memory_order_relaxed) != object || at < from ||
	    at > to || (uint32_t)(who >> 32) == tid)
		return 0;
	*out = (struct sync_signal){(uint32_t)(who >> 32), (uint32_t)who};
	return 1;
}

/* ---- System V semaphores */

/* The identifier of a set and the number of a semaphore in it: no address. */
static uint64_t semaphore_of(uint64_t set, const struct sembuf *operation)
{
	enum { SHIFT = 32 };

	return set + 1 + ((uint64_t)operation->sem_num << SHIFT);
}

int sync_operate(struct sync_wait *wait, const struct sembuf *operations, size_t count)
{
	enum { MOST = 1024 }; /* the kernel takes 500 */
	int blocks = 0;

	/* The kernel says what is wrong with others. */
	if (count > MOST || !sys_is_readable(operations, count * sizeof(*operations)))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t key = semaphore_of(wait->object, &operations[i]);

		if (operations[i].sem_op > 0 && wall_is_on())
			sync_signal_put(key, &wait->caller);
		if (operations[i].sem_op < 0 && !wait->signal)
			wait->signal = key;
		blocks |= operations[i].sem_op <= 0 && !(operations[i].sem_flg & IPC_NOWAIT);
	}
	return blocks;
}

/* ---- wrappers: does anybody wait? The C library's words of the objects tell, which are part of
 * its binary interface, and which it looks at itself. */

static inline int has_waiters(const pthread_cond_t *cond)
{
	enum { SHIFT = 3 };

	return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) >> SHIFT != 0;
}

/* A cnd_t is a pthread_cond_t. */
static inline int has_c11_waiters(const cnd_t *cond)
{
	return has_waiters((const pthread_cond_t *)cond);
}

/* Their number is in the highest half of its first word. */
static inline int has_sem_waiters(const sem_t *semaphore)
{
	return __atomic_load_n((const unsigned *)semaphore + 1, __ATOMIC_RELAXED) != 0;
}

#define SIGNAL(name, type, is_waited_for) \
	static __attribute__((noinline)) int name##_traced(type *object) \
	{ \
		struct caller caller = CALLER; \
\
		sync_signal_put((uint64_t)object, &caller); \
		return REAL(name)(object); \
	} \
	EXPORT int name(type *object) \
	{ \
		if (likely(!wall_is_on() || !is_waited_for(object)) && \
		    likely(hook_real.name != NULL)) \
			return hook_real.name(object); \
		return name##_traced(object); \
	}

SIGNAL(pthread_cond_signal, pthread_cond_t, has_waiters)
SIGNAL(pthread_cond_broadcast, pthread_cond_t, has_waiters)
SIGNAL(cnd_signal, cnd_t, has_c11_waiters)
SIGNAL(cnd_broadcast, cnd_t, has_c11_waiters)
SIGNAL(sem_post, sem_t, has_sem_waiters)

HOOK_VERSION(pthread_cond_signal, pthread_cond_signal, "@@GLIBC_2.3.2");
HOOK_VERSION(pthread_cond_broadcast, pthread_cond_broadcast, "@@GLIBC_2.3.2");
