/* Tests of what comparisons find: simulated runs of a program that did not change, and of one in
 * which one function became slower. */
#include "simulate.h"

#include "analyzer/statistics/changes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { FUNCTIONS = 20, RUNS = 5 };

/* 2 s of CPU time, sampled each millisecond. Function 0 has 15 % of it. */
#define TIME 2.0
static const struct clock clock_1ms = {.period = 1e-3, .jitter = 0.02};
static struct chance chance;

struct group {
	double found[FUNCTIONS][RUNS], time[RUNS], squares;
};

/* `turn`: mean time in which a function runs at a time, in a fixed order; 0: so short that samples
 * are independent. `noise`: by which runs differ in speed. */
static void run(struct group *group, size_t number, const double *shares, double time, double turn)
{
	const struct program program = {
		.shares = shares, .count = FUNCTIONS, .turn = turn, .is_cycle = 1, .noise = 0.05};
	struct recording recording;

	if (turn == 0) {
		recording = (struct recording){.time = time};
		for (double now = 0; now < time;) {
			double weight = fmin(clock_1ms.period, time - now),
			       at = chance_uniform(&chance);
			size_t i = 0;

			while (i + 1 < FUNCTIONS && at >= shares[i])
				at -= shares[i++];
			recording.found[i] += weight;
			recording.squares += weight * weight;
			now += weight;
		}
	} else {
		recording = simulate(&chance, &program, &clock_1ms, time);
	}
	for (size_t i = 0; i < FUNCTIONS; i++)
		group->found[i][number] = recording.found[i];
	group->time[number] = time;
	group->squares += recording.squares / RUNS;
}

static void record(struct group *group, double slower, double turn, double noise)
{
	double shares[FUNCTIONS], sum = 0, rest = 0;

	memset(group, 0, sizeof(*group));
	for (size_t i = 1; i < FUNCTIONS; i++)
		rest += 1 + 4.0 * (double)i / FUNCTIONS;
	for (size_t i = 0; i < FUNCTIONS; i++)
		sum += shares[i] = i == 0 ? 0.15 * slower
		                          : 0.85 * (1 + 4.0 * (double)i / FUNCTIONS) / rest;
	for (size_t i = 0; i < FUNCTIONS; i++)
		shares[i] /= sum;
	for (size_t i = 0; i < RUNS; i++)
		run(group, i, shares, TIME * sum * (1 + noise * chance_normal(&chance)), turn);
}

static void compare(const struct group *from, const struct group *to, struct change *rows)
{
	const struct change_sums sums = {runs_of(from->time, RUNS), runs_of(to->time, RUNS),
	                                 (from->squares + to->squares) / 2};

	for (size_t i = 0; i < FUNCTIONS; i++) {
		rows[i] = (struct change){.from = runs_of(from->found[i], RUNS),
		                          .to = runs_of(to->found[i], RUNS)};
		change_expect(&rows[i], &sums);
		cr_assert_gt(rows[i].expected, 0);
	}
	changes_measure(rows, FUNCTIONS);
	cr_expect_eq(changes_decide(rows, FUNCTIONS), FUNCTIONS);
}

static int names_any(const struct change *rows)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (rows[i].verdict != CHANGE_NOISE)
			return 1;
	return 0;
}

/* In how many of `turns` comparisons function 0 is named, or, if nothing is slower, any. */
static unsigned found(unsigned turns, double slower, double turn, double noise)
{
	struct change rows[FUNCTIONS];
	struct group from, to;
	unsigned named = 0;

	for (unsigned i = 0; i < turns; i++) {
		record(&from, 1, turn, noise);
		record(&to, slower, turn, noise);
		compare(&from, &to, rows);
		named += slower == 1 ? names_any(rows) : rows[0].verdict == CHANGE_MORE;
	}
	return named;
}

/* At most 1 % of 1,200 comparisons name any of 20 functions, 200 of each kind of program. */
Test(changes, nothing_is_found_where_nothing_has_changed)
{
	static const struct {
		double turn, noise;
	} cases[] = {{0, 0}, {0, 0.002}, {0, 0.01}, {0.3e-3, 0.002}, {2.5e-3, 0.002}, {5e-3, 0.01}};
	unsigned named = 0;

	chance.state = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		named += found(200, 1, cases[i].turn, cases[i].noise);
	cr_expect_leq(named, 12, "%u", named);
}

Test(changes, twenty_per_cent_are_found)
{
	unsigned named;

	chance.state = 2;
	named = found(200, 1.2, 0, 0.002);
	cr_expect_geq(named, 190, "independent samples: %u", named);
	named = found(200, 1.2, 2.5e-3, 0.002);
	cr_expect_geq(named, 190, "turns of 2.5 ms: %u", named);
}

/* 1,500 independent samples tell 5 % only with an error of 3.4 %. But if functions run for some
 * milliseconds at a time, samples of a millisecond tell more, which runs show. */
