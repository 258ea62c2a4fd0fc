/* Tests of how waits are shortened by the CPU time in them. */
#include "experiment/events/wallspan.h"

#include <criterion/criterion.h>

static struct wallspan span;

static void clear(void)
{
	wallspan_fini(&span);
}

TestSuite(wallspan, .fini = clear);

static void add(uint64_t ns, uint32_t count, enum wallspan_doubt doubt)
{
	struct wallspan_wait wait = {.ns = ns, .count = count, .doubt = (uint8_t)doubt};

	cr_assert_eq(wallspan_add(&span, &wait), 0);
}

Test(wallspan, waits_that_fit_stay_as_they_are)
{
	add(100, 1, WALLSPAN_BRIEF);
	add(50, 1, WALLSPAN_WORKS);
	span.sure_ns = 20;
	cr_assert_eq(wallspan_settle(&span, 200, 0), 30, "what is left of 200");
	cr_assert_eq(span.waits[0].ns, 100);
	cr_assert_eq(span.waits[1].ns, 50);
	cr_assert_eq(span.ns, 150);
}

/* Nobody knows when it ended, so it ended before the thread was ready again. */
Test(wallspan, one_that_was_left_has_no_time_in_which_the_thread_was_ready)
{
	add(1000, 1, WALLSPAN_LEFT);
	add(500, 1, WALLSPAN_BRIEF);
	cr_assert_eq(wallspan_settle(&span, 1600, 300), 300, "100 that no wait had, and 200");
	cr_assert_eq(span.waits[0].ns, 800);
	cr_assert_eq(span.waits[1].ns, 500, "it ends with such time");
	wallspan_clear(&span);
	add(1000, 1, WALLSPAN_LEFT);
	cr_assert_eq(wallspan_settle(&span, 1000, 2000), 1000, "more than there is");
	cr_assert_eq(span.waits[0].ns, 0);
}

Test(wallspan, without_waits_all_is_left)
{
	cr_assert_eq(wallspan_settle(&span, 77, 0), 77);
}

Test(wallspan, one_that_was_left_is_shortened_first)
{
	add(1000, 1, WALLSPAN_WORKS);
	add(1000, 1, WALLSPAN_LEFT);
	add(1000, 1, WALLSPAN_BRIEF);
	cr_assert_eq(wallspan_settle(&span, 2100, 0), 0);
	cr_assert_eq(span.waits[0].ns, 1000);
	cr_assert_eq(span.waits[1].ns, 100);
	cr_assert_eq(span.waits[2].ns, 1000);
}

Test(wallspan, calls_that_compute_are_shortened_in_proportion)
{
	add(3000, 1, WALLSPAN_WORKS);
	add(1000, 1, WALLSPAN_BRIEF);
	add(1000, 1, WALLSPAN_WORKS);
	cr_assert_eq(wallspan_settle(&span, 3000, 0), 0);
	cr_assert_eq(span.waits[0].ns, 1500);
	cr_assert_eq(span.waits[1].ns, 1000);
	cr_assert_eq(span.waits[2].ns, 500);
}

Test(wallspan, of_others_each_call_takes_as_much)
{
	add(10000, 1, WALLSPAN_BRIEF);
	add(500, 1, WALLSPAN_BRIEF);
	add(10000, 10, WALLSPAN_BRIEF);
	cr_assert_eq(wallspan_settle(&span, 19300, 0), 0);
	cr_assert_eq(span.ns, 19300);
	cr_assert_eq(span.waits[0].ns, 9900);
	cr_assert_eq(span.waits[1].ns, 400);
	cr_assert_eq(span.waits[2].ns, 9000);
}

Test(wallspan, no_wait_becomes_longer_than_nothing)
{
	add(10, 1, WALLSPAN_BRIEF);
	add(5, 1000, WALLSPAN_BRIEF);
	add(7, 1, WALLSPAN_LEFT);
	cr_assert_eq(wallspan_settle(&span, 0, 0), 0);
	cr_assert_eq(span.ns, 0);
	for (size_t i = 0; i < span.count; i++)
		cr_assert_eq(span.waits[i].ns, 0);
}

Test(wallspan, sure_time_leaves_nothing_for_others)
{
	add(100, 1, WALLSPAN_BRIEF);
	span.sure_ns = 5000;
	cr_assert_eq(wallspan_settle(&span, 4000, 0), 0);
	cr_assert_eq(span.ns, 0);
}

/* Many at random: the sum is exact, and what was sure is untouched. */
Test(wallspan, the_sum_is_that_of_the_time)
{
	uint64_t seed = 1, before = 0;

	for (int i = 0; i < 3000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		add(seed >> 44, (uint32_t)(seed >> 60) + 1,
		    (enum wallspan_doubt)((seed >> 33) % 3));
	}
	before = span.ns;
	cr_assert_eq(wallspan_settle(&span, before / 3, 0), 0);
	cr_assert(span.ns <= before / 3 + 3000 && span.ns + 3000 >= before / 3, "%llu of %llu",
	          (unsigned long long)span.ns, (unsigned long long)before / 3);
	wallspan_clear(&span);
	cr_assert_eq(span.count + span.ns, 0);
}
