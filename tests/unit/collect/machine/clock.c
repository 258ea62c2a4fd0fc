/* Tests of the choice and the rate of the clock. */
#include "collect/machine/clock.h"

#include <criterion/criterion.h>
#include <time.h>

static int64_t now(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

Test(clock, moments_are_between_their_calls)
{
	struct clock_source clock;
	struct clock_moment start;
	int64_t raw[] = {now(CLOCK_MONOTONIC_RAW), 0}, mono[] = {now(CLOCK_MONOTONIC), 0},
		real[] = {now(CLOCK_REALTIME), 0};

	clock_begin(&clock);
	clock_end(&clock, &start);
	raw[1] = now(CLOCK_MONOTONIC_RAW);
	mono[1] = now(CLOCK_MONOTONIC);
	real[1] = now(CLOCK_REALTIME);
	cr_expect((int64_t)clock.begin.raw_ns >= raw[0] && clock.begin.raw_ns < start.raw_ns &&
	          (int64_t)start.raw_ns <= raw[1]);
	cr_expect((int64_t)clock.begin.mono_ns >= mono[0] && clock.begin.mono_ns < start.mono_ns &&
	          (int64_t)start.mono_ns <= mono[1]);
	cr_expect((int64_t)clock.begin.real_ns >= real[0] && clock.begin.real_ns < start.real_ns &&
	          (int64_t)start.real_ns <= real[1]);
	cr_expect_lt(clock.begin.ticks, start.ticks);
}

/* At least a millisecond passes between the two readings. */
Test(clock, ticks_have_the_rate_that_is_told)
{
	struct clock_source clock;
	struct clock_moment start;
	double ns;

	clock_begin(&clock);
	clock_end(&clock, &start);
	ns = (double)(start.ticks - clock.begin.ticks) * 1e9 / (double)clock.hz;
	cr_expect_float_eq(ns, (double)(start.raw_ns - clock.begin.raw_ns), 2);
	if (clock.is_tsc) {
		cr_expect_geq(start.raw_ns - clock.begin.raw_ns, 1000000);
		cr_expect(clock.hz > 100000000 && clock.hz < 20000000000);
	} else {
		cr_expect_eq(clock.hz, 1000000000);
		cr_expect_eq(start.ticks, start.raw_ns);
	}
}
