/* lane.h: a CPU while it is sampled: its ring, and the file that its samples are written to. */
#ifndef XER_PERF_LANE_H
#define XER_PERF_LANE_H

#include "sampler/region.h"
#include "sampler/ring.h"

/* What a record of a file is: its kinds, as region_put takes them. */
enum lane_kind { LANE_SAMPLE, LANE_ONE_FRAME, LANE_CUT_STACK, LANE_DEEP_STACK, LANE_OF_ARCHIVER };

struct lane {
	unsigned cpu;
	struct ring ring;
	struct region region; /* the file; its counts are by enum lane_kind */
	struct ring_counts counts;
	struct ring_record record; /* the oldest that is not taken */
	int has_record;
};

/* Begin the file of a CPU, of file_bytes at most, in the directory `files`. Returns 0 or -errno;
 * then there is no file. */
int lane_begin_file(struct lane *lane, unsigned cpu, int files, uint64_t file_bytes);

/* Write the sample that the ring has given; the context is the lane, as ring_take wants it. */
void lane_take(void *context, const struct ring_sample *sample);

/* Cut the file behind its last record, which tells of losses if there were any, and close it. */
void lane_end_file(struct lane *lane);

/* Delete the file. It stays open. */
void lane_remove_file(const struct lane *lane, int files);

#endif
