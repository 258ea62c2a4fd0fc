/* memo.h: the call stacks that threads remember (walk.h), with their tree.
 *
 * A memo is a cache: without one, a walk goes to the end of the stack. There are only so many of
 * them, however many threads there are. A thread that needs one takes it from another that has not
 * used its own lately, and is not in the recorder: see memo_pool.h. */
#ifndef XER_COLLECTOR_THREAD_MEMO_H
#define XER_COLLECTOR_THREAD_MEMO_H

#include "libcollector/thread/thread.h"

/* The base of OpenMP (omp.h) on top of `depth`, NULL: there is none, or it was not kept. */
static inline struct omp_base *memo_base_at(const struct omp_thread *omp, uint32_t depth)
{
	return depth > 0 && depth <= OMP_DEPTH && omp->piles ? &omp->piles->base[depth - 1] : NULL;
}

/* The memo that `thread` has in a context, NULL: none. For the thread itself, in a scope or in the
 * handler. */
static inline struct walk_memo *memo_of(const struct col_thread *thread, enum col_context context)
{
	return atomic_load_explicit(&thread->memo[context], memory_order_relaxed);
}

/* What memo_walk does where the memo has to be had first, or is too small. Signal-safe. */
uint32_t memo_walk_slowly(struct col_thread *thread, enum col_context context, uint64_t pc,
                          uint64_t sp, uint64_t bp, const ucontext_t *interrupted);

/* Before a walk of `thread` with `memo`: where it has to end, and with which stack it continues
 * there. Signal-safe. */
void memo_join_base(const struct col_thread *thread, struct walk_memo *memo);

static inline void memo_join(const struct col_thread *thread, struct walk_memo *memo)
{
	walk_memo_enter(memo);
	if (unlikely(thread->omp.depth || memo->base_node))
		memo_join_base(thread, memo);
}

/* The node of a stack of `thread`, 0 if there is none: walk_stack with the memo of the context. The
 * thread's own, in a scope (COL_NORMAL), or while in_handler is set. Signal-safe. */
static inline uint32_t memo_walk(struct col_thread *thread, enum col_context context, uint64_t pc,
                                 uint64_t sp, uint64_t bp, const ucontext_t *interrupted)
{
	struct walk_memo *memo = memo_of(thread, context);
	uint32_t node = 0;

	if (likely(memo != NULL)) {
		if (context == COL_HANDLER)
			memo->home = thread->home;
		memo_join(thread, memo);
		node = walk_stack(memo, pc, sp, bp, interrupted);
	}
	if (unlikely(!memo || memo->is_too_small))
		return memo_walk_slowly(thread, context, pc, sp, bp, interrupted);
	return node;
}

/* Nodes will be looked up, or made, without a walk, by the thread itself in a scope. Returns 0 if
 * that is not possible: there is no memory. Signal-safe. */
int memo_enter(struct col_thread *thread);

/* The thread begins: it has no stack yet. */
void memo_forget(struct col_thread *thread);

/* Its home (walk.h) is known now. For the thread itself. */
static inline void memo_move(struct col_thread *thread)
{
	struct walk_memo *memo = memo_of(thread, COL_NORMAL);

	if (memo)
		memo->home = thread->home;
}

/* What was being remembered is unknown. For the thread itself. */
static inline void memo_distrust(struct col_thread *thread)
{
	struct walk_memo *memo = memo_of(thread, COL_NORMAL);

	if (memo)
		memo->count = 0;
}

/* The thread ends or is gone: others may have its memos. */
void memo_give(struct col_thread *thread);

/* madvise(2) for all memory that walks of the thread use. Signal-safe. */
void memo_keep(struct col_thread *thread, int advice);

/* Another recording in this process: forget all stacks. No thread may be walking one. */
void memo_restart(void);

#endif
