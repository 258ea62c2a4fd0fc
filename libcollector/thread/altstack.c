/* altstack.c: see altstack.h.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/thread/altstack.h"

#include "libcollector/base/collector.h"

static atomic_uint expected;

int altstack_expected(void)
{
	return atomic_load_explicit(&expected, memory_order_relaxed) != 0;
}

static int find_small(stack_t *stack)
{
	*stack = (stack_t){.ss_flags = 0};
	return altstack_expected() && SYS2(SYS_sigaltstack, NULL, stack) == 0 &&
	       stack->ss_flags & SS_ONSTACK && stack->ss_size < ALTSTACK_ENOUGH;
}

int altstack_is_small(void)
{
	stack_t stack;

	return find_small(&stack);
}

int altstack_is_exhausted(const void *frame, int need)
{
	stack_t stack;

	return find_small(&stack) && (const char *)frame - (const char *)stack.ss_sp < need;
}

void altstack_note(void)
{
	atomic_store(&expected, 1);
}
