/* parts.h: what sources of events keep in the state of a thread. It is explained in their own
 * headers: functrace.h, omp.h, mpi.h. */
#ifndef XER_COLLECTOR_THREAD_PARTS_H
#define XER_COLLECTOR_THREAD_PARTS_H

#include "libcollector/write/stream.h"

#include "format/record.h"

/* ---- function tracing */

struct functrace_writer {
	uint64_t busy;
	uint64_t *at;  /* an EndOfBuffer of the slot's extent */
	uint64_t *end; /* from here on, functrace_slow has to take over */
	uint64_t last; /* event time of the record before, to which the next one is relative */
	uint32_t cpu;  /* as arch_ticks_cpu told it */
	struct col_thread *thread;
	struct col_slot slot;
	struct functrace_writer *next; /* of the thread */
	uint32_t recording;            /* that the slot is of */
	uint64_t *floor;               /* records from here on may be erased; NULL: none */
	uint64_t erased;               /* calls */
};

/* The open calls of a thread, if their depth is limited. See functrace_limits.h. */
struct functrace_nesting {
	struct limits_call *calls;
	uint32_t count, over; /* over: open calls that did not fit */
	uint32_t is_busy;
};

/* What a thread's state has of it. */
struct functrace_thread {
	struct functrace_writer first;
	struct functrace_writer *more; /* last made first */
	uint32_t epoch;                /* of its last record; 0: it has none */
	uint32_t is_slow; /* it writes where files and memory may change; signals are blocked */
	struct functrace_nesting nesting;
};

/* ---- the heap, sampled */

struct heap_thread {
	uint64_t left;   /* bytes to the next one that is marked (draw.h); 0: not drawn yet */
	uint64_t random; /* state of the generator */
};

/* ---- OpenMP */

/* Tasks that are executed while others wait for them are on the stack of the thread, which
 * overflows before there are this many. */
enum { OMP_DEPTH = 8192, OMP_REGIONS = 16 };

struct omp_base {
	uint64_t sp;                   /* frames from here on are not walked */
	const uint64_t *runtime_frame; /* libomp: where that will stand, and one frame inside of it
	                                  is the runtime's too */
	uint32_t node;                 /* the stack outside, ending in a mark; 0: unknown */
	uint32_t region, task;
	uint16_t number; /* of the thread in the region */
	uint8_t state;   /* enum fmt_omp_state, to go back to */
	uint64_t begin;
	uint64_t in_tasks; /* of the thread when this began */
	uint64_t waited;   /* ticks of waits in it */
	uint8_t is_over;   /* its code has ended, though the runtime has not said so yet */
};

/* Waits of libomp, which reports beginnings and ends separately. */
struct omp_wait {
	uint64_t begin, in_tasks;
	uint8_t state; /* to go back to */
};

/* A mapping, whose pages are allocated as they are used. */
struct omp_piles {
	struct omp_base base[OMP_DEPTH];
	struct omp_wait wait[OMP_DEPTH];
};

/* Handlers read it: a base is complete before `depth` counts it. */
struct omp_thread {
	volatile uint32_t depth; /* bases; those beyond OMP_DEPTH are not kept */
	volatile uint8_t state;  /* enum fmt_omp_state */
	uint32_t wait_depth;
	uint64_t in_tasks;       /* ticks of tasks executed by the thread, ever */
	struct omp_piles *piles; /* NULL: none yet, or no memory; it stays for the next thread that
	                            has this state */
	struct omp_region {
		uint64_t begin;
		uint32_t id, node;
		const void *code; /* that the runtime will return to */
		uint16_t threads;
		uint8_t state; /* to go back to */
	} region[OMP_REGIONS]; /* the regions that the thread has begun */
	uint32_t region_depth;
};

/* ---- wall-clock time */

/* Short waits that are added up in one record: sum.h. */
struct wall_sum {
	uint8_t *record; /* in the file, perhaps in an extent that is mapped no more; NULL: none */
	uint64_t key;    /* the record's first word */
	uint64_t begun;  /* its event time */
};

enum { WALL_SUMS = 8 };

/* All times are event times and ticks, but for those in ns. */
struct wall_thread {
	uint8_t *open;              /* the record of a wait that has not ended, in its file */
	uint64_t open_ticks;        /* when that began */
	uint64_t open_waited;       /* `waited` by then */
	uintptr_t open_sp, open_pc; /* where its call returns to */
	uint64_t waited;            /* in waits that were recorded and have ended */
	uint64_t begin;             /* from here on its time counts */
	uint64_t earlier_ns;        /* its CPU time by then, */
	uint64_t earlier_queue_ns;  /* and its time without a CPU */
	uint64_t accounted;         /* its last account (account.h), or `begin` */
	uint64_t accounted_ns;      /* the CPU time that it told */
	uint64_t accounted_waited;  /* `waited` by then; since then: */
	uint64_t works;             /* ticks of waits in calls that use CPU time, too */
	uint64_t last;              /* when its last wait ended */
	uint32_t count;             /* of waits */
	struct wall_sum sums[WALL_SUMS];
};

/* A wait that had begun before the thread's waits were recorded (earlier.h). Not the thread's own:
 * the thread that looks at it writes this. */
struct earlier_wait {
	struct fmt_wait_earlier wait; /* since: 0: there was none, or its end is known */
	uint64_t sp, pc;              /* where the thread was */
	uint64_t cpu_ns;              /* its CPU time by then, 0: unknown */
};

/* ---- MPI */

/* The thread's own. A tick handler reads state. */
struct mpi_thread {
	volatile uint8_t state; /* enum fmt_mpi_state */
	uint64_t pc, sp;        /* where the call that it is in returns to */
};

#endif
