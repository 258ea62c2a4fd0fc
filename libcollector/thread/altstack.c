/* altstack.c: see altstack.h.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/thread/altstack.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/signals.h"

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

int altstack_is_exhausted(const void *frame)
{
	stack_t stack;

	return find_small(&stack) &&
	       (const char *)frame - (const char *)stack.ss_sp < ALTSTACK_ENOUGH / 4;
}

void altstack_expect(void)
{
	atomic_store(&expected, 1);
	signals_shield_handlers();
}

/* Handlers are changed first: a signal may come as soon as the stack is there. */
EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < ALTSTACK_ENOUGH &&
	    !altstack_expected() && col_is_recording())
		altstack_expect();
	return REAL(sigaltstack)(stack, old);
}
