/* Tests of experiment/xray/calls.c: entries and exits become calls, by function and by path. A tick
 * is a nanosecond. */
#include "experiment/xray/calls.h"

#include <criterion/criterion.h>
#include <string.h>

static struct calls calls;
static uint32_t f, g, h;

static void set_up(void)
{
	cr_assert_eq(calls_init(&calls, 1e9), 0);
	f = calls_function(&calls, 7);
	g = calls_function(&calls, 1 << 20);
	h = calls_function(&calls, 8);
}

static void tear_down(void)
{
	calls_fini(&calls);
}

TestSuite(calls, .init = set_up, .fini = tear_down);

static struct calls_thread *thread(void)
{
	return calls_thread(&calls, 42);
}

static void enter(uint32_t function, uint64_t tsc)
{
	calls_enter(&calls, thread(), function, tsc);
}

static void leave(uint32_t function, uint64_t tsc)
{
	calls_exit(&calls, thread(), function, tsc);
	thread()->tsc = tsc;
}

/* Whole calls, those that were cut, and times altogether and without those inside. */
static void expect(uint32_t function, uint64_t count, uint64_t cut, uint64_t total, uint64_t self)
{
	const struct exp_call_function *found = &calls.functions[function];

	cr_expect_eq(found->count, count, "%llu", (unsigned long long)found->count);
	cr_expect_eq(found->cut, cut, "%llu", (unsigned long long)found->cut);
	cr_expect_eq(found->total_ns, total, "%llu", (unsigned long long)found->total_ns);
	cr_expect_eq(found->self_ns, self, "%llu", (unsigned long long)found->self_ns);
}

Test(calls, functions_and_threads_have_one_place_each)
{
	cr_expect_eq(calls_function(&calls, 7), f);
	cr_expect_eq(calls_function(&calls, 1 << 20), g);
	cr_expect_eq(calls_function(&calls, 8), h);
	cr_expect(f != g && g != h && f != h);
	calls_thread(&calls, 43);
	cr_expect_eq(thread()->tid, 42);
	cr_expect_eq(calls_thread(&calls, 43)->tid, 43);
	cr_expect_eq(calls.thread_count, 2);
	calls_finish(&calls);
	cr_expect_eq(calls.shown.threads, 2);
	cr_expect_eq(calls.shown.function_count, 3);
	cr_expect_eq(calls.shown.paths, 0);
}

Test(calls, the_time_of_a_call_is_that_of_its_own_and_of_those_inside)
{
	enter(f, 100);
	enter(g, 110);
	enter(h, 120);
	leave(h, 125);
	leave(g, 140);
	enter(g, 150);
	leave(g, 160);
	leave(f, 200);
	calls_finish(&calls);
	expect(f, 1, 0, 100, 60);
	expect(g, 2, 0, 40, 35);
	expect(h, 1, 0, 5, 5);
	cr_expect_eq(calls.functions[g].min_ns, 10);
	cr_expect_eq(calls.functions[g].max_ns, 30);
	cr_expect_eq(calls.functions[g].sum_ns, 40);
	cr_expect_eq(calls.functions[g].spread, 200, "10 and 30 differ from 20 by 10");
	cr_expect_eq(calls.shown.paths, 3);
	cr_expect_eq(calls.shown.stray + calls.shown.unwound + calls.shown.open, 0);
}

Test(calls, the_whole_time_of_a_recursive_function_is_that_of_the_outermost_call)
{
	enter(f, 0);
	enter(f, 10);
	enter(g, 20);
	enter(f, 30);
	leave(f, 40);
	leave(g, 50);
	leave(f, 60);
	leave(f, 100);
	calls_finish(&calls);
	expect(f, 3, 0, 100, 80);
	expect(g, 1, 0, 30, 20);
	cr_expect_eq(calls.shown.paths, 4, "one for each depth");
}

