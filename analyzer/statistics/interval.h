/* interval.h: intervals that hold the true value in 95 of 100 recordings.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_STATISTICS_INTERVAL_H
#define XER_ANALYZER_STATISTICS_INTERVAL_H

/* The part of recordings in which an interval does not hold the true value. */
#define INTERVAL_OUTSIDE 0.05

/* Of the normal distribution, so much lies farther from the mean than this many standard
 * deviations: student_bound(INTERVAL_OUTSIDE, INFINITY). */
#define INTERVAL_DEVIATIONS 1.959963984540054

struct interval {
	double low, high;
};

/* The number of equal samples that tell as much as samples of different weights, from the sum of
 * the weights and that of their squares (Kish, 1965). 0 if there are none. */
double interval_effective(double sum, double squares);

/* Of a share, 0 to 1, that so many effective samples tell. Without samples: 0 to 1. */
struct interval interval_share(double share, double effective);

/* Of a number of events that happen at random, of which `count` were seen. */
struct interval interval_count(double count);

/* Of a value that is a part of `whole`, which is known exactly, as so many effective samples tell.
 */
struct interval interval_part(double value, double whole, double effective);

/* Of a value that is a sum of what chosen blocks stand for: a unit of it counts as an event. */
struct interval interval_units(double value, double unit);

/* Of a value that is a sum of estimates, by an estimate of its variance: as if it came in equal
 * pieces. Variance 0: it is exact. */
struct interval interval_estimate(double value, double variance);

/* How far the farther end is from the value. */
double interval_reach(struct interval interval, double value);

#endif
