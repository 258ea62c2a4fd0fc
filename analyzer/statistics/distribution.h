/* distribution.h: Student's distribution, and the functions of the logarithm of a variance.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_STATISTICS_DISTRIBUTION_H
#define XER_ANALYZER_STATISTICS_DISTRIBUTION_H

/* The probability that a value of Student's distribution with `freedom` degrees of freedom is
 * farther from 0 than `t`, on either side. INFINITY: the normal distribution. */
double student_outside(double t, double freedom);

/* The t for which student_outside is `outside`, 0 < outside < 1. freedom > 0. */
double student_bound(double outside, double freedom);

/* The first, second and fourth derivative of the logarithm of the gamma function, for x > 0: the
 * mean, the variance and the fourth cumulant of the logarithm of a gamma variable. */
double digamma(double x);
double trigamma(double x);
double pentagamma(double x);

/* The x for which trigamma(x) is y; INFINITY if y <= 0. */
double trigamma_inverse(double y);

#endif
