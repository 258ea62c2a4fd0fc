/* scope.h: what every wrapper that records needs: its caller, and a scope in which its thread records.
 *
 * A scope is entered after the real call has returned, so that a thread which is cancelled in it, or leaves it by
 * longjmp, leaves no scope open. */
#ifndef XER_COLLECTOR_SCOPE_H
#define XER_COLLECTOR_SCOPE_H

#include "thread.h"
#include "walk.h"

/* Where a wrapper was called from. The wrapper has a frame pointer because it asks for its frame. */
struct caller {
	uint64_t pc, sp, bp;
};

/* To be used in the wrapper itself, which is entered by a call or a jump, but not inlined. */
#define CALLER \
	((struct caller){(uint64_t)__builtin_return_address(0), (uint64_t)__builtin_frame_address(0) + 16, \
	                 *(uint64_t *)__builtin_frame_address(0)})

/* What thread->depth says of normal context. */
enum { OUTSIDE, RECORDING, PASSING /* in a wrapped function that may call another one of them */ };

/* Is the scope that `thread` is in one that it has left by a jump out of a signal handler? If so, it is closed. */
int scope_was_abandoned(struct col_thread *thread, uint64_t sp);

/* Enter the recorder. NULL: in it already (a call by a program's signal handler), or not to be recorded. */
static inline struct col_thread *scope_enter(void)
{
	struct col_thread *thread = thread_current();
	uint64_t sp = arch_sp();

	if (unlikely(!thread || (thread->depth != OUTSIDE && !scope_was_abandoned(thread, sp)))) {
		if (!thread || thread->depth == RECORDING)
			col_count(&col.count.lost_reentrant, 1);
		return NULL;
	}
	thread->scope_sp = sp;
	thread->depth = RECORDING;
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(!col_is_recording())) { /* it has ended just now: see attach.c */
		thread->depth = OUTSIDE;
		return NULL;
	}
	return thread;
}

static inline void scope_leave(struct col_thread *thread)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->depth = OUTSIDE;
}

/* Before a wrapped function is called that may call other ones of them, which are to be silent. Returns the thread, to be
 * given to scope_end_passing; NULL if nothing was to be done. */
static inline struct col_thread *scope_begin_passing(void)
{
	struct col_thread *thread = thread_current();
	uint64_t sp = arch_sp();

	if (!thread || (thread->depth != OUTSIDE && !scope_was_abandoned(thread, sp)))
		return NULL;
	thread->scope_sp = sp;
	thread->depth = PASSING;
	return thread;
}

static inline void scope_end_passing(struct col_thread *thread)
{
	if (thread && thread->depth == PASSING)
		thread->depth = OUTSIDE;
}

/* The node of the caller's stack, 0 if there is none. In a scope of `thread`, the calling one. */
static inline uint32_t stack_of(struct col_thread *thread, const struct caller *caller)
{
	struct walk_memo *memo = thread_memo(thread, COL_NORMAL);

	if (memo)
		omp_join(&thread->omp, memo);
	return memo ? walk_stack(memo, caller->pc, caller->sp, caller->bp, NULL) : 0;
}

#endif
