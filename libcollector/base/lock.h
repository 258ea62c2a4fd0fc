/* lock.h: locks for work that is rare and short.
 *
 * The holder of a lock has all signals blocked, from before it takes the lock. So the holder is
 * always another thread, and goes on. But it may have to wait for a processor, and if a hypervisor
 * has taken the processor away, this may last hundreds of milliseconds; data that do not wait for
 * that are lost. A holder that does not release the lock within ten seconds was killed, as may
 * happen to a vfork child. */
#ifndef XER_COLLECTOR_LOCK_H
#define XER_COLLECTOR_LOCK_H

#include "libcollector/base/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>

enum { COL_WAIT_YIELDS = 1000, COL_WAIT_SLEEPS = 10000, COL_WAIT_STEP_NS = 1000000 };

struct col_lock {
	atomic_uint is_held;
	atomic_uint is_lost; /* its holder will not release it */
};

/* One turn of waiting for something: first a short pause, then sleeps of a millisecond, on a word
 * that no thread wakes. (A nanosleep would overwrite what the kernel remembers of a sleep of the
 * program that an attach has interrupted, and that is to continue.) Returns 0 when ten seconds are
 * over. Signal-safe. */
static inline int col_wait_turn(unsigned *turns)
{
	const struct timespec step = {.tv_nsec = COL_WAIT_STEP_NS};
	const unsigned nobody = 0;

	if ((*turns)++ < COL_WAIT_YIELDS)
		SYS0(SYS_sched_yield);
	else
		SYS4(SYS_futex, &nobody, FUTEX_WAIT_PRIVATE, nobody, &step);
	return *turns < COL_WAIT_YIELDS + COL_WAIT_SLEEPS;
}

/* Take it if it is free. Returns 1, or 0. */
static inline int col_lock_try(struct col_lock *lock)
{
	return atomic_exchange(&lock->is_held, 1) == 0;
}

/* Wait between two attempts. Returns 0, or -EBUSY if the lock is lost. */
static inline int col_lock_wait(struct col_lock *lock, unsigned *turns)
{
	if (atomic_load(&lock->is_lost))
		return -EBUSY;
	if (!col_wait_turn(turns))
		atomic_store(&lock->is_lost, 1);
	return 0;
}

/* Take it. Returns 0, or -EBUSY if it is lost. */
static inline int col_lock_take(struct col_lock *lock)
{
	unsigned turns = 0;
	int error = 0;

	while (error == 0 && !col_lock_try(lock))
		error = col_lock_wait(lock, &turns);
	return error;
}

/* Release it; also in a forked child, which does not have the thread that held it. */
static inline void col_lock_give(struct col_lock *lock)
{
	atomic_store(&lock->is_lost, 0);
	atomic_store(&lock->is_held, 0);
}

#endif
