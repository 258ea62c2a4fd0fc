/* omp.h: what a thread does for OpenMP, as libgomp's (gomp.c) and libomp's (ompt.c) calls tell it.
 *
 * A thread of a team runs on a stack that begins in the runtime library, and a task on that of
 * whoever executes it. What users look for outside of their code is the stack of who began the
 * region or made the task. So each thread has a pile of *bases*: from which stack pointer on frames
 * are the runtime's, and the node that stands for them. Walks end there (walk.h) and go on with
 * that node, so that all kinds of events have such stacks. */
#ifndef XER_COLLECTOR_OMP_H
#define XER_COLLECTOR_OMP_H

#include "libcollector/unwind/walk.h"

#include "format/record.h"

#include <stdint.h>

enum omp_mode { OMP_OFF, OMP_STACKS, OMP_EVENTS };
/* Tasks that are executed while others wait for them lie on the stack of the thread, which is used
 * up before this many. */
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

/* libomp's waits, of which it tells beginnings and ends apart. */
struct omp_wait {
	uint64_t begin, in_tasks;
	uint8_t state; /* to go back to */
};

/* A mapping, whose pages come as they are needed. */
struct omp_piles {
	struct omp_base base[OMP_DEPTH];
	struct omp_wait wait[OMP_DEPTH];
};

/* Handlers read it: a base is complete before `depth` counts it. */
struct omp_thread {
	volatile uint32_t depth; /* bases; those beyond OMP_DEPTH are not kept */
	volatile uint8_t state;  /* enum fmt_omp_state */
	uint32_t wait_depth;
	uint64_t in_tasks; /* ticks of tasks executed by the thread, ever */
	uint64_t events;
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

struct col_thread;
struct caller;

/* Begin to tell states and stacks, and events if they are wanted. Any context. */
void omp_start(void);

/* The thread begins, or goes on as a forked child. */
void omp_forget(struct omp_thread *omp);

/* Before a walk of `thread` with `memo`: where it is to end. Signal-safe. */
void omp_join_base(const struct omp_thread *omp, struct walk_memo *memo);

static inline void omp_join(const struct omp_thread *omp, struct walk_memo *memo)
{
	if (__builtin_expect(omp->depth || memo->base_node, 0))
		omp_join_base(omp, memo);
}

/* ---- for gomp.c and ompt.c; in normal context of the thread ---- */

/* Ordinals, from 1. */
uint32_t omp_new_region(void);
uint32_t omp_new_task(void);

/* The node of the caller's stack; with base not NULL also one for the stacks that stand outside of
 * `mark`. 0: none. */
uint32_t omp_stack(const struct caller *caller, enum fmt_pc_mark mark, uint32_t *base);

/* The thread's piles, made if they are not there. NULL: there is no memory. */
struct omp_piles *omp_make_piles(struct omp_thread *omp);

/* Put a base on the pile. Returns the depth that omp_pop is to go back to. */
uint32_t omp_push(struct col_thread *thread, const struct omp_base *base);
void omp_pop(struct col_thread *thread, uint32_t depth);

/* The innermost base, NULL: the thread is in no region that is known. */
struct omp_base *omp_innermost(struct col_thread *thread);

/* Record a construct that began at `begin` and ends now, if constructs are recorded. `stack` is its
 * node. */
struct omp_event {
	enum fmt_omp_event event;
	uint32_t stack, region, task;
	uint16_t number;
	uint64_t begin, now;
	uint64_t duration, other;
};
void omp_record(struct col_thread *thread, const struct omp_event *event);

/* Are constructs recorded? */
int omp_is_traced(void);

#endif
