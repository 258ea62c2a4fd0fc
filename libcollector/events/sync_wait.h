/* sync_wait.h: a wait for another thread, as the wrappers of sync.c and sync_other.c tell of it. */
#ifndef XER_COLLECTOR_SYNC_WAIT_H
#define XER_COLLECTOR_SYNC_WAIT_H

#include "libcollector/events/sync.h"
#include "libcollector/wall/wall.h"

#include <pthread.h>
#include <sys/sem.h>

/* A call that has begun. */
struct sync_wait {
	enum fmt_sync_func func;
	enum fmt_wall_state state; /* USER: the thread keeps its CPU */
	uint64_t object, second;
	uint64_t signal; /* what others signal to end it, as sync_signal_find has it; 0: nothing */
	uint32_t owner;  /* thread that has the lock when the call begins to block, or is joined; 0:
	                    unknown */
	uint32_t site;   /* node of the place where it took the lock, 0: unknown */
	struct caller caller;
	struct wall_start start;
	const uint8_t *open;     /* its record while it has not ended, NULL: there is none */
	struct sync_wait *outer; /* that a handler of the program has interrupted */
};

/* In a wrapper: its call begins. */
#define SYNC_WAIT(function, in, waited_for, with) \
	(struct sync_wait) \
	{ \
		.func = FMT_sync_func_##function, .state = FMT_wall_state_##in, \
		.object = (uint64_t)(waited_for), .second = (uint64_t)(with), .caller = CALLER, \
		.start = wall_now() \
	}

extern uint64_t sync_threshold __attribute__((visibility("hidden"))); /* ticks */

/* Are waits for native objects recorded as synchronization? */
static inline int sync_is_native(void)
{
	return (int)(col_on(SOURCE_SYNC) & SYNC_NATIVE);
}

/* Are they recorded at all? */
static inline int sync_is_on(void)
{
	return sync_is_native() || wall_is_on();
}

/* The thread that has a lock now, in the C library's own word of it, or that is joined; 0: nobody,
 * or it does not say who. Readers of a lock have no names. Signal-safe. */
uint32_t sync_owner_of(enum fmt_sync_func func, uint64_t object);

/* ---- who ends the waits of others: the last signal of a condition variable, a semaphore or a
 * futex, by its address (sync_owner.c) */

/* A signal. */
struct sync_signal {
	uint32_t tid;
	uint32_t stack; /* node of its stack; 0: it is of another process */
};

/* The calling thread is going to signal: the caller's stack. Signal-safe; errno is kept. */
void sync_signal_put(uint64_t object, const struct caller *caller);

/* The same in a scope of `thread`, the calling one, with the node of the stack. */
void sync_signal_note(const struct col_thread *thread, uint64_t object, uint32_t stack);

/* What ends such a wait, if it begins now: a key for sync_signal_find, 0: nothing that is seen. The
 * object is read. */
uint64_t sync_signal_of(enum fmt_sync_func func, uint64_t object);

/* The index of the word that has the waiters of condition variables, from a new one of the C
 * library's that processes share; SYNC_NO_WORD: it cannot be told. */
enum { SYNC_NO_WORD = 255 };
unsigned sync_cond_word(const pthread_cond_t *made);

/* The key of a futex, by the operation of the system call that waits or wakes. */
uint64_t sync_signal_of_futex(uint64_t object, long operation);

/* The last signal of an object, if it was in that time (event times) and by another thread than
 * `tid`, the waiting one. Returns 1 if there was one, else 0. Signal-safe. */
int sync_signal_find(uint64_t object, uint64_t from, uint64_t to, uint32_t tid,
                     struct sync_signal *out);

/* A call of semop(2) begins: note whose waits it may end, and in `wait` what may end its own.
 * Returns whether it may wait. Signal-safe. */
int sync_operate(struct sync_wait *wait, const struct sembuf *operations, size_t count);

/* ---- */

/* The call will block: record its stack first. */
void sync_begin(struct sync_wait *wait);

/* The call has ended, and that is worth a record. */
void sync_put(const struct sync_wait *wait, uint64_t after, int error, uint64_t shortest);

/* The call has ended. */
static inline void sync_end(const struct sync_wait *wait, int error)
{
	uint64_t after = col_ticks(), ticks = after - wait->start.before;

	if (wait->open || (sync_is_native() && ticks >= sync_threshold) ||
	    (wait->state != FMT_wall_state_USER && wall_is_due(&wait->start, wait->state, after)))
		sync_put(wait, after, error, sync_threshold);
}

#endif
