/* The thread pointer that handlers have, whatever the program has made of it. */
#include "libcollector/thread/pointer.h"

#include "libcollector/thread/thread.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>

static void setup(void)
{
	if (!arch_has_thread_pointer())
		cr_skip_test(
			"this processor or kernel does not let programs read the thread pointer");
	pointer_open();
}

TestSuite(pointer, .init = setup, .timeout = 30);

Test(pointer, a_known_thread_has_its_own)
{
	const struct col_thread thread = {.pointer = arch_libc_pointer()};
	uintptr_t before;

	cr_assert_eq(pointer_borrow(&thread, &before), 0);
	cr_assert_eq(arch_thread_pointer(), thread.pointer);
	pointer_return(before);
	cr_assert_eq(arch_thread_pointer(), thread.pointer);
}

/* No function of the C library may be called in between. */
Test(pointer, an_unknown_thread_has_one_that_knows_nothing)
{
	const struct col_thread thread = {.pointer = 0};
	uintptr_t own = arch_thread_pointer(), with_state, without;
	struct col_thread *self, *state = (void *)&own;
	uint16_t cpu;

	col_self = state;
	pointer_borrow(&thread, &own);
	pointer_return(own);
	cr_assert_eq(col_self, state);
	pointer_borrow(&thread, &own);
	with_state = arch_thread_pointer();
	self = *(struct col_thread *volatile *)&col_self;
	cpu = col_cpu();
	pointer_return(own);
	pointer_borrow(NULL, &own);
	without = arch_thread_pointer();
	pointer_return(own);
	col_self = NULL;
	cr_assert_neq(with_state, own);
	cr_assert_eq(with_state, without);
	cr_assert_null(self);
	cr_assert_lt(cpu, CPU_SETSIZE);
	cr_assert_eq(arch_thread_pointer(), own);
}

/* By its own pointer a thread knows it from the kernel. */
Test(pointer, the_cpu_is_the_threads_own)
{
	cpu_set_t set, before;
	uintptr_t own;
	uint16_t cpu;

	sched_getaffinity(0, sizeof(before), &before);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &before))
			continue;
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		cr_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
		pointer_borrow(NULL, &own);
		cpu = col_cpu();
		pointer_return(own);
		cr_expect_eq(cpu, i, "%u instead of %d", cpu, i);
	}
}

Test(pointer, it_is_made_once)
{
	uintptr_t own, first;

	pointer_borrow(NULL, &own);
	first = arch_thread_pointer();
	pointer_return(own);
	pointer_open();
	pointer_borrow(NULL, &own);
	cr_expect_eq(arch_thread_pointer(), first);
	pointer_return(own);
}
