/* lock.h: locks for what is done seldom and takes a moment.
 *
 * Who holds one has all signals blocked, from before it takes it: so its holder is another thread,
 * and goes on. But that may have to wait for a processor, and one that a hypervisor has taken away
 * comes back after hundreds of milliseconds; what is not waited for is lost. A holder that does not
 * come back in ten seconds was killed in the middle, as a vfork child may be. */
#ifndef XER_COLLECTOR_LOCK_H
#define XER_COLLECTOR_LOCK_H

#include "libcollector/base/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>

enum { COL_WAIT_YIELDS = 1000, COL_WAIT_SLEEPS = 10000, COL_WAIT_STEP_NS = 1000000 };

struct col_lock {
	atomic_uint is_held;
	atomic_uint is_lost; /* its holder will not give it back */
};

/* One turn of waiting for something: a look away, then sleeps of a millisecond, on a word that
 * nobody wakes. (A nanosleep would overwrite what the kernel has noted of a sleep in which an
 * attach has interrupted the thread, and which is to go on.) Returns 0 when ten seconds are over.
 * Signal-safe. */
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

/* Between two tries. Returns 0, or -EBUSY when it is lost. */
static inline int col_lock_wait(struct col_lock *lock, unsigned *turns)
{
	if (atomic_load(&lock->is_lost))
		return -EBUSY;
	if (!col_wait_turn(turns))
		atomic_store(&lock->is_lost, 1);
	return 0;
}

/* Take it. Returns 0, or -EBUSY when it is lost. */
static inline int col_lock_take(struct col_lock *lock)
{
	unsigned turns = 0;
	int error = 0;

	while (error == 0 && !col_lock_try(lock))
		error = col_lock_wait(lock, &turns);
	return error;
}

/* Give it back; also in a forked child, where who held it is not there. */
static inline void col_lock_give(struct col_lock *lock)
{
	atomic_store(&lock->is_lost, 0);
	atomic_store(&lock->is_held, 0);
}

#endif
