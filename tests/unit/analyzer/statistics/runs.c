/* Tests of groups of runs, against scipy 1.10.1.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/runs.h"

#include <criterion/criterion.h>
#include <math.h>

#define NEAR(actual, expected, within) \
	cr_expect(fabs((actual) - (expected)) <= (within), "%.10g is not %.10g", (double)(actual), \
	          (double)(expected))

static const double five[] = {10.2, 9.7, 10.9, 10.1, 9.9}, other[] = {11.0, 10.8, 11.9, 10.4, 11.6},
		    three[] = {11.0, 12.5, 10.1};

Test(runs, mean_and_variance)
{
	struct runs runs = runs_of(five, 5), one = runs_of(five, 1);
	struct runs_known known = runs_mean(&runs, 0, &RUNS_NO_PRIOR);
	struct interval of = runs_interval(&known);

	NEAR(runs.mean, 10.16, 1e-12);
	NEAR(runs.variance, 0.208, 1e-12);
	/* stats.t.interval(.95, 4, np.mean(a), stats.sem(a)) */
	NEAR(of.low, 9.59371408920709, 1e-9);
	NEAR(of.high, 10.72628591079291, 1e-9);
	known = runs_mean(&one, 0, &RUNS_NO_PRIOR);
	cr_expect(isinf(runs_interval(&known).high));
	cr_expect_eq(runs_chance(&known), 1);
	known = runs_mean(&one, 4, &RUNS_NO_PRIOR);
	NEAR(runs_interval(&known).high, 10.2 + 2 * INTERVAL_DEVIATIONS, 1e-12);
}

/* stats.ttest_ind(b, a, equal_var=True), stats.ttest_ind(c, a, equal_var=False) */
Test(runs, differences_are_those_of_student_and_welch)
{
	struct runs from = runs_of(five, 5), to = runs_of(other, 5);
	struct runs_known known = runs_difference(&from, &to, 0, &RUNS_NO_PRIOR);

	NEAR(known.value / known.error, 2.8873526898450703, 1e-9);
	NEAR(runs_chance(&known), 0.020281370142442665, 1e-12);
	to = runs_of(three, 3);
	known = runs_difference(&from, &to, 0, &RUNS_NO_PRIOR);
	NEAR(known.value / known.error, 1.4263984333258486, 1e-9);
	NEAR(runs_chance(&known), 0.27234913881008277, 1e-12);
}

Test(runs, a_single_run_is_compared_with_the_spread_of_the_others)
{
	struct runs from = runs_of(five, 5), to = runs_of(other, 1);
	struct runs_known known = runs_difference(&from, &to, 0, &RUNS_NO_PRIOR);

	NEAR(known.error, sqrt(0.208 * 1.2), 1e-12);
	cr_expect_eq(known.freedom, 4);
	from = runs_of(five, 1);
	known = runs_difference(&from, &to, 0.5, &RUNS_NO_PRIOR);
	NEAR(known.error, 1, 1e-12);
	cr_expect(isinf(known.freedom));
}

Test(runs, what_is_the_same_in_all_runs_is_known_exactly)
{
	static const double same[] = {7, 7, 7}, more[] = {8, 8, 8};
	struct runs from = runs_of(same, 3), to = runs_of(more, 3);
	struct runs_known known = runs_difference(&from, &to, 0, &RUNS_NO_PRIOR);

	cr_expect_eq(known.error, 0);
	cr_expect_eq(runs_chance(&known), 0);
	cr_expect_eq(runs_interval(&known).low, 1);
	known = runs_difference(&from, &from, 0, &RUNS_NO_PRIOR);
	cr_expect_eq(runs_chance(&known), 1);
}

Test(runs, what_is_known_before_counts_by_its_freedom)
{
	const struct runs_prior prior = {.factor = 2, .freedom = 8}, sure = {2, INFINITY};
	struct runs from = runs_of(five, 5), to = runs_of(other, 5);
	struct runs_known known = runs_difference(&from, &to, 0.1, &prior);

	cr_expect_eq(known.freedom, 16);
	NEAR(known.error, sqrt((8 * 0.2 + 8 * 0.288) / 16 * 0.4), 1e-12);
	known = runs_difference(&from, &to, 0, &prior); /* without an expectation, nothing is */
	cr_expect_eq(known.freedom, 8);
	known = runs_mean(&from, 0.1, &sure);
	NEAR(known.error, sqrt(0.2 / 5), 1e-12);
	cr_expect(isinf(known.freedom));
}

/* Of a mean, the error of the jackknife is the standard error: s = 2.5820 of these values. */
Test(runs, the_jackknife_of_a_mean_is_its_standard_error)
{
	static const double values[] = {10, 12, 14, 16};
	const struct runs runs = runs_of(values, 4);
	const struct runs_known mean = runs_mean(&runs, 0, &RUNS_NO_PRIOR);
	double without[4];
	struct runs_known known;

	for (size_t i = 0; i < 4; i++)
		without[i] = (4 * runs.mean - values[i]) / 3;
	known = runs_jackknife(runs.mean, without, 4);
	cr_expect_float_eq(known.value, 13, 1e-12);
	cr_expect_float_eq(known.error, mean.error, 1e-12);
	cr_expect_float_eq(known.error, 2.5819889 / 2, 1e-6);
	cr_expect_eq(known.freedom, mean.freedom);
}

Test(runs, errors_of_two_groups_are_joined_as_in_a_difference)
{
	static const double from[] = {1, 2, 3}, to[] = {2, 4, 6}, many[] = {2, 4, 6, 8};
	const struct runs a = runs_of(from, 3), b = runs_of(to, 3), c = runs_of(many, 4);
	const struct runs_known of_a = runs_mean(&a, 0, &RUNS_NO_PRIOR),
				of_b = runs_mean(&b, 0, &RUNS_NO_PRIOR),
				of_c = runs_mean(&c, 0, &RUNS_NO_PRIOR), none = {5, 0, 3};
	struct runs_known joined = runs_joined(&of_a, &of_b),
			  difference = runs_difference(&a, &b, 0, &RUNS_NO_PRIOR);

	cr_expect_float_eq(joined.error, difference.error, 1e-12);
	cr_expect_eq(joined.freedom, 4);
	joined = runs_joined(&of_a, &of_c);
	difference = runs_difference(&a, &c, 0, &RUNS_NO_PRIOR);
	cr_expect_float_eq(joined.error, difference.error, 1e-12);
	cr_expect_float_eq(joined.freedom, difference.freedom, 1e-12);
	joined = runs_joined(&none, &of_a);
	cr_expect_eq(joined.freedom, 2, "what did not vary tells nothing");
	cr_expect_eq(runs_joined(&of_a, &none).error, of_a.error);
	cr_expect_eq(runs_joined(&of_a, &none).freedom, 2);
	/* An error of 1 is one. */
	joined = runs_joined(&(struct runs_known){7, 1, 3}, &(struct runs_known){8, 0.75, 3});
	cr_expect_eq(joined.value, 7);
	cr_expect_eq(joined.error, 1.25);
	cr_expect_eq(joined.freedom, 6);
	joined = runs_joined(&(struct runs_known){7, 0.75, 3}, &(struct runs_known){8, 1, 3});
	cr_expect_eq(joined.error, 1.25);
}
