/* Tests of analyzer/check/decide.c and explain.c: what is certain of checks whose metrics have
 * values in runs that never were, with a truth that is known. */
#include "analyzer/check/check.h"
#include "analyzer/statistics/interval.h"
#include "tests/unit/analyzer/statistics/simulate.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct check_list list;
static struct check_node *root;
static struct chance chance;

static void read_check(const char *text)
{
	char error[CHECK_ERROR_MAX];

	cr_assert_eq(check_parse(text, &list, error), 0, "%s: %s", text, error);
	root = list.at[0].root;
}

static void tear_down(void)
{
	check_list_fini(&list);
}

TestSuite(decide, .fini = tear_down);

/* Set what a metric was in runs that tell all of it. */
static void set(struct check_node *node, enum check_role role, const double *values, size_t count)
{
	struct check_measured *measured = &node->measured[role];

	free(measured->runs);
	measured->runs = malloc(count * sizeof(*values));
	cr_assert_not_null(measured->runs);
	memcpy(measured->runs, values, count * sizeof(*values));
	measured->count = count;
	measured->single = (struct interval){values[0], values[0]};
	measured->is_timed = node->dimension == CHECK_SECONDS;
}

/* The same for a single run, of which samples leave open what lies between low and high. */
static void set_sampled(struct check_node *node, enum check_role role, double value,
                        struct interval single, double samples)
{
	set(node, role, &value, 1);
	node->measured[role].single = single;
	node->measured[role].samples = samples;
}

static enum check_verdict verdict(void)
{
	return check_decide(root).verdict;
}

/* How often an interval held the truth, and how often it said something wrong. */
struct covered {
	unsigned held, tried;
};

static void count(struct covered *covered, double truth)
{
	const struct check_outcome outcome = check_decide(root);
	const double low = outcome.low - outcome.limit, high = outcome.high - outcome.limit;

	covered->held += low <= truth && truth <= high;
	covered->tried++;
}

static void expect_covered(const struct covered *covered, const char *what)
{
	double part = (double)covered->held / covered->tried;

	cr_expect(part >= 0.93 && part <= 0.97, "%s: %.4f", what, part);
}

static double *normal(double *values, size_t number, double mean, double deviation)
{
	for (size_t i = 0; i < number; i++)
		values[i] = mean + deviation * chance_normal(&chance);
	return values;
}

enum { TURNS = 3000 };

Test(decide, an_exact_value_is_decided_exactly)
{
	const double ten[] = {10, 10, 10};

	read_check("heapleakcnt <= 10");
	set(root->left, CHECK_NEW, ten, 1);
	cr_expect_eq(verdict(), CHECK_HOLDS);
	set(root->left, CHECK_NEW, ten, 3);
	cr_expect_eq(verdict(), CHECK_HOLDS);
	check_list_fini(&list);
	read_check("heapleakcnt < base");
	set(root->left, CHECK_NEW, ten, 1);
	set(root->left, CHECK_OLD, ten, 3);
	cr_expect_eq(verdict(), CHECK_FAILED, "one run and several: exact, too");
}

Test(decide, counts_that_differ_between_runs_have_an_interval)
{
	const double around[] = {9, 10, 11}, above[] = {30, 31, 32};

	read_check("heapleakcnt <= 10");
	set(root->left, CHECK_NEW, around, 3);
	cr_expect_eq(verdict(), CHECK_UNDECIDED);
	set(root->left, CHECK_NEW, above, 3);
	cr_expect_eq(verdict(), CHECK_FAILED);
	/* The mean of 3 runs with the variance 1: t of 2 degrees of freedom is 4.3027. */
	cr_expect_float_eq(check_decide(root).low, 31 - 4.3027 / sqrt(3), 1e-3);
	cr_expect_float_eq(check_decide(root).high, 31 + 4.3027 / sqrt(3), 1e-3);
}

