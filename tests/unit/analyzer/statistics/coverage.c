/* coverage.c: simulations that prove what intervals promise: 95 of 100 hold the truth. The numbers
 * are the same in every run. */
#include "simulate.h"

#include "analyzer/statistics/runs.h"

#include <criterion/criterion.h>
#include <math.h>

enum { TURNS = 3000 };

static struct chance chance;

/* How many intervals held the truth. */
struct covered {
	unsigned held, tried;
};

static void count(struct covered *covered, struct interval interval, double truth)
{
	covered->held += interval.low <= truth && truth <= interval.high;
	covered->tried++;
}

static void expect_covered(const struct covered *covered, const char *what, double number)
{
	double part = (double)covered->held / covered->tried;

	cr_expect(part >= 0.93 && part <= 0.97, "%s %g: %.4f", what, number, part);
}

static void begin(uint64_t seed)
{
	chance.state = seed * 0x9e3779b97f4a7c15u + 1;
}

/* The mean of a few runs that differ, and the difference of two such means. */
Test(coverage, runs)
{
	for (unsigned runs = 2; runs <= 10; runs += 4) {
		struct covered means = {0}, differences = {0};

		begin(500 + runs);
		for (unsigned turn = 0; turn < TURNS; turn++) {
			double from[10], to[10];
			struct runs of_from, of_to;
			struct runs_known known;

			for (unsigned i = 0; i < runs; i++) {
				from[i] = 10 + chance_normal(&chance);
				to[i] = 12 + chance_normal(&chance);
			}
			of_from = runs_of(from, runs);
			of_to = runs_of(to, runs);
			known = runs_mean(&of_from, 0, &RUNS_NO_PRIOR);
			count(&means, runs_interval(&known), 10);
			known = runs_difference(&of_from, &of_to, 0, &RUNS_NO_PRIOR);
			count(&differences, runs_interval(&known), 2);
		}
		expect_covered(&means, "mean of runs:", runs);
		expect_covered(&differences, "difference of runs:", runs);
	}
}

/* Groups of different size and different spread. */
Test(coverage, unequal_groups)
{
	struct covered covered = {0};

	begin(600);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double from[8], to[4];
		struct runs of_from, of_to;
		struct runs_known known;

		for (unsigned i = 0; i < 8; i++)
			from[i] = 10 + chance_normal(&chance);
		for (unsigned i = 0; i < 4; i++)
			to[i] = 10 + 3 * chance_normal(&chance);
		of_from = runs_of(from, 8);
		of_to = runs_of(to, 4);
		known = runs_difference(&of_from, &of_to, 0, &RUNS_NO_PRIOR);
		count(&covered, runs_interval(&known), 0);
	}
	expect_covered(&covered, "unequal groups", 8);
}
