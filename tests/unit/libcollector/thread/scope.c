/* Tests of the scope of a record. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/thread/scope.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

static __attribute__((noinline)) struct col_thread *enter_recording(void)
{
	return scope_enter();
}
static __attribute__((noinline)) struct col_thread *enter_passing(void)
{
	return scope_begin_passing();
}

/* As deep as in a signal handler. */
static __attribute__((noinline)) struct col_thread *enter_deeper(void)
{
	volatile char frame[2048];
	struct col_thread *thread;

	frame[0] = 1;
	thread = enter_recording();
	(void)frame[0];
	return thread;
}

Test(scope, a_call_from_inside_is_refused_and_counted, .init = scratch_open, .fini = scratch_remove)
{
	struct col_thread *thread = scope_enter();

	cr_assert(thread != NULL);
	cr_assert(!enter_deeper());
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 1);
	scope_leave(thread);
	cr_assert(enter_deeper() == thread);
}

Test(scope, a_call_by_what_is_asked_inside_is_refused, .init = scratch_open, .fini = scratch_remove)
{
	struct col_thread *thread = scope_enter();

	cr_assert(thread != NULL);
	scope_ask(thread);
	cr_assert(!enter_recording()); /* near, but not a successor */
	cr_assert_eq(scope_kind(thread), ASKING);
	scope_leave(thread);
	cr_assert(scope_begin_passing() == thread);
	cr_assert(!enter_recording());
	scope_end_passing(thread);
	cr_assert_eq(thread->scope, OUTSIDE);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 0);
}

Test(scope, one_left_by_a_jump_is_closed, .init = scratch_open, .fini = scratch_remove)
{
	cr_assert(enter_deeper() != NULL); /* its frame is gone, although it was not left */
	cr_assert(scope_enter() != NULL);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 0);
}

static jmp_buf out;
static struct col_thread *(*enter)(void);

static __attribute__((noinline)) void enter_and_jump(void)
{
	cr_assert(enter() != NULL);
	longjmp(out, 1);
}

/* The frame of the next one has the address of the last one. */
static void jump_three_times(void)
{
	volatile int times = 0;

	setjmp(out);
	if (times++ < 3)
		enter_and_jump();
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 0);
}

Test(scope, one_left_by_a_jump_is_closed_by_the_next_at_its_place, .init = scratch_open,
     .fini = scratch_remove)
{
	enter = enter_recording;
	jump_three_times();
}

Test(scope, one_of_passing_that_an_exception_has_left_is_closed, .init = scratch_open,
     .fini = scratch_remove)
{
	enter = enter_passing;
	jump_three_times();
	cr_assert(enter_deeper() != NULL);
}

static struct col_thread *from_handler;

static void handle(int number)
{
	(void)number;
	from_handler = scope_enter();
}

static __attribute__((noinline)) void raise_inside(void)
{
	cr_assert(scope_enter() != NULL);
	raise(SIGUSR1);
}

Test(scope, a_handler_on_a_higher_stack_is_still_inside, .init = scratch_open,
     .fini = scratch_remove)
{
	char stack[65536];
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise_inside(); /* below `stack` */
	cr_assert(!from_handler);
}

static ucontext_t test, contexts[2];

static void enter_and_switch(int other)
{
	struct col_thread *thread = scope_enter();

	swapcontext(&contexts[!other], other ? &contexts[1] : &test);
	if (thread)
		scope_leave(thread);
	setcontext(&test);
}

static void make_contexts(void)
{
	static char stacks[2][65536];

	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		makecontext(&contexts[i], (void (*)(void))enter_and_switch, 1, !i);
	}
}

/* A thread that the program makes itself may be interrupted in the recorder, and come back to it
 * later. The second one has the higher stack. */
Test(scope, another_context_is_refused_and_the_first_one_goes_on, .init = scratch_open,
     .fini = scratch_remove)
{
	struct col_thread *thread = thread_current();

	make_contexts();
	swapcontext(&test, &contexts[0]);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 1);
	cr_assert_eq(scope_kind(thread), RECORDING);
	swapcontext(&test, &contexts[0]);
	cr_assert_eq(thread->scope, OUTSIDE);
}

/* ---- a context whose stack is just below the thread's own, with an unreadable page between ----
 */

enum { PAGE = 4096, OWN = 256 * 1024, LOWER = 64 * 1024 };

static ucontext_t upper, lower;

static void enter_and_go_back(void)
{
	cr_assert(scope_enter() != NULL);
	swapcontext(&lower, &upper);
}

static void *enter_above(void *stacks)
{
	thread_current();
	getcontext(&lower);
	lower.uc_stack.ss_sp = stacks;
	lower.uc_stack.ss_size = LOWER;
	makecontext(&lower, enter_and_go_back, 0);
	swapcontext(&upper, &lower);
	return enter_recording();
}

/* What is entered in a thread that has such stacks, after its context has entered and not left. */
static struct col_thread *enter_with_page(int protection)
{
	char *stacks = mmap(NULL, LOWER + PAGE + OWN, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;
	void *entered;

	cr_assert_neq(stacks, MAP_FAILED);
	cr_assert_eq(mprotect(stacks + LOWER, PAGE, protection), 0);
	pthread_attr_init(&attributes);
	cr_assert_eq(pthread_attr_setstack(&attributes, stacks + LOWER + PAGE, OWN), 0);
	cr_assert_eq(pthread_create(&thread, &attributes, enter_above, stacks), 0);
	pthread_join(thread, &entered);
	pthread_attr_destroy(&attributes);
	return entered;
}

Test(scope, another_stack_begins_at_an_unreadable_page, .init = scratch_open,
     .fini = scratch_remove)
{
	cr_assert(!enter_with_page(PROT_NONE));
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 1);
}

Test(scope, without_such_a_page_it_is_the_same_stack, .init = scratch_open, .fini = scratch_remove)
{
	cr_assert(enter_with_page(PROT_READ | PROT_WRITE) != NULL);
	cr_assert_eq(atomic_load(&col.count.lost_reentrant), 0);
}
