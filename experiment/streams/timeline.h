/* timeline.h: how much of the heap was live over the time of the recording, in a fixed number of
 * rows. */
#ifndef XER_EXPERIMENT_STREAMS_TIMELINE_H
#define XER_EXPERIMENT_STREAMS_TIMELINE_H

#include "experiment/base/clock.h"
#include "experiment/experiment.h"

#include <stdint.h>

/* The length of the recording is not known before its end: when the rows are full, each two become
 * one of twice the length. Zeroed but for `start`: no event yet. */
struct exp_timeline {
	uint64_t start;  /* ticks where the first row begins */
	uint64_t width;  /* ticks of a row */
	uint64_t passed; /* ticks from the start to the latest event */
	uint64_t until;  /* ticks from the start to the end of the row that is being filled */
	unsigned count;  /* rows that are complete */
	uint64_t bytes[EXP_MOMENTS_MAX], blocks[EXP_MOMENTS_MAX]; /* live where a row ends */
};

/* Complete the rows that end before `passed`; see exp_timeline_reach. */
void exp_timeline_complete(struct exp_timeline *timeline, uint64_t bytes, uint64_t blocks);

/* An event is about to change what is live: bytes, blocks. */
static inline void exp_timeline_reach(struct exp_timeline *timeline, uint64_t tsc, uint64_t bytes,
                                      uint64_t blocks)
{
	uint64_t passed = tsc > timeline->start ? tsc - timeline->start : 0;

	if (passed <= timeline->passed)
		return;
	timeline->passed = passed;
	if (passed >= timeline->until)
		exp_timeline_complete(timeline, bytes, blocks);
}

/* Write the rows to moments[EXP_MOMENTS_MAX]; the last is the latest event, when bytes and blocks
 * were live. Returns how many. */
unsigned exp_timeline_tell(const struct exp_timeline *timeline, const struct exp_clock *clock,
                           uint64_t bytes, uint64_t blocks, struct exp_heap_moment *moments);

#endif