Test(changes, five_per_cent_are_found_where_turns_are_longer_than_periods)
{
	unsigned named;

	chance.state = 3;
	for (int turn = 2; turn <= 5; turn++) {
		named = found(100, 1.05, turn * 1e-3, 0.002);
		cr_expect_geq(named, 60, "turns of %d ms: %u", turn, named);
	}
	named = found(100, 1.05, 0, 0.002);
	cr_expect_leq(named, 10, "independent samples: %u", named);
}

static struct change row_of(const double *from, size_t from_count, const double *to,
                            size_t to_count, int is_count)
{
	return (struct change){.from = runs_of(from, from_count),
	                       .to = runs_of(to, to_count),
	                       .is_count = is_count};
}

Test(changes, what_is_exact_is_compared_exactly)
{
	static const double ten[] = {10, 10, 10}, eleven[] = {11, 11, 11}, spread[] = {10, 11, 12};
	struct change rows[] = {
		row_of(ten, 3, ten, 3, 1),    row_of(ten, 3, eleven, 3, 1),
		row_of(eleven, 1, ten, 1, 1), row_of(ten, 3, spread, 3, 1),
		row_of(ten, 1, eleven, 1, 0), row_of(eleven, 1, ten, 3, 0),
	};
	static const enum change_verdict expected[] = {CHANGE_NONE,     CHANGE_MORE,
	                                               CHANGE_LESS,     CHANGE_NOISE,
	                                               CHANGE_UNTESTED, CHANGE_UNTESTED};

	changes_measure(rows, 6);
	cr_expect_eq(changes_decide(rows, 6), 1);
	for (size_t i = 0; i < 6; i++)
		cr_expect_eq(rows[i].verdict, expected[i], "%zu: %s", i,
		             change_text(rows[i].verdict));
}

Test(changes, rows_of_few_samples_are_not_tested)
{
	static const double none[] = {0, 0, 0}, some[] = {1, 2, 1};
	struct change row = row_of(none, 3, some, 3, 0);

	row.expected = 1;
	row.samples = 4;
	changes_measure(&row, 1);
	cr_expect_eq(changes_decide(&row, 1), 0);
	cr_expect_eq(row.verdict, CHANGE_UNTESTED);
	row.samples = 10;
	changes_measure(&row, 1);
	cr_expect_eq(changes_decide(&row, 1), 1);
	cr_expect_eq(row.verdict, CHANGE_NOISE);
	cr_expect_str_eq(change_text(row.verdict), "within noise");
}

/* 100 samples of 1 in each run, of which a row has 20. */
Test(changes, what_is_expected)
{
	static const double all[] = {99, 101}, some[] = {18, 22};
	struct change_sums sums = {runs_of(all, 2), runs_of(all, 2), 100};
	struct change row = row_of(some, 2, some, 2, 0), whole = row_of(all, 2, all, 2, 0),
		      single = row_of(some, 1, some, 1, 0);

	change_expect(&row, &sums);
	cr_expect_float_eq(row.expected, 100 * 0.2 * 0.8 + 20 * 20 * 2 / 1e4, 1e-12);
	cr_expect_float_eq(row.samples, 80, 1e-9);
	change_expect(&whole, &sums);
	cr_expect_eq(whole.expected, 0, "it has all samples");
	sums.from = sums.to = runs_of(all, 1);
	change_expect(&single, &sums);
	cr_expect_eq(single.expected, 0, "how runs differ is unknown");
	sums.squares = 0;
	change_expect(&row, &sums);
}

/* Standard deviations of 1 and 3 % are one of 2.2 %. */
Test(changes, how_much_runs_differ_in_all)
{
	static const double some[] = {99.29289, 100.70711}, more[] = {195.75736, 204.24264};
	struct change_sums sums = {runs_of(some, 2), runs_of(more, 2), 100};

	cr_expect_float_eq(changes_spread(&sums), sqrt((0.01 * 0.01 + 0.03 * 0.03) / 2), 1e-6);
	sums.squares = 0;
	cr_expect_eq(changes_spread(&sums), 0, "nothing is sampled");
}

/* 100 samples of 1 in each run, two runs a side. */
Test(changes, what_a_sample_is_worth)
{
	static const double all[] = {99, 101};
	struct change_sums sums = {runs_of(all, 2), runs_of(all, 2), 100};

	cr_expect_float_eq(changes_sample(&sums), 0.5, 1e-9);
	cr_expect_float_eq(changes_samples(&sums), 400, 1e-9);
	sums.squares = 200;
	cr_expect_float_eq(changes_sample(&sums), 1, 1e-9);
	cr_expect_float_eq(changes_samples(&sums), 200, 1e-9);
	sums.from = runs_of(all, 1);
	cr_expect_float_eq(changes_sample(&sums), 200 / 99.5, 1e-9, "of the smaller group");
	sums.squares = 0;
	cr_expect_eq(changes_sample(&sums), 0, "nothing is sampled");
	cr_expect_eq(changes_samples(&sums), 0);
}