Test(decide, the_limit_inside_of_the_interval_is_undecided)
{
	static const struct {
		const char *text;
		enum check_verdict below, inside, above;
	} cases[] = {
		{"totalcpu(f) <= 1", CHECK_HOLDS, CHECK_UNDECIDED, CHECK_FAILED},
		{"totalcpu(f) < 1", CHECK_HOLDS, CHECK_UNDECIDED, CHECK_FAILED},
		{"totalcpu(f) >= 1", CHECK_FAILED, CHECK_UNDECIDED, CHECK_HOLDS},
		{"totalcpu(f) > 1", CHECK_FAILED, CHECK_UNDECIDED, CHECK_HOLDS},
		{"totalcpu(f) == 1", CHECK_FAILED, CHECK_UNDECIDED, CHECK_FAILED},
		{"totalcpu(f) != 1", CHECK_HOLDS, CHECK_UNDECIDED, CHECK_HOLDS},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_check(cases[i].text);
		set_sampled(root->left, CHECK_NEW, 0.8, (struct interval){0.7, 0.95}, 50);
		cr_expect_eq(verdict(), cases[i].below, "%s", cases[i].text);
		set_sampled(root->left, CHECK_NEW, 0.8, (struct interval){0.7, 1.05}, 50);
		cr_expect_eq(verdict(), cases[i].inside, "%s", cases[i].text);
		set_sampled(root->left, CHECK_NEW, 1.2, (struct interval){1.01, 1.3}, 50);
		cr_expect_eq(verdict(), cases[i].above, "%s", cases[i].text);
		cr_expect_eq(check_decide(root).samples, 50);
		check_list_fini(&list);
	}
}

/* -f falls as f rises; the sides keep their places. */
Test(decide, a_value_that_falls_has_its_interval_turned_round)
{
	read_check("2 - totalcpu(f) <= 1.5");
	set_sampled(root->left->right, CHECK_NEW, 1, (struct interval){0.9, 1.3}, 50);
	cr_expect_float_eq(check_decide(root).low, 0.7, 1e-12);
	cr_expect_float_eq(check_decide(root).high, 1.1, 1e-12);
	cr_expect_eq(verdict(), CHECK_HOLDS);
}

Test(decide, an_estimate_without_a_known_error_is_undecided)
{
	struct check_result result = {.text = "heapleakcnt == 0", .unit = "count"};
	char text[CHECK_ERROR_MAX];

	read_check("heapleakcnt < 5");
	set_sampled(root->left, CHECK_NEW, 100, (struct interval){-INFINITY, INFINITY}, 0);
	result.outcome = check_decide(root);
	cr_expect_eq(result.outcome.verdict, CHECK_UNDECIDED);
	cr_expect_str_eq(check_explain(&result, text), "it is about 100, the limit is 5; "
	                                               "--repeat=5 tells how much it varies");
}

/* One run of each: runs are taken to differ by 5 %, so 14 % are within it, and 50 % are not. */
Test(decide, one_run_each_is_decided_where_the_difference_is_great)
{
	const double one[] = {1}, more[] = {1.1}, most[] = {1.5};
	struct check_result result = {.text = "totalcpu <= base", .unit = "s"};
	char text[CHECK_ERROR_MAX];

	read_check("totalcpu <= base");
	set(root->left, CHECK_OLD, one, 1);
	set(root->left, CHECK_NEW, more, 1);
	result.outcome = check_decide(root);
	cr_expect_eq(result.outcome.verdict, CHECK_UNDECIDED);
	cr_expect(result.outcome.is_guess);
	cr_expect_str_eq(
		check_explain(&result, text),
		"it is 1.1 s, 0.9543 to 1.246 with 95 % certainty; the limit is 1 s; one run each "
		"does not tell how runs differ: xcollect --repeat=5");
	set(root->left, CHECK_NEW, most, 1);
	cr_expect_eq(verdict(), CHECK_FAILED);
	check_list_fini(&list);
	/* Of a share of the same run, only samples are in doubt. */
	read_check("totalcpu(f)/totalcpu <= base");
	set(root->left->left, CHECK_OLD, one, 1);
	set(root->left->left, CHECK_NEW, more, 1);
	set(root->left->right, CHECK_OLD, most, 1);
	set(root->left->right, CHECK_NEW, most, 1);
	cr_expect_eq(verdict(), CHECK_FAILED);
}

Test(decide, a_lone_base_that_stands_twice_counts_its_samples_once)
{
	read_check("totalcpu(f) <= base/2 + base/2");
	set_sampled(root->left, CHECK_OLD, 1, (struct interval){0.8, 1.2}, 50);
	set_sampled(root->left, CHECK_NEW, 1, (struct interval){1, 1}, 50);
	root->left->measured[CHECK_NEW].is_timed = root->left->measured[CHECK_OLD].is_timed = 0;
	cr_expect_float_eq(check_decide(root).low, 0.8, 1e-12);
	cr_expect_float_eq(check_decide(root).high, 1.2, 1e-12);
}

Test(decide, runs_that_found_nothing_leave_open_what_their_samples_do)
{
	const double none[] = {0, 0, 0};

	read_check("totalcpu(f) <= 1 ms");
	set(root->left, CHECK_NEW, none, 3);
	root->left->measured[CHECK_NEW].single = (struct interval){0, 0.004};
	cr_expect_eq(verdict(), CHECK_UNDECIDED);
	cr_expect_float_eq(check_decide(root).high, 0.004, 1e-12);
}

