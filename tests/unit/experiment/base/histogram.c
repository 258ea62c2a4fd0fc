/* Log-linear histograms: error bound, merging, extremes. */
#include "experiment/base/histogram.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static uint64_t middle_of(uint64_t value)
{
	struct exp_histogram histogram = {0};
	uint64_t middle;

	cr_assert_eq(exp_histogram_add(&histogram, value), 0);
	middle = experiment_quantile(&histogram, 0.5);
	exp_histogram_fini(&histogram);
	return middle;
}

Test(histogram, is_exact_below_64_and_within_its_bound_above)
{
	for (uint64_t value = 0; value < 64; value++)
		cr_assert_eq(middle_of(value), value);
	for (uint64_t value = 64; value < UINT64_MAX / 3; value += value / 4 + 1) {
		uint64_t middle = middle_of(value);
		uint64_t error = middle > value ? middle - value : value - middle;

		cr_assert_leq(error, value / 64, "%lu became %lu", (unsigned long)value,
		              (unsigned long)middle);
	}
	cr_assert_geq(middle_of(UINT64_MAX), UINT64_MAX - UINT64_MAX / 64);
}

Test(histogram, gives_quantiles)
{
	struct exp_histogram histogram = {0};

	cr_assert_eq(experiment_quantile(&histogram, 0.5), 0);
	for (uint64_t value = 1; value <= 1000; value++)
		exp_histogram_add(&histogram, value);
	cr_assert_float_eq((double)experiment_quantile(&histogram, 0.5), 500, 500 / 64.0 + 1);
	cr_assert_float_eq((double)experiment_quantile(&histogram, 0.99), 990, 990 / 64.0 + 1);
	cr_assert_eq(experiment_quantile(&histogram, 0), 1);
	cr_assert_float_eq((double)experiment_quantile(&histogram, 1), 1000, 1000 / 64.0 + 1);
	exp_histogram_fini(&histogram);
}

/* The smallest value such that this share of all values does not exceed it. */
Test(histogram, quantiles_are_the_nearest_rank)
{
	struct exp_histogram histogram = {0};

	for (uint64_t value = 1; value <= 10; value++)
		exp_histogram_add(&histogram, value);
	cr_expect_eq(experiment_quantile(&histogram, 0.5), 5);
	cr_expect_eq(experiment_quantile(&histogram, 0.51), 6);
	cr_expect_eq(experiment_quantile(&histogram, 0.7), 7);
	cr_expect_eq(experiment_quantile(&histogram, 0.9), 9);
	cr_expect_eq(experiment_quantile(&histogram, 0.99), 10);
	cr_expect_eq(experiment_quantile(&histogram, 1), 10);
	exp_histogram_fini(&histogram);
}

Test(histogram, merges_what_has_other_octaves)
{
	struct exp_histogram low = {0}, high = {0}, none = {0};

	for (int i = 0; i < 10; i++) {
		exp_histogram_add(&low, 5);
		exp_histogram_add(&high, 1 << 20);
		exp_histogram_add(&high, 3);
	}
	cr_assert_eq(exp_histogram_merge(&low, &high), 0);
	cr_assert_eq(exp_histogram_merge(&low, &none), 0);
	cr_assert_eq(experiment_quantile(&low, 0.1), 3);
	cr_assert_eq(experiment_quantile(&low, 0.5), 5);
	cr_assert_geq(experiment_quantile(&low, 0.9), 1 << 20);
	cr_assert_eq(exp_histogram_merge(&none, &low), 0);
	cr_assert_eq(experiment_quantile(&none, 0.5), 5);
	exp_histogram_fini(&low);
	exp_histogram_fini(&high);
	exp_histogram_fini(&none);
}
