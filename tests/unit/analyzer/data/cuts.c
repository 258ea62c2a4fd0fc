/* Tests of the moments at which expressions of time change their values. */
#include "analyzer/data/cuts.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MS = 1000000 };
#define SECOND UINT64_C(1000000000)
static const uint64_t t = MAKER_START_TICKS;

static struct maker maker;
static struct experiment *experiment;
static struct filter_place place;
static const struct exp_usage usage[] = {{.time_s = 0.25}, {.time_s = 1.5}};
static const struct exp_data_set whole = {.usage = usage, .usage_count = 2};

/* The founder began 100 ms before. */
static void set_up(void)
{
	struct exp_cause cause;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	place = (struct filter_place){
		.experiment = experiment, .info = experiment_info(experiment), .whole = &whole};
	place.founder_real_ns = place.info->start_real_ns - 100 * MS;
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(cuts, .init = set_up, .fini = tear_down);

static struct cuts *make(const char *text)
{
	struct expression_error error;
	struct expression *expression = expression_compile(text, &error);
	const struct expression *list[] = {NULL, expression};
	struct cuts *cuts;

	cr_assert_not_null(expression, "%s: %s", text, error.text);
	cuts = cuts_create(list, 2, &place);
	expression_destroy(expression);
	return cuts;
}

/* The next cuts after the start, in ns of the process; 0 ends them. */
static void has(const char *text, const uint64_t *expected)
{
	struct cuts *cuts = make(text);
	uint64_t at = t;

	cr_assert_not_null(cuts, "%s", text);
	for (; *expected != 0; expected++) {
		at = cuts_next(cuts, at);
		cr_expect_eq(at - t, *expected, "%s: %llu", text, (unsigned long long)(at - t));
	}
	cuts_destroy(cuts);
}

Test(cuts, expressions_without_time_have_none)
{
	cr_assert_null(make("THRID == 3 && EVT_TIME > 1000"));
	cr_assert_null(make("1"));
	cuts_destroy(NULL);
}

Test(cuts, seconds_are_those_of_the_founder)
{
	has("SECONDS == 1",
	    (const uint64_t[]){900 * MS, SECOND + 900 * MS, 2 * SECOND + 900 * MS, 0});
}

Test(cuts, numbers_that_times_are_compared_with_are_moments)
{
	struct cuts *cuts = make("TSTAMP >= 300000000 && TSTAMP_LO < 500000000");

	cr_assert_eq(cuts_next(cuts, t) - t, 200 * MS, "since the founder's start");
	cr_assert_eq(cuts_next(cuts, t + 200 * MS) - t, 300 * MS, "or its own, if it were that");
	cr_assert_eq(cuts_next(cuts, t + 300 * MS) - t, 400 * MS);
	cr_assert_eq(cuts_next(cuts, t + 500 * MS), UINT64_MAX);
	cuts_destroy(cuts);
}

Test(cuts, numbers_that_times_are_divided_by_are_slices)
{
	struct cuts *cuts = make("ETSTAMP / 250000000");
	uint64_t at = t;

	for (int i = 0; i < 3; i++) {
		while ((at - t) % (250 * MS) != 0 || at == t)
			at = cuts_next(cuts, at);
		at++;
	}
	cr_assert_lt(at - t, SECOND);
	cuts_destroy(cuts);
}

static void expect_to_go_on(const char *text)
{
	struct cuts *cuts = make(text);

	cr_assert_not_null(cuts, "%s", text);
	for (uint64_t at = t, next, i = 0; i < 100 && at != UINT64_MAX; at = next, i++) {
		next = cuts_next(cuts, at);
		cr_assert_gt(next, at, "%s", text);
	}
	cuts_destroy(cuts);
}

Test(cuts, no_time_is_divided_by_nothing)
{
	expect_to_go_on("TSTAMP / 0 == 0");
	expect_to_go_on("TSTAMP % 0 == 1");
	expect_to_go_on("TSTAMP / -5 == 1");
}

Test(cuts, more_numbers_than_are_looked_at_do_no_harm)
{
	char text[1024] = "TSTAMP / 250000000 == 3";

	for (int i = 1; i < 20; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " || TSTAMP / %d == 3",
		         250000000 + i);
	expect_to_go_on(text);
}

Test(cuts, samples_end_where_they_were_taken)
{
	has("SAMPLE == 2", (const uint64_t[]){250 * MS, 1500 * MS, 0});
}

Test(cuts, times_and_event_times_are_the_same)
{
	for (int64_t ns = -5; ns < 2000; ns += 7) {
		uint64_t ticks = experiment_time_ticks(experiment, ns);

		cr_expect_geq(experiment_time_ns(experiment, ticks), ns);
		cr_expect_lt(experiment_time_ns(experiment, ticks - 1), ns);
	}
}
