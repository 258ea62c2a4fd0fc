/* How many blocks and bytes were live in the course of the recording. */
#include "experiment/streams/timeline.h"

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

static const struct exp_clock clock = {.start = {.ticks = MAKER_START_TICKS}, .hz = MAKER_HZ};

/* One block, a byte larger, at every `step` ticks, up to `count`. Returns the number of moments. */
static unsigned grow(uint64_t step, uint64_t count, struct exp_heap_moment *moments)
{
	struct exp_timeline timeline = {.start = MAKER_START_TICKS};

	for (uint64_t i = 0; i < count; i++)
		exp_timeline_reach(&timeline, MAKER_START_TICKS + (i + 1) * step, i, i);
	return exp_timeline_tell(&timeline, &clock, count, count, moments);
}

Test(timeline, rows_are_equally_far_apart_and_tell_what_lived_there)
{
	static const uint64_t steps[] = {1, 1000, 4096, 1000000, 777777777};
	struct exp_heap_moment moments[EXP_MOMENTS_MAX];

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double step = (double)steps[i] * 1e-9;
		unsigned count = grow(steps[i], 100000, moments);

		cr_assert(count > EXP_MOMENTS_MAX / 2 && count <= EXP_MOMENTS_MAX);
		cr_assert_eq(moments[count - 1].bytes, 100000);
		cr_assert_float_eq(moments[count - 1].time_s, 100000 * step, step / 1000);
		for (unsigned j = 0; j + 1 < count; j++) {
			cr_assert_float_eq(moments[j].time_s, (j + 1) * moments[0].time_s, 1e-9);
			/* An event at the very end of a row belongs to the next one. */
			cr_assert(moments[j].bytes * step < moments[j].time_s + 1e-12);
			cr_assert((moments[j].bytes + 1) * step >= moments[j].time_s - 1e-12);
		}
	}
}

Test(timeline, wild_times_do_no_harm)
{
	static const uint64_t times[] = {0, 5, UINT64_MAX, MAKER_START_TICKS, UINT64_MAX - 1, 1};
	struct exp_timeline timeline = {.start = MAKER_START_TICKS};
	struct exp_heap_moment moments[EXP_MOMENTS_MAX];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		exp_timeline_reach(&timeline, times[i], i, i);
	cr_assert(exp_timeline_tell(&timeline, &clock, 7, 7, moments) <= EXP_MOMENTS_MAX);
}

Test(timeline, one_event_is_one_moment)
{
	struct exp_heap_moment moments[EXP_MOMENTS_MAX];

	cr_assert_eq(grow(10, 1, moments), 1);
	cr_assert_eq(moments[0].blocks, 1);
}
