/* scope.c: scopes that were never left. See scope.h.
 *
 * A program may jump (siglongjmp) out of a signal handler that has interrupted the recorder. Its thread then stands in a
 * scope whose frame is gone: that is so when the stack has shrunk beyond the frame. A handler that runs on an alternate
 * stack is no sign of it, wherever that stack lies. */
#include "scope.h"

static int is_on_alternate_stack(void)
{
	stack_t stack = {.ss_flags = 0};

	return SYS2(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

int scope_was_abandoned(struct col_thread *thread, uint64_t sp)
{
	if (sp <= thread->scope_sp || is_on_alternate_stack())
		return 0;
	/* What was being written is unknown: go on in fresh extents, and with an empty memo. */
	for (int i = 0; thread->depth == RECORDING && i < FMT_STREAMS; i++)
		col_slot_abandon(&thread->slot[COL_NORMAL][i]);
	if (thread->memo[COL_NORMAL])
		thread->memo[COL_NORMAL]->count = 0;
	thread->depth = OUTSIDE;
	return 1;
}
