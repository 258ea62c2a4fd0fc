/* Tests of analyzer/model/metric.c: one metric, and numbers. */
#include "analyzer/model/metric.h"

#include <criterion/criterion.h>

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
