/* Tests of the scope of a record. */
#include "scratch.h"

#include "libcollector/scope.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

static __attribute__((noinline)) struct col_thread *enter_deeper(void)
{
	volatile char frame[256];
	struct col_thread *thread = scope_enter();

	frame[0] = 1;
	(void)frame[0];
	return thread;
}

Test(scope, a_call_from_inside_is_refused_and_counted, .init = scratch_open, .fini = scratch_remove)
{
	struct col_thread *thread = scope_enter();

	cr_assert(thread != NULL);
	cr_assert(enter_deeper() == NULL);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 1);
	scope_leave(thread);
	cr_assert(enter_deeper() == thread);
}

Test(scope, one_left_by_a_jump_is_closed, .init = scratch_open, .fini = scratch_remove)
{
	cr_assert(enter_deeper() != NULL); /* its frame is gone, and it was not left */
	cr_assert(scope_enter() != NULL);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 0);
}

static struct col_thread *from_handler;

static void handle(int number)
{
	(void)number;
	from_handler = scope_enter();
}

Test(scope, a_handler_on_a_higher_stack_is_still_inside, .init = scratch_open, .fini = scratch_remove)
{
	char stack[65536];
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	cr_assert(enter_deeper() != NULL); /* below `stack` */
	raise(SIGUSR1);
	cr_assert(from_handler == NULL);
}
