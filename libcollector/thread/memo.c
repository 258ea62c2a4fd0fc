/* memo.c: the call stacks that threads remember. See memo.h. */
#include "libcollector/thread/memo.h"

#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/tree.h"

/* The first memo of a context, or a larger one for a stack that did not fit. */
static struct walk_memo *replace_memo(struct col_thread *thread, enum col_context context)
{
	struct walk_memo *old = thread->memo[context];
	uint32_t capacity = old ? old->capacity * 16 : WALK_FRAMES_MIN;
	struct walk_memo *memo = capacity <= WALK_FRAMES_MAX ? walk_memo_create(capacity) : NULL;

	if (!memo) {
		if (old)
			old->is_too_small = 0;
		return old;
	}
	memo->home = thread->home;
	thread->memo[context] = memo;
	if (old)
		walk_memo_destroy(old);
	return memo;
}

struct walk_memo *thread_memo(struct col_thread *thread, enum col_context context)
{
	struct walk_memo *memo = thread->memo[context];

	return likely(memo && !memo->is_too_small) ? memo : replace_memo(thread, context);
}

void memo_join_base(const struct col_thread *thread, struct walk_memo *memo)
{
	const struct omp_base *base = memo_base_at(&thread->omp, thread->omp.depth);
	uint64_t sp = 0;

	if (base && base->node)
		sp = base->runtime_frame ? *(const volatile uint64_t *)base->runtime_frame
		                         : base->sp;
	if (sp == 0)
		walk_memo_join(memo, 0, 0, 0);
	else
		walk_memo_join(memo, sp, base->node, base->runtime_frame != NULL);
}

void memo_forget(struct col_thread *thread)
{
	for (int i = 0; i < COL_CONTEXTS; i++)
		if (thread->memo[i])
			walk_memo_forget(thread->memo[i]);
}

void memo_keep(struct col_thread *thread, int advice)
{
	for (int i = 0; i < COL_CONTEXTS; i++)
		if (thread->memo[i])
			walk_memo_advise(thread->memo[i], advice);
	tree_advise(advice);
}

void memo_restart(void)
{
	tree_close();
	rule_cache_clear();
}
