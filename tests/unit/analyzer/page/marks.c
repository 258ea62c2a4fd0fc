/* Tests of analyzer/page/marks.c and curve.c: what is kept of very many events. */
#include "analyzer/page/marks.h"

#include "analyzer/page/curve.h"

#include <criterion/criterion.h>

static void offer(struct marks *marks, int64_t begin_ns, uint64_t duration_ns)
{
	if (marks_want(marks, duration_ns))
		marks_add(marks, &(struct mark){.begin_ns = begin_ns, .duration_ns = duration_ns});
}

Test(page_marks, few_are_all_kept_in_order_of_time)
{
	struct marks marks;

	marks_init(&marks);
	offer(&marks, 30, 1);
	offer(&marks, 10, 2);
	offer(&marks, 20, 0);
	marks_sort(&marks);
	cr_assert_eq(marks.count, 3);
	cr_expect_eq(marks.at[0].begin_ns, 10);
	cr_expect_eq(marks.at[1].begin_ns, 20);
	cr_expect_eq(marks.at[2].begin_ns, 30);
	marks_fini(&marks);
}

Test(page_marks, of_many_the_longest_are_kept)
{
	enum { COUNT = 3 * MARKS_MAX };
	struct marks marks;
	uint64_t least = UINT64_MAX;

	marks_init(&marks);
	/* 7919 is a prime number: each duration below COUNT occurs once. */
	for (uint64_t i = 0; i < COUNT; i++)
		offer(&marks, (int64_t)i, i * 7919 % COUNT);
	cr_assert_eq(marks.count, MARKS_MAX);
	cr_expect_eq(marks.all, COUNT);
	for (size_t i = 0; i < marks.count; i++)
		least = marks.at[i].duration_ns < least ? marks.at[i].duration_ns : least;
	cr_expect_eq(least, COUNT - MARKS_MAX);
	marks_fini(&marks);
}

Test(page_marks, of_one_time_the_longest_comes_first_then_the_first_thread_and_name)
{
	static const struct mark sorted[] = {
		{.begin_ns = 10, .duration_ns = 1, .thread = 9, .name = 9},
		{.begin_ns = 20, .duration_ns = 5, .thread = 3, .name = 7},
		{.begin_ns = 20, .duration_ns = 4, .thread = 1, .name = 8},
		{.begin_ns = 20, .duration_ns = 4, .thread = 2, .name = 1},
		{.begin_ns = 20, .duration_ns = 4, .thread = 2, .name = 6},
		{.begin_ns = 30, .duration_ns = 9, .thread = 1, .name = 1},
	};
	enum { COUNT = sizeof(sorted) / sizeof(sorted[0]) };

	/* From any place in turn, forwards and backwards. */
	for (unsigned first = 0; first < COUNT; first++)
		for (int step = -1; step <= 1; step += 2) {
			struct marks marks;

			marks_init(&marks);
			for (unsigned i = 0; i < COUNT; i++)
				marks_add(&marks,
				          &sorted[(first + (step < 0 ? COUNT - i : i)) % COUNT]);
			marks_sort(&marks);
			for (unsigned i = 0; i < COUNT; i++) {
				cr_expect_eq(marks.at[i].duration_ns, sorted[i].duration_ns);
				cr_expect_eq(marks.at[i].thread, sorted[i].thread);
				cr_expect_eq(marks.at[i].name, sorted[i].name);
			}
			marks_fini(&marks);
		}
}

Test(page_curve, the_largest_of_each_step)
{
	struct curve curve;

	curve_init(&curve);
	curve_add(&curve, 100, 5);
	curve_add(&curve, 200, 9);
	curve_add(&curve, 300, 7);
	curve_add(&curve, 3000000, 2);
	curve_add(&curve, -5, 8);
	curve_fill(&curve);
	cr_assert_eq(curve.count, 4);
	cr_expect_eq(curve.width_ns, 1000000);
	cr_expect_eq(curve.values[0], 9);
	cr_expect_eq(curve.values[1], 9, "without a value, a step has that of the one before");
	cr_expect_eq(curve.values[3], 2);
}

Test(page_curve, steps_become_wider)
{
	struct curve curve;

	curve_init(&curve);
	for (int64_t s = 0; s < 86400; s++)
		curve_add(&curve, s * 1000000000, s == 43200 ? 1000 : 1);
	cr_expect_leq(curve.count, CURVE_STEPS);
	cr_expect_eq(curve.values[43200000000000 / curve.width_ns], 1000);
	cr_expect_eq(curve.values[0], 1);
	curve_add(&curve, INT64_MAX, 3);
	cr_expect_leq(curve.count, CURVE_STEPS);
	cr_expect_eq(curve.values[0], 1000);
}
