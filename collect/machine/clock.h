/* clock.h: the clock of event times, and its start and rate as log.xml records them. */
#ifndef XER_COLLECT_MACHINE_CLOCK_H
#define XER_COLLECT_MACHINE_CLOCK_H

#include <stdint.h>

/* The same moment on all clocks. */
struct clock_moment {
	uint64_t ticks; /* of the event clock */
	uint64_t raw_ns;
	uint64_t real_ns;
	uint64_t mono_ns;
};

struct clock_source {
	int is_tsc;                /* 0: ticks are CLOCK_MONOTONIC_RAW ns */
	uint64_t hz;               /* ticks a second */
	struct clock_moment begin; /* of the calibration */
};

/* Choose the clock and take the first reading of its calibration. */
void clock_begin(struct clock_source *clock);

/* Take the last reading, at least a millisecond after the first (waits if necessary), and compute
 * the rate. *start is the moment at which the call ends. */
void clock_end(struct clock_source *clock, struct clock_moment *start);

#endif
