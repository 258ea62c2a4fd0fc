/* decide.c: whether a check certainly holds or fails.
 *
 * What is decided is the difference of its sides. It has an interval, from how it changes if runs
 * are left out, or if what samples leave open is otherwise.
 * See doc/decisions/104-gates.md. */
#include "analyzer/check/check.h"

#include "analyzer/base/memory.h"
#include "analyzer/statistics/runs.h"

#include <math.h>
#include <stdlib.h>

/* What runs of one program are taken to differ by, as standard deviation of their time, where none
 * were recorded that would tell. */
#define GUESSED_SPREAD 0.05

enum { RUNS_MOST = 100 }; /* more are not proposed */

/* The metrics that a check takes from one role. */
struct taken {
	const struct check_measured **at; /* at[count], each once */
	size_t count, capacity, runs;
};

/* How far the difference may be from its true value, on both sides. */
struct reach {
	double down, up;
};

static enum check_role other_of(enum check_role role)
{
	return role == CHECK_NEW ? CHECK_OLD : CHECK_NEW;
}

/* A lone `base` repeats the other side, so a metric may be met several times. */
static void take(struct taken *taken, const struct check_measured *measured)
{
	for (size_t i = 0; i < taken->count; i++)
		if (taken->at[i] == measured)
			return;
	taken->at = memory_grow(taken->at, taken->count, &taken->capacity, sizeof(*taken->at));
	taken->at[taken->count++] = measured;
	taken->runs = measured->count;
}

static void take_all(struct taken *taken, const struct check_node *node, enum check_role role,
                     enum check_role of)
{
	if (!node)
		return;
	if (node->op == CHECK_METRIC && role == of)
		take(taken, &node->measured[role]);
	if (node->op == CHECK_BASE)
		role = other_of(role);
	take_all(taken, node->left, role, of);
	take_all(taken, node->right, role, of);
}

/* ---- how the difference changes ---- */

static double difference(const struct check_node *root, const struct check_trial *trial)
{
	return check_value(root->left, CHECK_NEW, trial) -
	       check_value(root->right, CHECK_NEW, trial);
}

/* What runs of a role that differ make of the difference. */
static struct runs_known by_runs(const struct check_node *root, enum check_role role, size_t count)
{
	double *without = memory_take(count, sizeof(*without));
	struct runs_known known;

	for (size_t i = 0; i < count; i++) {
		const struct check_trial trial = {.role = role, .without = i, .factor = 1};

		without[i] = difference(root, &trial);
	}
	known = runs_jackknife(difference(root, NULL), without, count);
	free(without);
	if (!isfinite(known.error)) /* without some run it is divided by nothing */
		known.error = INFINITY;
	return known;
}

/* How the difference changes if a metric has another value. */
static double change_of(const struct check_node *root, enum check_role role,
                        const struct check_measured *moved, double to)
{
	const struct check_trial trial = {
		.role = role, .without = CHECK_ALL_RUNS, .factor = 1, .moved = moved, .to = to};
	double change = difference(root, &trial) - difference(root, NULL);

	return isfinite(change) ? change : copysign(INFINITY, change);
}

/* Metrics of the same samples depend on each other, in a way that only the samples know: what they
 * leave open is added up. */
static struct reach by_samples(const struct check_node *root, enum check_role role,
                               const struct taken *taken)
{
	struct reach reach = {0, 0};

	for (size_t i = 0; i < taken->count; i++) {
		const struct check_measured *at = taken->at[i];
		double low, high;

		if (at->single.low == at->single.high)
			continue;
		low = change_of(root, role, at, at->single.low);
		high = change_of(root, role, at, at->single.high);
		reach.down += fmax(0, -fmin(low, high));
		reach.up += fmax(0, fmax(low, high));
	}
	return reach;
}

/* All times of a run are longer or shorter together. */
static double by_guess(const struct check_node *root, enum check_role role)
{
	const struct check_trial trial = {
		.role = role, .without = CHECK_ALL_RUNS, .factor = 1 + GUESSED_SPREAD};

	return INTERVAL_DEVIATIONS * fabs(difference(root, &trial) - difference(root, NULL));
}

/* ---- together ---- */

/* Independent errors add up by their squares (Zou and Donner, 2008, for intervals that are not
 * symmetric). */
static struct reach joined(struct reach a, struct reach b)
{
	return (struct reach){hypot(a.down, b.down), hypot(a.up, b.up)};
}

static struct reach reach_of(const struct runs_known *known)
{
	double reach = known->error > 0 ? runs_interval(known).high - known->value : 0;

	return (struct reach){reach, reach};
}

/* What runs that differ leave open, and by_role: what those of each role do. A single run of a role
 * is expected to differ from others as those of the other role do. At the limit, where it matters,
 * both have the same part in the difference. */
