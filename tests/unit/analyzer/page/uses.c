/* Tests of analyzer/page/uses.c: what counts together, and steps of time that become wider. */
#include "analyzer/page/uses.h"

#include <criterion/criterion.h>

static struct uses made(size_t wanted)
{
	return (struct uses){.width_ns = 1000, .wanted = wanted};
}

static void add(struct uses *uses, int64_t begin_ns, int64_t end_ns, uint32_t thing, uint64_t ns)
{
	const struct use use = {
		.thing = thing, .count = 1, .ns = ns, .longest_ns = ns, .bytes = 3, .received = 5};

	uses_add(uses, begin_ns, end_ns, &use);
}

Test(uses, of_one_thing_and_time_are_one)
{
	struct uses uses = made(100);

	add(&uses, 1000, 1999, 7, 400);
	add(&uses, 1100, 1200, 7, 900);
	add(&uses, 1100, 1200, 8, 1);
	add(&uses, 900, 1200, 7, 2);
	uses_sort(&uses);
	cr_assert_eq(uses.count, 3);
	cr_expect_eq(uses.at[0].begin, 0);
	cr_expect_eq(uses.at[0].ns, 2);
	cr_expect_eq(uses.at[1].thing, 7);
	cr_expect_eq(uses.at[1].count, 2);
	cr_expect_eq(uses.at[1].ns, 1300);
	cr_expect_eq(uses.at[1].longest_ns, 900);
	cr_expect_eq(uses.at[1].bytes, 6);
	cr_expect_eq(uses.at[1].received, 10);
	cr_expect_eq(uses.at[2].thing, 8);
	uses_fini(&uses);
	cr_expect_eq(uses.count, 0);
}

Test(uses, differ_by_thread_call_and_class)
{
	struct uses uses = made(100);
	struct use use = {.count = 1};

	uses_add(&uses, 0, 0, &use);
	use.thread = 1;
	uses_add(&uses, 0, 0, &use);
	use.call = 1;
	uses_add(&uses, 0, 0, &use);
	use.class = 1;
	uses_add(&uses, 0, 0, &use);
	uses_add(&uses, 0, 0, &use);
	uses_sort(&uses);
	cr_assert_eq(uses.count, 4);
	cr_expect_eq(uses.at[0].thread, 0);
	cr_expect_eq(uses.at[3].class, 1);
	cr_expect_eq(uses.at[3].count, 2);
	uses_fini(&uses);
}

Test(uses, of_too_many_steps_become_wider_and_sums_stay)
{
	struct uses uses = made(100);
	uint64_t ns = 0;

	for (int i = 0; i < 300; i++)
		add(&uses, 1000 * i, 1000 * i, 7, 10);
	cr_expect_eq(uses.width_ns, 4000);
	cr_expect_eq(uses.count, 75);
	uses_sort(&uses);
	for (size_t i = 0; i < uses.count; i++) {
		cr_expect_eq(uses.at[i].end, i);
		ns += uses.at[i].ns;
	}
	cr_expect_eq(ns, 3000);
	uses_fini(&uses);
}

/* Steps do not help against many things. */
Test(uses, of_many_things_are_kept_all_the_same)
{
	struct uses uses = made(10);

	for (uint32_t i = 0; i < 100; i++)
		add(&uses, -5, 5000, i, 1);
	cr_expect_eq(uses.count, 100);
	cr_expect_geq(uses.wanted, 100);
	cr_expect_eq(uses.at[0].begin, 0, "before the start is at it");
	uses_fini(&uses);
}
