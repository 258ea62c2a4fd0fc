/* distribution.c: see distribution.h. Relative errors are below 1e-10, more than any use here
 * needs. See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/distribution.h"

#include <float.h>
#include <math.h>

enum { FRACTION_STEPS = 500, BISECTIONS = 200, NEWTON_STEPS = 50 };

/* From here on the asymptotic series of digamma and trigamma are exact enough. */
#define SERIES_FROM 12.0

/* The next convergent of a continued fraction, by the method of Lentz: *above and *below are the
 * ratios of its last two numerators and denominators. Returns the factor to the last convergent. */
static double lentz(double coefficient, double *above, double *below)
{
	*below = 1 / (1 + coefficient * *below);
	*above = 1 + coefficient / *above;
	if (*above == 0)
		*above = DBL_MIN;
	return *above * *below;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), which converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double above = 1, below = 1 / (1 - (a + b) * x / (a + 1)), value = below;

	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		value *= lentz(even, &above, &below);
		factor = lentz(odd, &above, &below);
		value *= factor;
		if (fabs(factor - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

/* The regularized incomplete beta function I_x(a, b), for 0 <= x <= 1. */
static double beta_part(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_outside(double t, double freedom)
{
	if (isinf(freedom))
		return erfc(fabs(t) / M_SQRT2);
	return beta_part(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double student_bound(double outside, double freedom)
{
	double low = 0, high = 1;

	while (student_outside(high, freedom) > outside && high < DBL_MAX / 4)
		high *= 2;
	for (int i = 0; i < BISECTIONS && high - low > high * DBL_EPSILON; i++) {
		double middle = (low + high) / 2;

		if (student_outside(middle, freedom) > outside)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Small arguments are moved up by the recurrence, large ones have the series (DLMF 5.11.2). */
double digamma(double x)
{
	double moved = 0, square;

	while (x < SERIES_FROM)
		moved -= 1 / x++;
	square = 1 / (x * x);
	return moved + log(x) - 0.5 / x -
	       square * (1.0 / 12 -
	                 square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240))));
}

/* The same of its derivative (DLMF 5.15.8). */
double trigamma(double x)
{
	double moved = 0, square;

	while (x < SERIES_FROM) {
		moved += 1 / (x * x);
		x++;
	}
	square = 1 / (x * x);
	return moved + 1 / x + square / 2 +
	       square / x * (1.0 / 6 - square * (1.0 / 30 - square * (1.0 / 42 - square / 30)));
}

/* The second derivative of the same. */
double pentagamma(double x)
{
	double moved = 0, square;

	while (x < SERIES_FROM) {
		moved += 6 / (x * x * x * x);
		x++;
	}
	square = 1 / (x * x);
	return moved + square / x * (2 + 3 / x + square * (2 - square * (1 - square * 4.0 / 3)));
}

/* Newton's method on 1 / trigamma, which is convex and nearly linear (appendix of Smyth, 2004). */
double trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	if (!(y > 0))
		return INFINITY;
	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	for (int i = 0; i < NEWTON_STEPS; i++) {
		double value = trigamma(x), h = x * 1e-4;
		double slope = (trigamma(x + h) - trigamma(x - h)) / (2 * h);
		double step = value * (1 - value / y) / slope;

		x += step;
		if (fabs(step) < 1e-10 * x)
			break;
	}
	return x;
}
