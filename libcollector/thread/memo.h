/* memo.h: the call stacks that threads remember (walk.h), with their tree. */
#ifndef XER_COLLECTOR_THREAD_MEMO_H
#define XER_COLLECTOR_THREAD_MEMO_H

#include "libcollector/thread/thread.h"

/* The base of OpenMP (omp.h) on top of `depth`, NULL: there is none, or it was not kept. */
static inline struct omp_base *memo_base_at(const struct omp_thread *omp, uint32_t depth)
{
	return depth > 0 && depth <= OMP_DEPTH && omp->piles ? &omp->piles->base[depth - 1] : NULL;
}

/* Before a walk of `thread` with `memo`: where it has to end, and with which stack it continues
 * there. Signal-safe. */
void memo_join_base(const struct col_thread *thread, struct walk_memo *memo);

static inline void memo_join(const struct col_thread *thread, struct walk_memo *memo)
{
	if (unlikely(thread->omp.depth || memo->base_node))
		memo_join_base(thread, memo);
}

/* The thread begins: it has no stack yet. */
void memo_forget(struct col_thread *thread);

/* madvise(2) for all memory that walks of the thread use. Signal-safe. */
void memo_keep(struct col_thread *thread, int advice);

/* Another recording in this process: forget all stacks. No thread may be walking one. */
void memo_restart(void);

#endif
