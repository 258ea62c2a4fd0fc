/* memo.c: the call stacks that threads remember. See memo.h. */
#include "libcollector/thread/memo.h"

#include "libcollector/thread/memo_pool.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/tree.h"

/* The first memo of a context, or a larger one for a stack that did not fit. Returns what there is
 * then; NULL if there is no memory. */
static struct walk_memo *replace_memo(struct col_thread *thread, enum col_context context)
{
	struct walk_memo *old = memo_of(thread, context);
	uint32_t capacity = old ? old->capacity * WALK_FRAMES_FACTOR : WALK_FRAMES_MIN;
	struct walk_memo *memo;

	if (capacity > WALK_FRAMES_MAX)
		capacity = WALK_FRAMES_MAX;
	memo = memo_pool_take(thread, context, capacity);
	if (!memo) {
		if (old)
			old->is_final = 1;
		return old;
	}
	memo->home = thread->home;
	atomic_store(&thread->memo[context], memo);
	if (old)
		memo_pool_give(old);
	return memo;
}

uint32_t memo_walk_slowly(struct col_thread *thread, enum col_context context, uint64_t pc,
                          uint64_t sp, uint64_t bp, const ucontext_t *interrupted)
{
	struct walk_memo *memo;
	uint32_t node;

	do {
		memo = replace_memo(thread, context);
		if (!memo)
			return 0;
		memo_join(thread, memo);
		node = walk_stack(memo, pc, sp, bp, interrupted);
	} while (memo->is_too_small);
	return node;
}

void memo_join_base(const struct col_thread *thread, struct walk_memo *memo)
{
	struct omp_base *base = memo_base_at(&thread->omp, thread->omp.depth);
	uint64_t sp = 0;

	if (base && base->node)
		base->node = tree_renew(base->node);
	if (base && base->node)
		sp = base->runtime_frame ? *(const volatile uint64_t *)base->runtime_frame
		                         : base->sp;
	if (sp == 0)
		walk_memo_join(memo, 0, 0, 0);
	else
		walk_memo_join(memo, sp, base->node, base->runtime_frame != NULL);
}

int memo_enter(struct col_thread *thread)
{
	struct walk_memo *memo = memo_of(thread, COL_NORMAL);

	if (!memo)
		memo = replace_memo(thread, COL_NORMAL);
	if (memo)
		walk_memo_enter(memo);
	return memo != NULL;
}

/* ---- the life of a thread */

void memo_forget(struct col_thread *thread)
{
	for (int i = 0; i < COL_CONTEXTS; i++)
		if (memo_of(thread, i))
			walk_memo_forget(memo_of(thread, i));
}

void memo_give(struct col_thread *thread)
{
	for (int i = 0; i < COL_CONTEXTS; i++) {
		struct walk_memo *memo = atomic_exchange(&thread->memo[i], NULL);

		if (memo)
			memo_pool_give(memo);
	}
}

void memo_keep(struct col_thread *thread, int advice)
{
	for (int i = 0; i < COL_CONTEXTS; i++)
		if (memo_of(thread, i))
			walk_memo_advise(memo_of(thread, i), advice);
	tree_advise(advice);
}

void memo_restart(void)
{
	tree_close();
	rule_cache_clear();
}
