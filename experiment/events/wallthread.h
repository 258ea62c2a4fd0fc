/* wallthread.h: threads, as their records of wall-clock time are read in order of time.
 *
 * Between two accounts of a thread, its time is CPU time, which clock samples tell, waits, and the
 * rest: ready without a CPU, as far as the kernel counted that, and unknown. */
#ifndef XER_EXPERIMENT_EVENTS_WALLTHREAD_H
#define XER_EXPERIMENT_EVENTS_WALLTHREAD_H

#include "experiment/events/wall.h"
#include "experiment/events/wallspan.h"
#include "experiment/table/index.h"
#include "experiment/table/longest.h"

/* Time that is neither CPU time nor a wait, before an account. A wait that had begun by then and is
 * told of later has a part in it. */
struct wallthread_rest {
	uint64_t from, to; /* ticks */
	uint64_t queue_ns, other_ns;
};

/* The part of a wait that belongs into one row. A wait is settled whole and its pieces get their
 * shares afterwards: so the sums do not depend on how finely a report divides the time. */
struct wallthread_piece {
	uint64_t ns; /* as it looks */
	uint32_t row;
	uint32_t waits; /* that are counted with it: 0 but for the last piece of a wait */
};

struct wallthread_pieces {
	struct wallthread_piece *pieces;
	size_t count, capacity;
};

struct wallthread {
	struct exp_life life;
	int is_ended; /* its time ended with its last account, */
	int goes_on;  /* but it has waited later */
	uint64_t queue_ns;
	struct wallspan span;            /* since the last account */
	struct wallthread_pieces pieces; /* those of its waits */
	struct wallthread_rest rest;
	/* A wait that has begun, if no later record of the thread says that it has ended. */
	struct fmt_wait_open open;
	struct exp_cursor open_at; /* its pointers are invalid; payload NULL: there is none */
	uint16_t open_cpu;
	/* A wait that it was in when its waits began to be recorded, and that had not ended by
	 * then. */
	struct fmt_wait_earlier earlier;
	struct exp_cursor earlier_at; /* as open_at */
	uint32_t earlier_node;
};

/* Those of one load. */
struct wallthreads {
	struct exp_load *load; /* its rc is -ENOMEM when something has failed */
	struct wallthread *threads;
	size_t count, capacity;
	struct exp_index thread_of; /* tid -> its index */
	struct exp_pauses pauses;
	struct exp_longest longest; /* struct exp_wait */
	int has_profile;            /* clock samples tell CPU time */
};

/* A wait, or several short ones. */
struct wallthread_wait {
	uint64_t from, to;     /* ticks */
	uint64_t ticks;        /* of waiting */
	uint64_t buffer_ticks; /* of the record */
	uint32_t count;
	uint32_t node;
	uint16_t cpu;
	int is_vague;         /* it may be shorter by anything */
	struct exp_wait kept; /* what is told of it, but for times, thread and node */
};

static inline int wallthread_has_ended(const struct wallthread *thread)
{
	return thread->is_ended && !thread->goes_on;
}

/* The thread with this id, made if it is new. NULL: no memory. */
struct wallthread *wallthread_of(struct wallthreads *threads, uint32_t tid);

/* A wait of the thread has ended. */
void wallthread_wait(struct wallthreads *threads, struct wallthread *thread,
                     const struct wallthread_wait *wait);

/* An account, made at the event time `at`, of the thread that it names. */
void wallthread_account(struct wallthreads *threads, const struct fmt_account *account,
                        uint64_t at);

/* There is no more: count what has been kept back. */
void wallthread_end(struct wallthreads *threads, struct wallthread *thread);

void wallthreads_fini(struct wallthreads *threads);

#endif
