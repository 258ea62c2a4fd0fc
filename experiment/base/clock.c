/* clock.c: owns the conversion of event times. One rate serves a whole experiment: the TSC of the
 * machines it is used on is constant, and the recorded rate is off by parts per million only. */
#include "experiment/base/clock.h"

#include <errno.h>
#include <math.h>

#define FIT_SPAN_NS 500000000.0
#define FIT_TOLERANCE 0.001
#define LATE_NS 500000000.0

double exp_clock_seconds(const struct exp_clock *clock, uint64_t ticks)
{
	return (double)(int64_t)(ticks - clock->start.ticks) / clock->hz;
}

uint64_t exp_clock_ticks(const struct exp_clock *clock, uint64_t mono_ns)
{
	if (clock->start_mono_ns == 0)
		return 0;
	return clock->start.ticks +
	       (uint64_t)exp_whole_signed((double)(int64_t)(mono_ns - clock->start_mono_ns) * 1e-9 *
	                                  clock->hz);
}

int exp_clock_fit(struct exp_clock *clock, const struct exp_clock_point *points, size_t count)
{
	const struct exp_clock_point *last = NULL;
	double span_ns, rate, off_ns;

	for (size_t i = 0; i < count; i++)
		if (points[i].raw_ns > clock->start.raw_ns &&
		    (!last || points[i].raw_ns > last->raw_ns))
			last = &points[i];
	if (!last || !clock->is_tsc || clock->start.raw_ns == 0)
		return 0;
	span_ns = (double)(last->raw_ns - clock->start.raw_ns);
	if (span_ns < FIT_SPAN_NS)
		return 0;
	rate = (double)(int64_t)(last->ticks - clock->start.ticks) * 1e9 / span_ns;
	off_ns = fabs(rate / clock->hz - 1) * span_ns;
	if (off_ns > FIT_TOLERANCE * span_ns)
		return off_ns > LATE_NS ? -ERANGE : 0;
	clock->hz = rate;
	return 0;
}
