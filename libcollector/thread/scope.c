/* scope.c: scopes that were never left. See scope.h.
 *
 * A program may jump (siglongjmp) out of a signal handler that has interrupted the recorder, and an
 * exception may leave a function that is passed through. Its thread then stands in a scope whose
 * frame is gone. But a program that makes threads of its own may also go on in another one of them,
 * and come back to the frame later, which must find everything as it was. So a scope is taken for
 * abandoned only where that is sure: what is taken for one that is there costs events, which are
 * counted.
 * See doc/decisions/04-scopes.md. */
#include "libcollector/thread/scope.h"

enum {
	NEAR = 512,          /* less than the frame of a signal takes, with all that is behind it */
	STACK_MAX = 8 << 20, /* of which the pages are looked at */
};

static int is_on_alternate_stack(void)
{
	stack_t stack = {.ss_flags = 0};

	return SYS2(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

/* Do both places lie on the stack that the thread was made with? There is a gap, or a page that
 * cannot be read, between that and others. */
static int are_at_home(uintptr_t home, uintptr_t one, uintptr_t other)
{
	uintptr_t low = one < other ? one : other, high = one < other ? other : one;

	low = home < low ? home : low;
	high = home > high ? home : high;
	return high - low <= STACK_MAX && sys_is_readable((const void *)low, high - low);
}

/* Is the frame whose return address is at `old` there still, for a function that has its own at
 * `place`? One as near to it as no signal's frame would let it be is in its place, unless it was
 * called from there; where it was, something else may stand. If nothing does, the stack may have
 * shrunk beyond it, or be another one. */
static int is_there(const struct col_thread *thread, uintptr_t old, uintptr_t place)
{
	if (place - old < NEAR || (scope_kind(thread) == RECORDING && old - place < NEAR))
		return 0;
	/* In the caller's page, as what a function that is passed through calls mostly is, there is
	 * no need of asking the kernel. */
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
	/* What was being written is unknown: go on in fresh extents, and with an empty memo. The
	 * extents are small ones: who jumps often would fill the disk. */
	for (int i = 0; scope_kind(thread) & RECORDING && i < FMT_STREAMS; i++) {
		col_slot_abandon(&thread->slot[COL_NORMAL][i]);
		thread->slot[COL_NORMAL][i].map_size = 0;
	}
	if (thread->memo[COL_NORMAL])
		thread->memo[COL_NORMAL]->count = 0;
	thread->scope = OUTSIDE;
	return 1;
}
