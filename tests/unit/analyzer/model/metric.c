/* Tests of analyzer/model/metric.c: one metric, and numbers. */
#include "analyzer/model/metric.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(metric, letters_of_flavors)
{
	cr_assert_eq(metric_flavor_of('e'), METRIC_EXCLUSIVE);
	cr_assert_eq(metric_flavor_of('I'), METRIC_INCLUSIVE);
	cr_assert_eq(metric_flavor_of('a'), METRIC_ATTRIBUTED);
	cr_assert_eq(metric_flavor_of('.'), METRIC_PLAIN);
	cr_assert_str_eq(metric_flavor_heading(METRIC_EXCLUSIVE), "Excl.");
	cr_assert_str_eq(metric_flavor_heading(METRIC_PLAIN), "");
}

Test(metric, counters_that_no_experiment_has_are_not_there)
{
	cr_assert(metric_is_there(METRIC_TOTALCPU));
	cr_assert_not(metric_is_there(METRIC_COUNTER0));
	cr_assert_not(metric_is_there(METRIC_IPC));
	cr_assert_eq(metric_data_of(METRIC_COUNTER0), METRIC_DATA_STATIC);
	cr_assert_eq(metric_kind_of(METRIC_COUNTER0), EXP_DATA_COUNTERS);
}

/* Digits behind the point, and u where the unit is microseconds. */
static const char *scale(unsigned id, uint64_t greatest_ns, double sample_ns)
{
	static char text[32];
	struct metric_scale scale = metric_scale_of(id, greatest_ns, sample_ns);

	snprintf(text, sizeof(text), "%u%s", scale.digits, scale.unit_ns == 1000 ? "u" : "");
	cr_assert_str_eq(metric_scale_unit(&scale), scale.unit_ns == 1000 ? "usec." : "sec.");
	return text;
}

Test(metric, the_last_digit_of_sampled_times_is_a_sample)
{
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 1e6), "3");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 0.99e6), "3", "weights vary");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 0.49e6), "4");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 10e6), "2");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 100e6), "1");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 1000e9, 10e9), "0");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 10e9, 10), "6", "no more than that");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 32e6, 10e6), "3", "four samples are not all 0");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 304e6, 7e6), "2");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 141200, 141200), "6");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 900000, 10000), "5");
}

Test(metric, exact_times_have_digits_that_suit_them)
{
	cr_expect_str_eq(scale(METRIC_SYNC, 0, 0), "3");
	cr_expect_str_eq(scale(METRIC_SYNC, 100000000, 0), "3");
	cr_expect_str_eq(scale(METRIC_SYNC, 99999999, 0), "6");
	cr_expect_str_eq(scale(METRIC_SYNC, 1000000, 0), "6");
	cr_expect_str_eq(scale(METRIC_SYNC, 999999, 0), "3u");
	cr_expect_str_eq(scale(METRIC_SYNC, 1, 0), "3u");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 99999999, 0), "3", "CPU time of threads");
	cr_expect_str_eq(scale(METRIC_BLOCKED, 99999999, 0), "3");
	cr_expect_str_eq(scale(METRIC_TOTALCPU, 999999, 0), "3");
	cr_expect_str_eq(scale(METRIC_WAIT, 999, 0), "3");
}

Test(metric, times_are_written_by_their_scale)
{
	const struct metric_scale whole = {METRIC_SECOND_NS, 0}, fine = {METRIC_SECOND_NS, 6},
				  micro = {1000, 3};
	char text[METRIC_TEXT_MAX];

	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 1499999999, &whole, text), "1");
	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 1500000000, &whole, text), "2");
	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 35506499, &fine, text), "0.035506");
	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 35506500, &fine, text), "0.035507");
	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 30284, &micro, text), "30.284");
	cr_assert_str_eq(metric_format_scaled(METRIC_SYNC, 81, &micro, text), "0.081");
	cr_assert_str_eq(metric_format_scaled(METRIC_HEAPALLOCCNT, 81, &micro, text), "81");
}

Test(metric, numbers_are_rounded_and_plain)
{
	char text[METRIC_TEXT_MAX];

	cr_assert_str_eq(metric_format(METRIC_TOTALCPU, 1499999, text), "0.001");
	cr_assert_str_eq(metric_format(METRIC_TOTALCPU, 1500000, text), "0.002");
	cr_assert_str_eq(metric_format(METRIC_TOTALCPU, 9999500000, text), "10.000");
	cr_assert_str_eq(metric_format(METRIC_HEAPALLOCBYTES, UINT64_MAX, text),
	                 "18446744073709551615");
	cr_assert_str_eq(metric_format(METRIC_ADDRESS, 0x1139, text), "0x00001139");
	cr_assert_str_eq(metric_format_percent(1, 3, text), "33.33");
	cr_assert_str_eq(metric_format_percent(1, 0, text), "0.00");
}
