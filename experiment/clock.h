/* clock.h: event times to seconds since the start. */
#ifndef XER_EXPERIMENT_CLOCK_H
#define XER_EXPERIMENT_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* One moment on two clocks. */
struct exp_clock_point {
	uint64_t ticks;
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW */
};

struct exp_clock {
	struct exp_clock_point start;
	uint64_t start_mono_ns; /* the start on CLOCK_MONOTONIC; 0: unknown */
	double hz; /* ticks a second, > 0 */
	int is_tsc;
};

/* A duration as a whole number, rounded. What is no duration, or too long for the type, as hostile times and rates make it,
 * gives 0 or UINT64_MAX: converting it would be undefined. */
static inline uint64_t exp_clock_whole(double duration)
{
	if (!(duration > 0))
		return 0;
	return duration < 0x1p64 ? (uint64_t)(duration + 0.5) : UINT64_MAX;
}

/* Seconds from the start to `ticks`, negative before it. */
double exp_clock_seconds(const struct exp_clock *clock, uint64_t ticks);

/* The event time of a moment on CLOCK_MONOTONIC; 0 if the clock does not know the start on it. */
uint64_t exp_clock_ticks(const struct exp_clock *clock, uint64_t mono_ns);

/* Fit the rate over points[count] and the start. The recorded rate stays where the points span
 * less than half a second or disagree with it by more than one in a thousand. Returns 0, or
 * -ERANGE if that is more than half a second too, as long as a thread may wait for a processor between its readings
 * of two clocks: the clock jumped, for example when a machine was migrated. */
int exp_clock_fit(struct exp_clock *clock, const struct exp_clock_point *points, size_t count);

#endif
