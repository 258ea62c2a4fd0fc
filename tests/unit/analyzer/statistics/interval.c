/* Tests of intervals of shares, against scipy 1.10.1. */
#include "analyzer/statistics/interval.h"

#include <criterion/criterion.h>
#include <math.h>

#define NEAR(actual, expected, within) \
	cr_expect(fabs((actual) - (expected)) <= (within), "%.10g is not %.10g", (double)(actual), \
	          (double)(expected))

/* stats.binomtest(k, n).proportion_ci(method='wilson') */
Test(interval, shares_have_the_interval_of_wilson)
{
	static const struct {
		double found, samples, low, high;
	} known[] = {
		{8, 10, 0.4901624715366418, 0.9433178485456248},
		{1, 20, 0.008881448800795402, 0.23613119344674205},
		{0, 30, 0, 0.11351339317396875},
		{30, 30, 0.8864866068260312, 1},
		{57, 115, 0.4059012986098972, 0.5856841294896621},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct interval of = interval_share(known[i].found / known[i].samples,
		                                    known[i].samples);

		NEAR(of.low, known[i].low, 1e-12);
		NEAR(of.high, known[i].high, 1e-12);
	}
	cr_expect_eq(interval_share(0.5, 0).low, 0);
	cr_expect_eq(interval_share(0.5, 0).high, 1);
	cr_expect_eq(interval_share(0.5, NAN).high, 1);
}

Test(interval, samples_of_different_weight_count_as_fewer)
{
	NEAR(interval_effective(100, 100), 100, 1e-12); /* 100 of weight 1 */
	NEAR(interval_effective(100, 1000), 10, 1e-12); /* 10 of weight 10 */
	NEAR(interval_effective(20, 10 * 1 + 1 * 100), 400 / 110.0, 1e-12);
	cr_expect_eq(interval_effective(0, 0), 0);
}

/* The ends are the means m with (count - m)^2 = 1.96^2 m. */
Test(interval, counts_have_the_score_interval)
{
	static const double counts[] = {0, 1, 2.5, 10, 1000, 1e9};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const double square = INTERVAL_DEVIATIONS * INTERVAL_DEVIATIONS, n = counts[i];
		struct interval of = interval_count(n);

		cr_expect(of.low >= 0 && of.low <= n && of.high > n);
		NEAR((n - of.low) * (n - of.low), square * of.low, 1e-9 * (1 + square * of.low));
		NEAR((n - of.high) * (n - of.high), square * of.high, 1e-9 * square * of.high);
	}
	NEAR(interval_count(10).low, 5.43199, 1e-5);
	NEAR(interval_count(10).high, 18.40947, 1e-5);
	NEAR(interval_count(0).high, 3.8415, 1e-4);
}

Test(interval, the_farther_end_counts)
{
	cr_expect_eq(interval_reach((struct interval){1, 4}, 2), 2);
	cr_expect_eq(interval_reach((struct interval){1, 4}, 3), 2);
}
