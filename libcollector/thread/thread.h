/* thread.h: what the recorder keeps for each thread of the program.
 *
 * States are never unmapped: when a thread has ended, a new thread takes over its state, with the
 * extents that it has begun. `tid` is 0 while a state has no thread. The handler parts of a state
 * are used only in the tick handler, its normal parts only by its thread.
 *
 * Nothing that is done for one thread, or in a handler, takes longer because there are many. */
#ifndef XER_COLLECTOR_THREAD_H
#define XER_COLLECTOR_THREAD_H

#include "libcollector/base/moment.h"
#include "libcollector/thread/parts.h"
#include "libcollector/unwind/walk.h"

/* Does a thread tick by a perf event (tick_perf.h)? It inherits the event, if its creator has it:
 * shared with its siblings, or as its own. */
enum col_perf { COL_PERF_UNKNOWN, COL_PERF_NONE, COL_PERF_SHARED, COL_PERF_OWN };

struct col_thread {
	atomic_uint tid;
	atomic_uint in_handler;
	uint32_t number;       /* of the state, from 1: see thread_at() */
	atomic_uint next_free; /* the number of another unused state, 0: none */
	uintptr_t scope;       /* 0: outside of the recorder, in normal context; see scope.h */
	uintptr_t scope_pc;    /* the return address of the function that is in it */
	struct heap_thread heap;
	int exit_rounds;
	int timer; /* kernel timer id, valid if armed */
	int armed;
	uint8_t is_slow;          /* its last sample took longer than it may, see tick_sample.c */
	uint8_t perf;             /* enum col_perf */
	uint8_t perf_of_children; /* the same, of the threads that it creates */
	uint8_t is_beginning;     /* its record as a new thread is about to come */
	_Atomic uint16_t event;   /* its own until it has a sample, see tick_perf.h; 0: none */
	uint32_t epoch;           /* col.epoch when its CPU time was accounted for last */
	uint32_t last_stack;
	uint64_t rest_ns; /* of its CPU time: no sample before it (tick_sample.c) */
	atomic_uint_fast64_t accounted_ns; /* of the thread's CPU time, by clock samples */
	atomic_uint_fast64_t owed_ns;      /* of that, by samples in the kernel that are to come */
	int64_t user_us, system_us;        /* of the thread, when a sample asked last */
	struct col_slot slot[COL_CONTEXTS][FMT_STREAMS];
	_Atomic(struct walk_memo *)
		memo[COL_CONTEXTS]; /* another thread may take them, see memo.h */
	uint64_t home;              /* see walk.h */
	uintptr_t pointer;          /* the thread pointer that libc gave it, 0: unknown */
	void *(*run)(void *); /* of a new thread: its function, of one of the two types, and its
	                         argument */
	int (*run_c11)(void *);
	void *argument;
	uint64_t blocked;        /* see signals_believed() */
	struct col_thread *next; /* all states, newest first */
	uint64_t events[SOURCES];
	uint8_t *open_wait; /* the record of a wait that has not ended, in its file; see sync.c */
	int alarm;          /* of a wait for a lock, see process/snapshot_wait.c */
	const uint8_t *alarm_open;
	unsigned java_waits;    /* monitors of Java that it waits for: bit 0 to enter, bit 1 in
	                           Object.wait */
	uint64_t java_since[2]; /* event times of their beginnings */
	uint64_t java_object[2];
	struct wall_thread wall;
	struct earlier_wait earlier;
	struct functrace_thread functrace;
	struct omp_thread omp;
	struct mpi_thread mpi;
	char name[16];
};

extern __thread struct col_thread *col_self
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Create the state of the main thread; thread_scan finds other threads that are older than the
 * recorder. Returns 0 or -ENOMEM. */
int thread_open(void);

/* In a forked child, where only the calling thread exists: create its state. Returns 0 or -ENOMEM.
 * Signal-safe. */
int thread_restart(void);

/* MADV_DOFORK or MADV_DONTFORK for all memory that the recorder uses for `thread`. Signal-safe. */
void thread_keep_memory(struct col_thread *thread, int advice);

/* Write the record of the main thread of a process that began at `start`, when its first event,
 * that of `thread`, is already in progress. Signal-safe. */
void thread_write_main(struct col_thread *thread, enum col_context context,
                       const struct process_moment *start);

/* The state of the calling thread, created if there is none; NULL if that fails. Normal context. */
struct col_thread *thread_adopt_self(void);

static inline struct col_thread *thread_current(void)
{
	struct col_thread *self = col_self;

	return likely(self != NULL) ? self : thread_adopt_self();
}

/* Find threads that were not announced, and threads that have gone: all at once, or from step to
 * step, each of which looks at some of them. thread_scan_begin looks whether there is a reason to.
 * Signal-safe. */
void thread_scan(void);
void thread_scan_begin(void);
void thread_scan_step(void);

/* Check whether the calling thread has a new name, and record it. Signal-safe. */
void thread_check_name(struct col_thread *thread, enum col_context context);

/* All states, for closing. */
struct col_thread *thread_first(void);

#endif
