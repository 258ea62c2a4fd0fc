/* sigaltstack.c: notice that the program sets a small alternate stack. See altstack.h.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/hook/hook.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/signals.h"

void altstack_expect(void)
{
	altstack_note();
	signals_shield_handlers();
}

/* Is it a small one? The kernel refuses a pointer that leads nowhere. */
static int is_small(const stack_t *stack)
{
	return stack && sys_is_readable(stack, sizeof(*stack)) && !(stack->ss_flags & SS_DISABLE) &&
	       stack->ss_size < ALTSTACK_ENOUGH;
}

/* Handlers are changed first: a signal may come as soon as the stack is set. */
EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	if (!altstack_expected() && col_is_recording() && is_small(stack))
		altstack_expect();
	return REAL(sigaltstack)(stack, old);
}
