/* scope.h: what every recording wrapper needs: its caller, and a scope in which its thread records.
 *
 * A scope is entered after the real call has returned, so that a thread which is cancelled in the
 * call, or leaves it by longjmp, leaves no scope open.
 * See doc/decisions/04-scopes.md. */
#ifndef XER_COLLECTOR_SCOPE_H
#define XER_COLLECTOR_SCOPE_H

#include "libcollector/thread/thread.h"
#include "libcollector/thread/memo.h"

/* Where a wrapper was called from. Asking for its frame gives the wrapper a frame pointer. */
struct caller {
	uint64_t pc, sp, bp;
};

/* To be used in the wrapper itself, which is entered by a call or a jump, but not inlined. */
#define CALLER \
	((struct caller){(uintptr_t)__builtin_return_address(0), \
	                 (uintptr_t)__builtin_frame_address(0) + 16, \
	                 *(uint64_t *)__builtin_frame_address(0)})

/* What thread->scope means in normal context: its lowest bits; the bits above are the address of
 * the return address of the function that is in the scope, which identifies its frame. */
enum {
	OUTSIDE,
	RECORDING,
	PASSING, /* in a wrapped function that may call another wrapped one */
	ASKING,  /* recording, but calling a library that may call a wrapped function */
	SCOPE_KINDS = RECORDING | PASSING | ASKING
};

static inline uintptr_t scope_kind(const struct col_thread *thread)
{
	return thread->scope & SCOPE_KINDS;
}

/* Of a function that a scope is entered in. */
#define SCOPE_PLACE ((uintptr_t)__builtin_frame_address(0) + sizeof(void *))

/* Has `thread` left its scope by a jump or an exception? `place` is that of the function that asks.
 * If so, the scope is closed. */
int scope_was_abandoned(struct col_thread *thread, uintptr_t place);

/* In a function that does not return before the scope ends. A handler of the program that
 * interrupts it may have a scope of its own. */
static inline __attribute__((always_inline)) void scope_begin(struct col_thread *thread,
                                                              unsigned kind)
{
	uintptr_t scope = SCOPE_PLACE | kind, pc = (uintptr_t)__builtin_return_address(0);

	do {
		thread->scope_pc = pc;
		atomic_signal_fence(memory_order_seq_cst);
		thread->scope = scope;
		atomic_signal_fence(memory_order_seq_cst);
	} while (unlikely(thread->scope_pc != pc || thread->scope != scope));
}

/* Enter the recorder. NULL: the thread is in it already (a call by a signal handler of the
 * program), or the process is not recorded. */
static inline __attribute__((always_inline)) struct col_thread *scope_enter(void)
{
	struct col_thread *thread = thread_current();

	if (unlikely(!thread ||
	             (thread->scope != OUTSIDE && !scope_was_abandoned(thread, SCOPE_PLACE)))) {
		if (!thread || scope_kind(thread) == RECORDING)
			col_count(&col.count.lost_reentrant, 1);
		return NULL;
	}
	scope_begin(thread, RECORDING);
	if (unlikely(!col_is_recording())) { /* it has ended just now: see attach.c */
		thread->scope = OUTSIDE;
		return NULL;
	}
	return thread;
}

/* In a scope: from here on, functions of the program are called, which may call wrapped
 * functions. */
static inline void scope_ask(struct col_thread *thread)
{
	thread->scope |= ASKING;
}

static inline void scope_leave(struct col_thread *thread)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->scope = OUTSIDE;
}

/* Before calling a wrapped function that may call other wrapped ones, which are not to be recorded.
 * Returns the thread, to be passed to scope_end_passing; NULL if nothing has to be done. */
static inline __attribute__((always_inline)) struct col_thread *scope_begin_passing(void)
{
	struct col_thread *thread = thread_current();

	if (!thread || (thread->scope != OUTSIDE && !scope_was_abandoned(thread, SCOPE_PLACE)))
		return NULL;
	scope_begin(thread, PASSING);
	return thread;
}

static inline void scope_end_passing(struct col_thread *thread)
{
	if (thread && scope_kind(thread) == PASSING)
		thread->scope = OUTSIDE;
}

/* The node of the caller's stack, 0 if there is none. In a scope of `thread`, the calling one. */
static inline uint32_t stack_of(struct col_thread *thread, const struct caller *caller)
{
	return memo_walk(thread, COL_NORMAL, caller->pc, caller->sp, caller->bp, NULL);
}

#endif
