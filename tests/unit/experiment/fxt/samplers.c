/* The helpers of samplers: whether they are running, and have written their counts. */
#include "experiment/fxt/samplers.h"
#include "tests/unit/experiment/make_samples.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct maker maker;
static struct experiment *experiment;

static void begin(const char *elements)
{
	uint64_t words[64];

	maker_sampler(&maker, elements, "cpu0", words);
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

#define COUNTERS "<setting name=\"counters\" value=\"page-faults,10 cycles,5\"/>\n"
#define COUNT(of) "<count name=\"" of "_samples\" value=\"0\"/>\n"

/* Of two counters, only the first one has a directory here: the helper of the second was
 * refused. */
Test(samplers, helpers_that_end_before_their_counts_are_told_of)
{
	static const struct {
		const char *log;
		unsigned untold;
	} rows[] = {
		{SETTING CLOCK EXIT, 1},
		{SETTING CLOCK EXIT COUNT("sampler"), 0},
		{SETTING COUNTERS CLOCK EXIT COUNT("sampler"), 1},
		{SETTING COUNTERS CLOCK EXIT COUNT("counter0"), 1},
		{SETTING COUNTERS CLOCK EXIT COUNT("sampler") COUNT("counter0"), 0},
		{SETTING "<setting name=\"sampler_timers\" value=\"1\"/>\n" CLOCK EXIT, 0},
		{CLOCK EXIT, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[256];

		begin(rows[i].log);
		snprintf(path, sizeof(path), "%s/counter0", maker.path);
		cr_assert_eq(mkdir(path, 0755), 0);
		maker_load(&maker, &experiment);
		cr_expect_eq(experiment_info(experiment)->untold, rows[i].untold, "%s",
		             rows[i].log);
		cr_expect_eq(maker.warnings, 0);
		end();
	}
}

static int lock_of(const char *helper)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", maker.path, helper);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	return fd;
}

Test(samplers, a_helper_at_work_has_time_to_tell)
{
	int lock;

	begin(SETTING CLOCK EXIT);
	lock = lock_of("sampler");
	maker_load(&maker, &experiment);
	cr_expect_eq(experiment_info(experiment)->untold, 0);
	close(lock);
	end();
}

Test(samplers, so_has_that_of_the_last_counter)
{
	char path[256];
	int lock;

	begin(SETTING COUNTERS CLOCK EXIT COUNT("sampler"));
	snprintf(path, sizeof(path), "%s/counter1", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	lock = lock_of("counter1");
	maker_load(&maker, &experiment);
	cr_expect_eq(experiment_info(experiment)->untold, 0);
	close(lock);
	end();
}

/* An experiment that an exec has ended has its samples up to then; any other one, all. */
Test(samplers, their_span_ends_where_the_program_does)
{
	static const struct exp_event events[] = {{.kind = "exit"}, {.kind = "exec"}};
	uint64_t ticks[] = {1200, 1500}, from, to;
	struct experiment one = {.clock = {.hz = 1e9, .start_mono_ns = 7000, .start.ticks = 1000},
	                         .info = {.status = EXP_EXECED, .events = events, .event_count = 2},
	                         .event_ticks = ticks};

	exp_sampler_span(&one, &from, &to);
	cr_expect(from == 7000 && to == 7500, "%lu to %lu", from, to);
	one.info.status = EXP_ENDED;
	exp_sampler_span(&one, &from, &to);
	cr_expect(from == 7000 && to == UINT64_MAX, "%lu to %lu", from, to);
	one.info.status = EXP_EXECED;
	one.directory = -1;
	exp_sampler_span(&one, &from, &to);
	cr_expect(to == UINT64_MAX, "%lu", to);
	one.began_ns = 10;
	one.ended_ns = 20;
	exp_sampler_span(&one, &from, &to);
	cr_expect(from == 10 && to == 19, "%lu to %lu", from, to);
}

/* The n-th sampler of an experiment with these settings; NULL if there is none. */
static const struct exp_sampler *sampler_of(const char *settings, unsigned n)
{
	static struct exp_sampler sampler;
	struct exp_cause cause;
	int rc;

	begin(settings);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	rc = exp_sampler_get(experiment, n, &sampler);
	end();
	experiment = NULL;
	return rc == 0 ? &sampler : NULL;
}

#define COUNTED(value) "<setting name=\"counters\" value=\"" value "\"/>\n" CLOCK EXIT

Test(samplers, each_counter_has_its_event_and_its_interval)
{
	static const struct {
		const char *settings;
		unsigned n;
		const char *event;
		uint64_t period;
	} rows[] = {{COUNTED("page-faults,10 cycles,5"), 1, "page-faults", 10},
	            {COUNTED("page-faults,10 cycles,5"), 2, "cycles", 5},
	            {COUNTED("page-faults,10   cycles,5 "), 2, "cycles", 5},
	            {COUNTED("cpu/event=0x3c/,2000003"), 1, "cpu/event=0x3c/", 2000003},
	            {COUNTED("r1,18446744073709551615"), 1, "r1", UINT64_MAX},
	            {COUNTED("x,90"), 1, "x", 90}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct exp_sampler *got = sampler_of(rows[i].settings, rows[i].n);

		cr_assert_not_null(got, "row %zu", i);
		cr_expect_str_eq(got->event, rows[i].event);
		cr_expect_eq(got->period, rows[i].period);
	}
}

Test(samplers, what_is_no_counter_is_none)
{
	static const struct {
		const char *settings;
		unsigned n;
	} rows[] = {{COUNTED("page-faults,10 cycles,5"), 3},
	            {COUNTED(""), 1},
	            {CLOCK EXIT, 1},
	            {COUNTED("cycles"), 1},
	            {COUNTED("cycles,"), 1},
	            {COUNTED(",5"), 1},
	            {COUNTED("cycles,0"), 1},
	            {COUNTED("cycles,-5"), 1},
	            {COUNTED("cycles,:5"), 1},
	            {COUNTED("cycles,5x"), 1},
	            {COUNTED("cycles, 5"), 1},
	            {COUNTED("cycles,18446744073709551616"), 1},
	            {"<setting name=\"counters\" value=\"cycles,5\"/>\n" EXIT, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_null(sampler_of(rows[i].settings, rows[i].n), "row %zu", i);
}

Test(samplers, the_first_one_is_that_of_cpu_time)
{
	const struct exp_sampler *got = sampler_of(SETTING CLOCK EXIT, 0);

	cr_assert_not_null(got);
	cr_expect_str_empty(got->event);
	cr_expect_eq(got->period, 250000);
	cr_expect_null(sampler_of(CLOCK EXIT, 0));
	cr_expect_null(sampler_of("<setting name=\"sampler_ns\" value=\"0\"/>\n" CLOCK EXIT, 0));
	cr_expect_null(sampler_of("<setting name=\"sampler_ns\" value=\"x\"/>\n" CLOCK EXIT, 0));
	cr_expect_null(sampler_of(
		SETTING "<setting name=\"sampler_timers\" value=\"1\"/>\n" CLOCK EXIT, 0));
}