static struct runs_known by_all_runs(const struct check_node *root,
                                     const struct taken taken[CHECK_ROLES],
                                     struct runs_known by_role[CHECK_ROLES])
{
	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++)
		if (taken[role].runs > 1)
			by_role[role] = by_runs(root, role, taken[role].runs);
	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++) {
		const size_t others = taken[other_of(role)].runs;

		if (taken[role].runs == 1 && others > 1) {
			by_role[role] = by_role[other_of(role)];
			by_role[role].error *= sqrt((double)others + 1);
			return by_role[role];
		}
	}
	return runs_joined(&by_role[CHECK_NEW], &by_role[CHECK_OLD]);
}

static int is_single(const struct taken taken[CHECK_ROLES])
{
	return taken[CHECK_NEW].runs == 1 && taken[CHECK_OLD].runs == 1;
}

/* How far runs and samples leave the difference open. Where runs differ, their samples do, too. */
static struct reach find_reach(const struct check_node *root, const struct taken taken[CHECK_ROLES],
                               int *is_guess)
{
	struct runs_known by_role[CHECK_ROLES] = {{0, 0, 1}, {0, 0, 1}};
	const struct runs_known all = by_all_runs(root, taken, by_role);
	struct reach reach = reach_of(&all);

	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++) {
		double guess = is_single(taken) ? by_guess(root, role) : 0;

		if (by_role[role].error == 0)
			reach = joined(reach, by_samples(root, role, &taken[role]));
		reach = joined(reach, (struct reach){guess, guess});
		*is_guess |= guess > 0;
	}
	return reach;
}

/* The verdict on a difference that is between low and high. */
static enum check_verdict verdict_between(enum check_op op, double low, double high)
{
	switch (op) {
	case CHECK_LESS_EQUAL:
		return high <= 0 ? CHECK_HOLDS : low > 0 ? CHECK_FAILED : CHECK_UNDECIDED;
	case CHECK_LESS:
		return high < 0 ? CHECK_HOLDS : low >= 0 ? CHECK_FAILED : CHECK_UNDECIDED;
	case CHECK_GREATER_EQUAL:
	case CHECK_GREATER:
		return verdict_between(op == CHECK_GREATER ? CHECK_LESS : CHECK_LESS_EQUAL, -high,
		                       -low);
	case CHECK_EQUAL:
		return low > 0 || high < 0 ? CHECK_FAILED : CHECK_UNDECIDED;
	default:
		return low > 0 || high < 0 ? CHECK_HOLDS : CHECK_UNDECIDED;
	}
}

static double fewest_samples(const struct taken taken[CHECK_ROLES])
{
	double least = INFINITY;

	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++)
		for (size_t i = 0; i < taken[role].count; i++)
			if (taken[role].at[i]->samples > 0)
				least = fmin(least, taken[role].at[i]->samples);
	return isinf(least) ? 0 : least;
}

struct check_outcome check_decide(const struct check_node *root)
{
	struct check_outcome outcome = {.value = check_value(root->left, CHECK_NEW, NULL),
	                                .limit = check_value(root->right, CHECK_NEW, NULL)};
	struct taken taken[CHECK_ROLES] = {{.count = 0}, {.count = 0}};
	struct reach reach;

	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++) {
		take_all(&taken[role], root->left, CHECK_NEW, role);
		take_all(&taken[role], root->right, CHECK_NEW, role);
		outcome.runs[role] = taken[role].runs;
	}
	reach = find_reach(root, taken, &outcome.is_guess);
	outcome.low = outcome.value - reach.down;
	outcome.high = outcome.value + reach.up;
	if (reach.down == 0 && reach.up == 0)
		outcome.verdict = check_holds(root->op, outcome.value, outcome.limit)
		                          ? CHECK_HOLDS
		                          : CHECK_FAILED;
	else
		outcome.verdict = verdict_between(root->op, outcome.low - outcome.limit,
		                                  outcome.high - outcome.limit);
	outcome.samples = fewest_samples(taken);
	for (enum check_role role = CHECK_NEW; role < CHECK_ROLES; role++)
		free(taken[role].at);
	return outcome;
}

size_t check_runs_needed(const struct check_outcome *outcome)
{
	size_t least = outcome->runs[CHECK_NEW];
	double away = fabs(outcome->value - outcome->limit), reach, needed;

	if (outcome->runs[CHECK_OLD] != 0 && outcome->runs[CHECK_OLD] < least)
		least = outcome->runs[CHECK_OLD];
	reach = outcome->value > outcome->limit ? outcome->value - outcome->low
	                                        : outcome->high - outcome->value;
	needed = ceil((double)least * pow(reach / away, 2));
	return needed <= RUNS_MOST ? (size_t)needed : 0;
}
