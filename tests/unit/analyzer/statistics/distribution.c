/* Tests of Student's distribution and of the functions of gamma variables, against scipy 1.10.1
 * (and for gamma(x), mpmath's exact sums): from scipy import special as s, stats 2 * stats.t.sf(t,
 * df), stats.t.isf(outside / 2, df), s.digamma(x), s.polygamma(1, x), s.polygamma(3, x) */
#include "analyzer/statistics/distribution.h"
#include "analyzer/statistics/interval.h"

#include <criterion/criterion.h>
#include <math.h>

#define NEAR(actual, expected) \
	cr_expect(fabs((actual) - (expected)) <= 1e-9 * fabs(expected), "%.15g is not %.15g", \
	          actual, expected)

Test(distribution, student)
{
	static const struct {
		double freedom, outside_of_2_5, bound_of_5, bound_of_1e_6;
	} known[] = {
		{1, 0.2422378831816867, 12.706204736432095, 636619.7723669233},
		{2, 0.1296117202215108, 4.302652729911275, 999.9992500105391},
		{4, 0.06676654481198813, 2.7764451051977987, 49.45863675693735},
		{8, 0.03694203771362407, 2.3060041350333704, 13.257135103878621},
		{28.5, 0.01843603838783959, 2.0467893427202672, 6.197153449693229},
		{300, 0.012953109204319177, 1.9679030112607843, 4.995118831505312},
		{INFINITY, 0.012419330651552265, 1.959963984540054, 4.891638475698591},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		NEAR(student_outside(2.5, known[i].freedom), known[i].outside_of_2_5);
		NEAR(student_outside(-2.5, known[i].freedom), known[i].outside_of_2_5);
		NEAR(student_bound(0.05, known[i].freedom), known[i].bound_of_5);
		NEAR(student_bound(1e-6, known[i].freedom), known[i].bound_of_1e_6);
	}
	NEAR(student_bound(INTERVAL_OUTSIDE, INFINITY), INTERVAL_DEVIATIONS);
	cr_expect_eq(student_outside(0, 3), 1);
	cr_expect_eq(student_outside(INFINITY, 3), 0);
}

Test(distribution, gamma)
{
	static const struct {
		double x, first, second, fourth;
	} known[] = {
		{0.5, -1.9635100260214235, 4.934802200544679, 97.40909103400243},
		{1, -0.5772156649015329, 1.6449340668482264, 6.493939402266829},
		{4, 1.2561176684318003, 0.28382295573711525, 0.04486532819275579},
		{20, 2.970523992242149, 0.05127082293520312, 0.00026937422135},
		{100, 4.600161852738088, 0.010050166663333571, 2.0301999900e-06},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		NEAR(digamma(known[i].x), known[i].first);
		NEAR(trigamma(known[i].x), known[i].second);
		NEAR(pentagamma(known[i].x), known[i].fourth);
		NEAR(trigamma_inverse(known[i].second), known[i].x);
	}
	NEAR(trigamma_inverse(1e10), 1e-5);
	NEAR(trigamma_inverse(1e-9), 1e9);
	cr_expect(isinf(trigamma_inverse(0)));
	cr_expect(isinf(trigamma_inverse(-1)));
}
