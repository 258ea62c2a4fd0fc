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

#endif
