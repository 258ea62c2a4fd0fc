/* clock.h: event times to seconds since the start.
 * See doc/decisions/69-untrusted-values.md. */
#ifndef XER_EXPERIMENT_BASE_CLOCK_H
#define XER_EXPERIMENT_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* One moment on two clocks. */
struct exp_clock_point {
	uint64_t ticks;
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW */
};

/* The year 2116: times since 1970 beyond it are damaged. Differences of two such times have no
 * overflow, nor has a sum of two. */
#define EXP_REAL_NS_MAX (UINT64_C(1) << 62)

struct exp_clock {
	struct exp_clock_point start;
	uint64_t start_mono_ns; /* the start on CLOCK_MONOTONIC; 0: unknown */
	double hz;              /* ticks a second, > 0 */
	int is_tsc;
};

/* A number, most often of nanoseconds, as an integer, rounded. Damaged times and rates may be no
 * numbers, or beyond the type: they give 0, or the nearest possible value, since converting them
 * would be undefined. */
static inline uint64_t exp_whole(double number)
{
	if (!(number > 0))
		return 0;
	return number < 0x1p64 ? (uint64_t)(number + 0.5) : UINT64_MAX;
}

/* The same with a sign, truncated instead of rounded. */
static inline int64_t exp_whole_signed(double number)
{
	if (number > -0x1p63)
		return number < 0x1p63 ? (int64_t)number : INT64_MAX;
	return number < 0 ? INT64_MIN : 0;
}

/* Seconds from the start to `ticks`, negative before it. */
double exp_clock_seconds(const struct exp_clock *clock, uint64_t ticks);

/* The event time of a moment on CLOCK_MONOTONIC; 0 if the clock does not know the start on it. */
uint64_t exp_clock_ticks(const struct exp_clock *clock, uint64_t mono_ns);

/* Fit the rate over points[count] and the start. The recorded rate stays where the points span
 * less than half a second or disagree with it by more than one in a thousand. Returns 0, or
 * -ERANGE if that is more than half a second too, as long as a thread may wait for a processor
 * between its readings of two clocks: the clock jumped, for example when a machine was migrated. */
int exp_clock_fit(struct exp_clock *clock, const struct exp_clock_point *points, size_t count);

#endif
