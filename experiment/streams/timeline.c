/* timeline.c: rows of equal length over a recording whose length is not known before its end. */
#include "experiment/streams/timeline.h"

enum {
	ROWS = EXP_MOMENTS_MAX - 1 /* the last moment is the latest event */,
	FIRST_WIDTH = 1 << 12
};

/* Later is damage; rows up to there do not overflow. */
#define PASSED_MAX ((uint64_t)1 << 57)

_Static_assert(ROWS % 2 == 0, "rows are joined by twos");

static void join_rows(struct exp_timeline *timeline)
{
	timeline->count = ROWS / 2;
	timeline->width *= 2;
	for (unsigned i = 0; i < timeline->count; i++) {
		timeline->bytes[i] = timeline->bytes[2 * i + 1];
		timeline->blocks[i] = timeline->blocks[2 * i + 1];
	}
}

void exp_timeline_complete(struct exp_timeline *timeline, uint64_t bytes, uint64_t blocks)
{
	if (timeline->passed > PASSED_MAX)
		timeline->passed = PASSED_MAX;
	if (timeline->width == 0) {
		timeline->width = FIRST_WIDTH;
		timeline->until = FIRST_WIDTH;
	}
	while (timeline->passed >= timeline->until) {
		if (timeline->count == ROWS) {
			join_rows(timeline);
		} else {
			timeline->bytes[timeline->count] = bytes;
			timeline->blocks[timeline->count++] = blocks;
		}
		timeline->until = (timeline->count + 1) * timeline->width;
	}
}

unsigned exp_timeline_tell(const struct exp_timeline *timeline, const struct exp_clock *clock,
                           uint64_t bytes, uint64_t blocks, struct exp_heap_moment *moments)
{
	unsigned count = timeline->count;

	for (unsigned i = 0; i < count; i++)
		moments[i] = (struct exp_heap_moment){
			exp_clock_seconds(clock, timeline->start + (i + 1) * timeline->width),
			timeline->bytes[i], timeline->blocks[i]};
	moments[count] = (struct exp_heap_moment){
		exp_clock_seconds(clock, timeline->start + timeline->passed), bytes, blocks};
	return count + 1;
}