Test(decide, how_many_runs_would_decide)
{
	const double from[] = {1, 1.1, 0.9, 1.05, 0.95}, to[] = {1.15, 1.05, 0.95, 1.1, 1};
	struct check_outcome outcome;

	read_check("totalcpu <= base");
	set(root->left, CHECK_OLD, from, 5);
	set(root->left, CHECK_NEW, to, 5);
	outcome = check_decide(root);
	cr_expect_eq(outcome.verdict, CHECK_UNDECIDED);
	/* 0.05 more, known to t(8) * sqrt(2 * 0.00625 / 5) = 2.306 * 0.05: 5 * 2.306^2 */
	cr_expect_eq(check_runs_needed(&outcome), 27);
	outcome.value = outcome.limit;
	cr_expect_eq(check_runs_needed(&outcome), 0);
}

/* ---- 95 of 100 intervals hold the truth ---- */

Test(decide, time_of_a_single_run)
{
	struct covered covered = {0};

	chance.state = 11;
	read_check("totalcpu(f) <= 30 s");
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double found = 0;

		for (unsigned i = 0; i < 200; i++)
			found += chance_uniform(&chance) < 0.15;
		set_sampled(root->left, CHECK_NEW, found, interval_part(found, 200, 200), found);
		count(&covered, 0);
	}
	expect_covered(&covered, "time");
}

/* Two single runs whose times are exact and whose functions are sampled; runs do not differ. */
Test(decide, difference_of_shares_of_single_runs)
{
	struct covered covered = {0};
	const double all[] = {300};

	chance.state = 12;
	read_check("totalcpu(f)/totalcpu <= base");
	set(root->left->right, CHECK_OLD, all, 1);
	set(root->left->right, CHECK_NEW, all, 1);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++) {
			double found = 0;

			for (unsigned i = 0; i < 300; i++)
				found += chance_uniform(&chance) < 0.3;
			set_sampled(root->left->left, role, found, interval_part(found, 300, 300),
			            found);
		}
		count(&covered, 0);
	}
	expect_covered(&covered, "difference of shares");
}

Test(decide, time_in_runs_and_in_their_base)
{
	static const size_t runs[][2] = {{5, 0}, {5, 5}, {3, 8}, {1, 5}, {6, 1}};
	double values[8];

	chance.state = 13;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct covered covered = {0};
		char what[64];

		read_check(runs[i][1] != 0 ? "totalcpu <= 1.05*base" : "totalcpu <= 1.05 s");
		for (unsigned turn = 0; turn < TURNS; turn++) {
			set(root->left, CHECK_NEW, normal(values, runs[i][0], 1.05, 0.0315),
			    runs[i][0]);
			if (runs[i][1] != 0)
				set(root->left, CHECK_OLD, normal(values, runs[i][1], 1, 0.03),
				    runs[i][1]);
			count(&covered, 0);
		}
		snprintf(what, sizeof(what), "%zu and %zu runs", runs[i][0], runs[i][1]);
		expect_covered(&covered, what);
		check_list_fini(&list);
	}
}

/* The time of a function by that of a run, which has the same speed. */
Test(decide, ratio_in_runs)
{
	struct covered covered = {0};

	chance.state = 14;
	read_check("totalcpu(f)/totalcpu <= 20 %");
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double all[6], part[6];

		for (size_t i = 0; i < 6; i++) {
			all[i] = 1 + 0.1 * chance_normal(&chance);
			part[i] = 0.2 * all[i] + 0.01 * chance_normal(&chance);
		}
		set(root->left->left, CHECK_NEW, part, 6);
		set(root->left->right, CHECK_NEW, all, 6);
		count(&covered, 0);
	}
	expect_covered(&covered, "ratio");
}

/* A gate with 5 % of room, 5 runs a side that differ by 3 %: of 2,000 comparisons of a program with
 * itself, none fails. One that takes 20 % longer fails nearly always. */
Test(decide, a_gate_does_not_cry_wolf)
{
	unsigned failed = 0, found = 0;
	double values[5];

	chance.state = 15;
	read_check("totalcpu <= 1.05*base");
	for (unsigned turn = 0; turn < 2000; turn++) {
		set(root->left, CHECK_OLD, normal(values, 5, 1, 0.03), 5);
		set(root->left, CHECK_NEW, normal(values, 5, 1, 0.03), 5);
		failed += verdict() == CHECK_FAILED;
		set(root->left, CHECK_NEW, normal(values, 5, 1.2, 0.03), 5);
		found += verdict() == CHECK_FAILED;
	}
	cr_expect_leq(failed, 2, "%u", failed);
	cr_expect_geq(found, 1980, "%u", found);
}
