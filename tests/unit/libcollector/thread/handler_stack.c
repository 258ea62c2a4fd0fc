/* handler_stack.c: a handler goes on on another stack, and comes back. */
#include "libcollector/thread/handler_stack.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <pthread.h>

enum { STACKS = 32 };

static char *seen_at;
static int depth, inside;

TestSuite(handler_stack, .init = handler_stacks_open);

static void see(void *argument)
{
	char here[64];

	seen_at = here;
	*(int *)argument += 1;
}

Test(handler_stack, a_function_runs_elsewhere)
{
	char here[64];
	int count = 0;

	cr_assert(handler_stack_run(see, &count, sys_tid()));
	cr_assert_eq(count, 1);
	cr_assert_gt(labs(seen_at - here), 4096);
	cr_assert_eq((uintptr_t)seen_at % 16, 0, "aligned as compilers expect");
	for (int i = 0; i < 1000; i++)
		cr_assert(handler_stack_run(see, &count, sys_tid()));
	cr_assert_eq(count, 1001);
}

static void nest(void *deepest)
{
	int *result = deepest;

	if (++depth < STACKS)
		*result = handler_stack_run(nest, deepest, sys_tid());
	else
		*result = handler_stack_run(see, &inside, sys_tid());
}

/* As many threads as there are stacks may be interrupted in a handler. */
Test(handler_stack, when_all_are_in_use_it_is_not_called)
{
	int result = -1, count = 0;

	cr_assert(handler_stack_run(nest, &result, sys_tid()));
	cr_assert_eq(depth, STACKS);
	cr_assert_eq(inside, 0);
	cr_assert(handler_stack_run(see, &count, sys_tid()), "they are free again");
	cr_assert_eq(count, 1);
}

static void stay(void *unused)
{
	(void)unused;
	pthread_exit(NULL);
}

static void *leave(void *unused)
{
	handler_stack_run(stay, NULL, sys_tid());
	return unused;
}

/* A child of vfork may be killed in its handler. Here a thread is cancelled there. */
Test(handler_stack, one_whose_holder_is_gone_is_taken_again)
{
	int count = 0;

	for (int i = 0; i < 3 * STACKS; i++) {
		pthread_t thread;

		cr_assert_eq(pthread_create(&thread, NULL, leave, NULL), 0);
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < 100 && !handler_stack_run(see, &count, sys_tid()); i++)
		SYS0(SYS_sched_yield); /* the kernel has the last one for a moment */
	cr_assert_eq(count, 1);
}
