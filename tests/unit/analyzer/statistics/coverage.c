/* coverage.c: simulations that prove what intervals promise: 95 of 100 hold the truth. The numbers
 * are the same in every run. */
#include "simulate.h"

#include "analyzer/statistics/interval.h"
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

/* A program with one function of interest, whose turns are so short that each sample finds it with
 * the probability of its share. */
static struct recording record(double share, double samples)
{
	struct recording recording = {.time = samples};
	double now = 0;

	while (now < samples) {
		double weight = fmin(0.5 + chance_uniform(&chance), samples - now);

		recording.squares += weight * weight;
		recording.found[0] += chance_uniform(&chance) < share ? weight : 0;
		recording.samples++;
		now += weight;
	}
	recording.spent[0] = share * samples;
	return recording;
}

static struct interval interval_of_time(const struct recording *recording)
{
	struct interval of = interval_share(
		recording->found[0] / recording->time,
		interval_effective(recording->time, recording->squares));

	return (struct interval){of.low * recording->time, of.high * recording->time};
}

Test(coverage, shares_and_times)
{
	static const struct {
		double share, samples;
	} cases[] = {{0.5, 115},  {0.15, 115},  {0.9, 115},   {0.05, 115},
	             {0.5, 1000}, {0.15, 1000}, {0.01, 1000}, {0.99, 1000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct covered covered = {0};

		begin(i + 1);
		for (unsigned turn = 0; turn < TURNS; turn++) {
			struct recording recording = record(cases[i].share, cases[i].samples);

			count(&covered, interval_of_time(&recording), recording.spent[0]);
		}
		expect_covered(&covered, "times of a share", cases[i].share);
	}
}

/* Where turns are longer, fewer samples are near their ends, where they may be wrong: intervals are
 * wider than they need be, and never too narrow. */
Test(coverage, longer_turns_are_known_better)
{
	static const double turns[] = {0.1, 0.5, 2, 10};

	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		const double shares[] = {0.3, 0.7};
		const struct program program = {.shares = shares, .count = 2, .turn = turns[i]};
		const struct clock clock = {.period = 1, .jitter = 0.5};
		struct covered covered = {0};

		begin(i + 50);
		for (unsigned turn = 0; turn < TURNS / 3; turn++) {
			struct recording recording = simulate(&chance, &program, &clock, 200);

			count(&covered, interval_of_time(&recording), recording.spent[0]);
		}
		cr_expect_geq((double)covered.held / covered.tried, 0.94, "turns of %g: %u",
		              turns[i], covered.held);
	}
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

/* Bytes of a heap of which blocks are chosen at random by their size, one in `unit` bytes: as the
 * recorder does, a distance with that mean is drawn after each chosen block, and a block of `size`
 * stands for size / (1 - exp(-size / unit)) bytes. See doc/decisions/98-sampled-heap.md. */
Test(coverage, bytes_of_a_sampled_heap)
{
	static const struct {
		double size, blocks, unit;
	} cases[] = {{32, 20000, 8192}, {1000, 1500, 16384}, {4096, 2000, 65536}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const double size = cases[i].size, unit = cases[i].unit;
		const double stands_for = size / (1 - exp(-size / unit));
		struct covered covered = {0};

		begin(i + 700);
		for (unsigned turn = 0; turn < TURNS; turn++) {
			double left = unit * chance_exponential(&chance), found = 0;

			/* Blocks that are not chosen are passed at once. */
			for (double at = 0; at < cases[i].blocks;) {
				double passed = floor(left / size);

				at += passed + 1;
				if (at > cases[i].blocks)
					break;
				found += stands_for;
				left = unit * chance_exponential(&chance);
			}
			count(&covered, interval_units(found, unit), size * cases[i].blocks);
		}
		expect_covered(&covered, "bytes of blocks of", size);
	}
}

/* Objects of a Java machine, which samples an object of s bytes with the probability p = 1 -
 * exp(-s / interval): estimates of bytes, of one size and of several. */
Test(coverage, sampled_objects)
{
	static const struct {
		double sizes[3];
		unsigned objects; /* of each size */
	} cases[] = {{{24, 24, 24}, 500000},
	             {{1000, 1000, 1000}, 20000},
	             {{16, 200, 3000}, 12000},
	             {{200000, 200000, 200000}, 100},
	             {{40000, 400000, 1000000}, 60}};
	const double interval = 512 * 1024;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct covered bytes = {0};

		begin(i + 900);
		for (unsigned turn = 0; turn < TURNS; turn++) {
			double found = 0, variance = 0, truth = 0;

			for (unsigned k = 0; k < 3; k++) {
				const double size = cases[i].sizes[k];
				const double p = -expm1(-size / interval);
				const double step = -log1p(-p);

				truth += size * cases[i].objects;
				/* How many are passed until the next one that is sampled. */
				for (double at = 0;;) {
					at += 1 + floor(chance_exponential(&chance) / step);
					if (at > cases[i].objects)
						break;
					found += size / p;
					variance += size * size * (1 - p) / (p * p);
				}
			}
			count(&bytes, interval_estimate(found, variance), truth);
		}
		expect_covered(&bytes, "bytes of sampled objects, case", (double)i);
	}
}

/* The quotient of the means of two groups, as in a check with a base: its error is known from
 * the jackknife, for each group by itself. */
Test(coverage, ratios_of_groups)
{
	enum { RUNS = 5 };
	struct covered covered = {0};

	begin(800);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double from[RUNS], to[RUNS], without[2][RUNS], ratio;
		struct runs of_from, of_to;
		struct runs_known known[2], joined;

		for (unsigned i = 0; i < RUNS; i++) {
			from[i] = 10 + 0.3 * chance_normal(&chance);
			to[i] = 12 + 0.36 * chance_normal(&chance);
		}
		of_from = runs_of(from, RUNS);
		of_to = runs_of(to, RUNS);
		ratio = of_to.mean / of_from.mean;
		for (unsigned i = 0; i < RUNS; i++) {
			without[0][i] = of_to.mean * (RUNS - 1) / (of_from.mean * RUNS - from[i]);
			without[1][i] = (of_to.mean * RUNS - to[i]) / (RUNS - 1) / of_from.mean;
		}
		for (unsigned side = 0; side < 2; side++)
			known[side] = runs_jackknife(ratio, without[side], RUNS);
		joined = runs_joined(&known[0], &known[1]);
		count(&covered, runs_interval(&joined), 1.2);
	}
	expect_covered(&covered, "ratio of groups of", RUNS);
}
