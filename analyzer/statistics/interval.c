/* interval.c: see interval.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/interval.h"

#include <math.h>

double interval_effective(double sum, double squares)
{
	return squares > 0 ? sum * sum / squares : 0;
}

/* The score interval of Wilson (1927). Its ends stay between 0 and 1, and it is usable for shares
 * of no or few samples. */
struct interval interval_share(double share, double effective)
{
	double square = INTERVAL_DEVIATIONS * INTERVAL_DEVIATIONS, middle, reach;
	struct interval interval = {0, 1};

	if (!(effective > 0))
		return interval;
	middle = (share + square / (2 * effective)) / (1 + square / effective);
	reach = INTERVAL_DEVIATIONS *
	        sqrt(share * (1 - share) / effective + square / (4 * effective * effective)) /
	        (1 + square / effective);
	if (share > 0)
		interval.low = fmax(0, middle - reach);
	if (share < 1)
		interval.high = fmin(1, middle + reach);
	return interval;
}

/* The score interval of the mean of a Poisson distribution: those means from which `count` is not
 * farther than it may be, (count - mean)^2 <= deviations^2 * mean. */
struct interval interval_count(double count)
{
	double square = INTERVAL_DEVIATIONS * INTERVAL_DEVIATIONS, middle = count + square / 2;
	double reach = INTERVAL_DEVIATIONS * sqrt(count + square / 4);

	return (struct interval){fmax(0, middle - reach), middle + reach};
}

struct interval interval_part(double value, double whole, double effective)
{
	struct interval interval = interval_share(fmin(1, value / whole), effective);

	return (struct interval){interval.low * whole, interval.high * whole};
}

struct interval interval_units(double value, double unit)
{
	struct interval interval = interval_count(value / unit);

	return (struct interval){interval.low * unit, interval.high * unit};
}

struct interval interval_estimate(double value, double variance)
{
	if (value <= 0 || variance <= 0)
		return (struct interval){value, value};
	return interval_units(value, variance / value);
}

double interval_reach(struct interval interval, double value)
{
	return fmax(interval.high - value, value - interval.low);
}
