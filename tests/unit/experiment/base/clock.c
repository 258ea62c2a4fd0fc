/* Clocks: seconds and ticks of one moment, the rate from points of two clocks, and numbers that no
 * type can hold. */
#include "experiment/base/clock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>

/* Two ticks a nanosecond. */
static const struct exp_clock half = {
	.start = {.ticks = 1000, .raw_ns = 5000}, .start_mono_ns = 700, .hz = 2e9, .is_tsc = 1};

Test(clock, seconds_count_from_the_start)
{
	cr_expect_eq(exp_clock_seconds(&half, 1000), 0);
	cr_expect_float_eq(exp_clock_seconds(&half, 3000), 1e-6, 1e-18);
	cr_expect_float_eq(exp_clock_seconds(&half, 0), -0.5e-6, 1e-18);
}

Test(clock, moments_of_another_clock_have_ticks)
{
	struct exp_clock without = half;

	cr_expect_eq(exp_clock_ticks(&half, 700), 1000);
	cr_expect_eq(exp_clock_ticks(&half, 1700), 3000);
	cr_expect_eq(exp_clock_ticks(&half, 600), 800);
	without.start_mono_ns = 0;
	cr_expect_eq(exp_clock_ticks(&without, 700), 0);
	without.start_mono_ns = 1;
	cr_expect_eq(exp_clock_ticks(&without, 1), 1000);
}

/* Points after that many nanoseconds, at a rate that is wrong by this share. */
static int fit(struct exp_clock *clock, double ns, double off)
{
	const struct exp_clock_point points[] = {
		{.ticks = 0, .raw_ns = 0},
		{.ticks = clock->start.ticks + (uint64_t)(ns * 2 * (1 + off)),
	         .raw_ns = clock->start.raw_ns + (uint64_t)ns},
		{.ticks = 99, .raw_ns = clock->start.raw_ns + 100},
	};

	return exp_clock_fit(clock, points, 3);
}

Test(clock, the_rate_is_that_of_the_longest_span)
{
	struct exp_clock clock = half;

	cr_expect_eq(fit(&clock, 1e9, 1e-4), 0);
	cr_expect_float_eq(clock.hz, 2e9 * (1 + 1e-4), 10);
	clock = half;
	cr_expect_eq(fit(&clock, 1e9, -9e-4), 0);
	cr_expect_float_eq(clock.hz, 2e9 * (1 - 9e-4), 10);
}

Test(clock, the_recorded_rate_stays_where_nothing_better_is_known)
{
	struct exp_clock clock = half;

	cr_expect_eq(exp_clock_fit(&clock, NULL, 0), 0);
	cr_expect_eq(fit(&clock, 499999999, 1e-4), 0);
	cr_expect_eq(clock.hz, 2e9, "less than half a second");
	cr_expect_eq(fit(&clock, 1e9, 2e-3), 0);
	cr_expect_eq(clock.hz, 2e9, "off by 2 ms: a thread may have waited");
	clock.is_tsc = 0;
	cr_expect_eq(fit(&clock, 1e9, 1e-4), 0);
	cr_expect_eq(clock.hz, 2e9);
	clock.is_tsc = 1;
	clock.start.raw_ns = 0;
	cr_expect_eq(fit(&clock, 1e9, 1e-4), 0);
	cr_expect_eq(clock.hz, 2e9);
	clock.start.raw_ns = 5000;
	cr_expect_eq(fit(&clock, 500000000, 1e-4), 0);
	cr_expect_neq(clock.hz, 2e9, "half a second is enough");
}

Test(clock, a_clock_that_jumped_is_told)
{
	struct exp_clock clock = half;

	cr_expect_eq(fit(&clock, 1e9, 0.51), -ERANGE);
	cr_expect_eq(fit(&clock, 1e9, -0.51), -ERANGE);
	cr_expect_eq(fit(&clock, 1e9, 0.49), 0);
	cr_expect_eq(clock.hz, 2e9);
}

Test(clock, numbers_become_the_nearest_that_the_type_has)
{
	cr_expect_eq(exp_whole(0.4), 0);
	cr_expect_eq(exp_whole(0.5), 1);
	cr_expect_eq(exp_whole(-5), 0);
	cr_expect_eq(exp_whole(NAN), 0);
	cr_expect_eq(exp_whole(INFINITY), UINT64_MAX);
	cr_expect_eq(exp_whole(0x1p64), UINT64_MAX);
	cr_expect_eq(exp_whole(0x1p63), UINT64_C(1) << 63);
	cr_expect_eq(exp_whole_signed(1.9), 1);
	cr_expect_eq(exp_whole_signed(-1.9), -1);
	cr_expect_eq(exp_whole_signed(NAN), 0);
	cr_expect_eq(exp_whole_signed(INFINITY), INT64_MAX);
	cr_expect_eq(exp_whole_signed(-INFINITY), INT64_MIN);
	cr_expect_eq(exp_whole_signed(0x1p63), INT64_MAX);
	cr_expect_eq(exp_whole_signed(-0x1p63), INT64_MIN);
}
