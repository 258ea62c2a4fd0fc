/* sync_owner.c: who has a lock, or is waited for. The words of locks are part of the C library's
 * binary interface: programs initialize locks with them. */
#include "libcollector/events/sync_wait.h"

#include <pthread.h>
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