Test(calls, an_exit_ends_the_calls_inside_of_its_own)
{
	enter(f, 0);
	enter(g, 10);
	enter(h, 20);
	leave(f, 30);
	calls_finish(&calls);
	expect(f, 1, 0, 30, 10);
	expect(g, 0, 1, 20, 10);
	expect(h, 0, 1, 10, 10);
	cr_expect_eq(calls.shown.unwound, 2);
	cr_expect_eq(calls.functions[g].min_ns, 0, "no whole call");
	cr_expect_eq(calls.functions[g].sum_ns, 0);
}

Test(calls, an_exit_of_what_is_not_open_is_stray)
{
	leave(g, 5);
	enter(f, 10);
	leave(g, 20);
	leave(f, 30);
	leave(f, 40);
	calls_finish(&calls);
	expect(f, 1, 0, 20, 20);
	expect(g, 0, 0, 0, 0);
	cr_expect_eq(calls.shown.stray, 3);
	cr_expect_eq(calls.shown.unwound, 0);
}

Test(calls, what_is_open_at_the_end_lasts_until_the_last_event)
{
	enter(f, 10);
	enter(g, 20);
	enter(h, 30);
	leave(h, 35);
	calls_finish(&calls);
	expect(f, 0, 1, 25, 10);
	expect(g, 0, 1, 15, 10);
	expect(h, 1, 0, 5, 5);
	cr_expect_eq(calls.shown.open, 2);
}

Test(calls, clocks_that_go_back_give_no_time)
{
	enter(f, 100);
	enter(g, 90);
	leave(g, 80);
	leave(f, 70);
	calls_finish(&calls);
	expect(f, 1, 0, 0, 0);
	expect(g, 1, 0, 0, 0);
}

/* Deeper ones are counted, and those above them are timed all the same. */
Test(calls, a_stack_may_be_a_million_deep)
{
	enum { DEEPER = 3 };

	for (unsigned i = 0; i < CALLS_DEPTH_MAX + DEEPER; i++)
		enter(f, i);
	cr_expect_eq(calls.shown.too_deep, DEEPER);
	cr_expect_eq(thread()->depth, CALLS_DEPTH_MAX);
	cr_expect_eq(calls.shown.pathless, CALLS_DEPTH_MAX + DEEPER - (CALLS_PATHS_MAX - 1),
	             "path 0 is the root's");
	for (unsigned i = 0; i < DEEPER; i++)
		leave(f, 2 * CALLS_DEPTH_MAX);
	cr_expect_eq(thread()->depth, CALLS_DEPTH_MAX);
	cr_expect_eq(calls.functions[f].count, 0);
	leave(f, 2 * CALLS_DEPTH_MAX);
	cr_expect_eq(thread()->depth, CALLS_DEPTH_MAX - 1);
	cr_expect_eq(calls.functions[f].count, 1);
	cr_expect_eq(calls.functions[f].max_ns, CALLS_DEPTH_MAX + 1);
	calls_finish(&calls);
	cr_expect_eq(calls.shown.open, CALLS_DEPTH_MAX - 1);
	cr_expect_eq(calls.shown.paths, CALLS_PATHS_MAX - 1);
}

static int is_wanted(void *context, const struct calls_thread *asked, uint32_t path, uint64_t tsc,
                     uint64_t ticks, uint64_t self)
{
	(void)path;
	(void)ticks;
	(void)self;
	cr_expect_eq(asked->tid, 42);
	return tsc < *(const uint64_t *)context;
}

Test(calls, those_that_are_not_asked_for_do_not_count)
{
	uint64_t until = 50;

	calls.ask = is_wanted;
	calls.context = &until;
	enter(f, 0);
	enter(g, 10);
	leave(g, 20);
	enter(g, 30);
	leave(g, 50);
	leave(f, 60);
	calls_finish(&calls);
	expect(f, 0, 0, 0, 0);
	expect(g, 1, 0, 10, 10);
}
