/* runs.c: see runs.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/runs.h"

#include "analyzer/statistics/distribution.h"

#include <math.h>

enum { ROWS_MIN = 3 }; /* fewer rows tell nothing of how rows differ */

struct runs runs_of(const double *values, size_t count)
{
	struct runs runs = {.count = count};
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		runs.mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - runs.mean) * (values[i] - runs.mean);
	if (count > 1)
		runs.variance = squares / (double)(count - 1);
	return runs;
}

static double freedom_of(const struct runs *runs)
{
	return runs->count > 1 ? (double)(runs->count - 1) : 0;
}

double runs_pooled(const struct runs *from, const struct runs *to)
{
	double freedom = freedom_of(from) + freedom_of(to);

	if (freedom == 0)
		return 0;
	return (freedom_of(from) * from->variance + freedom_of(to) * to->variance) / freedom;
}

/* The logarithm of an estimated variance of 1 has this mean. */
static double log_mean(double freedom)
{
	return digamma(freedom / 2) - log(freedom / 2);
}

/* Half a standard error is added to the variance that rows have beyond chance: to believe that all
 * rows are alike, because that of a few rows happens to be small, finds changes where none are. */
#define DOUBT 0.5

static double doubt_of(size_t rows, double freedom)
{
	double chance = trigamma(freedom / 2);
	double kurtosis = pentagamma(freedom / 2) / (chance * chance);

	return DOUBT * chance * sqrt(2 / (double)(rows - 1) + kurtosis / (double)rows);
}

/* Variances that are `factor` times the expected ones, where the factor of a row is that of all,
 * divided by a chi square of so much freedom: their logarithms have a known mean and variance, from
 * which both numbers follow (Smyth, 2004, section 6.2). */
struct runs_prior runs_learn(const double *variances, const double *expected, size_t count,
                             double freedom)
{
	struct runs_prior prior = RUNS_NO_PRIOR;
	double mean = 0, squares = 0, excess;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		double value, step;

		if (!(variances[i] > 0) || !(expected[i] > 0))
			continue;
		value = log(variances[i] / expected[i]) - log_mean(freedom);
		step = value - mean;
		mean += step / (double)++used;
		squares += step * (value - mean);
	}
	if (used < ROWS_MIN)
		return prior;
	excess = fmax(0, squares / (double)(used - 1) - trigamma(freedom / 2));
	prior.freedom = 2 * trigamma_inverse(excess + doubt_of(used, freedom));
	prior.factor = exp(mean + log_mean(prior.freedom));
	return prior;
}

/* The variance of a row when both what was known before and what was measured count, and its
 * degrees of freedom. */
static double moderate(const struct runs_prior *prior, double expected, double variance,
                       double *freedom)
{
	double before = expected > 0 ? prior->freedom : 0, sum = before + *freedom;

	if (isinf(before))
		variance = prior->factor * expected;
	else if (sum > 0)
		variance = (before * prior->factor * expected + *freedom * variance) / sum;
	*freedom = sum;
	return variance;
}

/* The variance of single runs where a row has only one run. */
static struct runs_known single(double value, double expected, double parts)
{
	struct runs_known known = {value, INFINITY, INFINITY};

	if (expected > 0)
		known.error = sqrt(expected * parts);
	return known;
}

struct runs_known runs_mean(const struct runs *runs, double expected,
                            const struct runs_prior *prior)
{
	double freedom = freedom_of(runs), variance;

	if (freedom == 0)
		return single(runs->mean, expected, 1);
	variance = moderate(prior, expected, runs->variance, &freedom);
	return (struct runs_known){runs->mean, sqrt(variance / (double)runs->count), freedom};
}

/* The freedom of a sum of variances (Welch, 1947). */
static double joint_freedom(double a, double freedom_a, double b, double freedom_b)
{
	double sum = a + b;

	return sum > 0 ? sum * sum / (a * a / freedom_a + b * b / freedom_b)
	               : freedom_a + freedom_b;
}

/* Groups of the same size, or of which one has a single run, have one variance. Otherwise each has
 * its own. */
struct runs_known runs_difference(const struct runs *from, const struct runs *to, double expected,
                                  const struct runs_prior *prior)
{
	double value = to->mean - from->mean,
	       parts = 1 / (double)from->count + 1 / (double)to->count;
	double of_from = freedom_of(from), of_to = freedom_of(to), freedom = of_from + of_to;
	double a, b;

	if (freedom == 0)
		return single(value, expected, parts);
	if (of_from == 0 || of_to == 0 || of_from == of_to) {
		a = moderate(prior, expected, runs_pooled(from, to), &freedom);
		return (struct runs_known){value, sqrt(a * parts), freedom};
	}
	a = moderate(prior, expected, from->variance, &of_from) / (double)from->count;
	b = moderate(prior, expected, to->variance, &of_to) / (double)to->count;
	return (struct runs_known){value, sqrt(a + b), joint_freedom(a, of_from, b, of_to)};
}

struct runs_known runs_jackknife(double value, const double *without, size_t count)
{
	struct runs runs = runs_of(without, count);
	double steps = (double)(count - 1);

	return (struct runs_known){value, steps * sqrt(runs.variance / (double)count), steps};
}

/* Groups of the same size are taken to have one variance, as in runs_difference; but not one that
 * did not vary at all. */
struct runs_known runs_joined(const struct runs_known *a, const struct runs_known *b)
{
	double of_a = a->error * a->error, of_b = b->error * b->error;

	if (of_a == 0 || of_b == 0)
		return of_a == 0 ? *b : *a;
	return (struct runs_known){a->value, sqrt(of_a + of_b),
	                           a->freedom == b->freedom
	                                   ? a->freedom + b->freedom
	                                   : joint_freedom(of_a, a->freedom, of_b, b->freedom)};
}

struct interval runs_interval(const struct runs_known *known)
{
	double reach = known->error;

	if (reach > 0 && !isinf(reach))
		reach *= student_bound(INTERVAL_OUTSIDE, known->freedom);
	return (struct interval){known->value - reach, known->value + reach};
}

double runs_chance(const struct runs_known *known)
{
	if (known->error == 0)
		return known->value == 0;
	return isinf(known->error) ? 1
	                           : student_outside(known->value / known->error, known->freedom);
}
