/* scope.c: scopes that were never left. See scope.h.
 *
 * A program may jump (siglongjmp) out of a signal handler that has interrupted the recorder, and an
 * exception may leave a wrapped function. Then its thread is in a scope whose frame is gone. But a
 * program with threads of its own (coroutines) may also continue in another one of them, and come
 * back to the frame later, which must find everything unchanged. So a scope counts as abandoned
 * only if that is certain; if an abandoned scope counts as existing, events are lost, and counted.
 * See doc/decisions/04-scopes.md. */
#include "libcollector/thread/scope.h"

enum {
	NEAR = 512,          /* less than the frame of a signal takes, with everything before it */
	STACK_MAX = 8 << 20, /* of which the pages are checked */
};

static int is_on_alternate_stack(void)
{
	stack_t stack = {.ss_flags = 0};

	return SYS2(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

/* Are both addresses on the stack that the thread was created with? Between that and other stacks,
 * there is a gap or an unreadable page. */
static int are_at_home(uintptr_t home, uintptr_t one, uintptr_t other)
{
	uintptr_t low = one < other ? one : other, high = one < other ? other : one;

	low = home < low ? home : low;
	high = home > high ? home : high;
	return high - low <= STACK_MAX && sys_is_readable((const void *)low, high - low);
}

/* Does the frame whose return address is at `old` still exist, for a function whose own return
 * address is at `place`? If the new frame is closer to it than any signal frame would allow, it
 * replaces the old frame, unless it was called from that. At the address of the old frame, there
 * may be something else. If there is nothing, the stack may have shrunk beyond it, or may be
 * another one. */
static int is_there(const struct col_thread *thread, uintptr_t old, uintptr_t place)
{
	if (place - old < NEAR || (scope_kind(thread) == RECORDING && old - place < NEAR))
		return 0;
	/* In the caller's page, where functions called by a wrapped function mostly are, the kernel
	 * need not be asked. */
	if ((old ^ place) >= SYS_PAGE && !sys_is_readable((const void *)old, sizeof(old)))
		return 0;
	if (*(const uintptr_t *)old != thread->scope_pc)
		return 0;
	return place < old || is_on_alternate_stack() || !are_at_home(thread->home, old, place);
}

int scope_was_abandoned(struct col_thread *thread, uintptr_t place)
{
	if (is_there(thread, thread->scope & ~(uintptr_t)SCOPE_KINDS, place))
		return 0;
	/* What was being written is unknown: continue in fresh extents, and with an empty memo. The
	 * extents are small ones, since a program that jumps often would fill the disk. */
	for (int i = 0; scope_kind(thread) & RECORDING && i < FMT_STREAMS; i++) {
		col_slot_abandon(&thread->slot[COL_NORMAL][i]);
		thread->slot[COL_NORMAL][i].size = FDR_PAGE / 2; /* the next one is twice as long */
	}
	memo_distrust(thread);
	thread->scope = OUTSIDE;
	return 1;
}
