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

/* Handlers are changed first: a signal may come as soon as the stack is set. */
EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < ALTSTACK_ENOUGH &&
	    !altstack_expected() && col_is_recording())
		altstack_expect();
	return REAL(sigaltstack)(stack, old);
}
