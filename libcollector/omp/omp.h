/* omp.h: the work of a thread for OpenMP, as the calls of libgomp (gomp.c) and libomp (ompt.c) show
 * it.
 *
 * A thread of a team runs on a stack that begins in the runtime library, and a task runs on the
 * stack of the thread that executes it. But users expect their code to be called by the stack that
 * began the region or created the task. So each thread has a pile of *bases*. A base says from
 * which stack pointer on frames belong to the runtime, and has the node that stands for them. Walks
 * end there (walk.h) and continue with that node, so that events of all kinds have such stacks. */
#ifndef XER_COLLECTOR_OMP_H
#define XER_COLLECTOR_OMP_H

#include "libcollector/thread/thread.h"

enum omp_mode { OMP_OFF, OMP_STACKS, OMP_EVENTS };
struct caller;

/* Begin to record states and stacks, and events if they are on. Any context. */
void omp_start(void);

/* The thread begins, or continues as a forked child. */
void omp_thread_begin(struct col_thread *thread);

/* ---- for gomp.c and ompt.c; in normal context of the thread ---- */

/* Ordinals, from 1. */
uint32_t omp_new_region(void);
uint32_t omp_new_task(void);

/* The node of the caller's stack; if base is not NULL, also the node of the frames outside `mark`.
 * 0: none. */
uint32_t omp_stack(const struct caller *caller, enum fmt_pc_mark mark, uint32_t *base);

/* The thread's piles, made if they are not there. NULL: there is no memory. */
struct omp_piles *omp_make_piles(struct omp_thread *omp);

/* Push a base. Returns the depth to which omp_pop has to return. */
uint32_t omp_push(struct col_thread *thread, const struct omp_base *base);
void omp_pop(struct col_thread *thread, uint32_t depth);

/* The innermost base, NULL: the thread is in no known region. */
struct omp_base *omp_innermost(struct col_thread *thread);

/* The node of a frame at pc whose callers are `base`; 0 if there is none. For the thread itself. */
uint32_t omp_stack_in(struct col_thread *thread, uint32_t base, uint64_t pc);

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
