/* runs.h: what runs of the same program differ by, and whether two groups of runs differ.
 *
 * A row is measured in each run: the CPU time of a function, say. A few runs tell little of the
 * variance of one row, but all rows together tell by what factor variances are larger or smaller
 * than expected, and how much rows differ in that. So each row's own variance is moved towards what
 * the others say (Smyth, 2004).
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_STATISTICS_RUNS_H
#define XER_ANALYZER_STATISTICS_RUNS_H

#include "analyzer/statistics/interval.h"

#include <stddef.h>

/* One row in the runs of one group. */
struct runs {
	size_t count;
	double mean,
		variance; /* of single runs, with count - 1 degrees of freedom; 0 if count < 2 */
};

/* Of values[count]. */
struct runs runs_of(const double *values, size_t count);

/* The variance of both groups together, weighted by their degrees of freedom. */
double runs_pooled(const struct runs *from, const struct runs *to);

/* What is known of the variance of a row before one looks at the row: `factor` times the expected
 * one, as surely as `freedom` degrees of freedom tell it; 0: nothing. */
struct runs_prior {
	double factor, freedom;
};

/* Nothing is known. */
#define RUNS_NO_PRIOR ((struct runs_prior){1, 0})

/* From the variances of rows, which were estimated with `freedom` degrees of freedom each, and
 * those that were expected. Rows without an expectation, 0, do not count. */
struct runs_prior runs_learn(const double *variances, const double *expected, size_t count,
                             double freedom);

/* A value that is known from runs: its standard error, and the degrees of freedom of that. */
struct runs_known {
	double value, error, freedom;
};

/* The mean of a row, and the difference of the means of two groups. `expected`: the variance that
 * a single run was expected to have, 0: unknown. A group of a single run has the variance of the
 * other one; if both are single, the expected one counts, without doubt. If nothing is known, the
 * error is INFINITY. */
struct runs_known runs_mean(const struct runs *runs, double expected,
                            const struct runs_prior *prior);
struct runs_known runs_difference(const struct runs *from, const struct runs *to, double expected,
                                  const struct runs_prior *prior);

/* A value that was computed from all runs of a group, from what it is without each of them:
 * without[count], count > 1. The error is that of the jackknife (Tukey, 1958), which for a mean is
 * that of runs_mean, and holds for ratios and other smooth functions of means as well. */
struct runs_known runs_jackknife(double value, const double *without, size_t count);

/* The same value with the errors that two independent groups of runs make in it. */
struct runs_known runs_joined(const struct runs_known *a, const struct runs_known *b);

/* The interval, and the probability that chance alone makes the value so far from 0. An error of 0
 * is none: the probability is 0 then, or 1 for the value 0. */
struct interval runs_interval(const struct runs_known *known);
double runs_chance(const struct runs_known *known);

#endif
