/* Tests of analyzer/report/axis.c. */
#include "analyzer/report/axis.h"

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

Test(axis, hostile_spans_do_not_go_backwards)
{
	static struct maker maker;
	struct experiment *experiment;
	struct exp_cause cause;
	struct exp_fact fact = {.ticks = MAKER_START_TICKS + 1000, .wait_ticks = 400};
	struct axis_span span;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	span = axis_span_of(experiment, 5000, &fact);
	cr_expect_eq(span.end_ns, 6000);
	cr_expect_eq(span.begin_ns, 5600);
	fact.begin_ticks = MAKER_START_TICKS + 2000;
	span = axis_span_of(experiment, 5000, &fact);
	cr_expect_eq(span.begin_ns, span.end_ns);
	cr_expect_eq(axis_ticks_ns(experiment, INT64_MAX, MAKER_START_TICKS + 1), 0);
	experiment_close(experiment);
	maker_destroy(&maker);
}
