/* changes.c: see changes.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/statistics/changes.h"

#include "analyzer/base/memory.h"
#include "analyzer/statistics/discovery.h"

#include <math.h>
#include <stdlib.h>

/* From this share on a row is the whole: it has all samples, whatever chance does. */
#define WHOLE 0.9999

/* A squared relative error. */
static double spread_of(const struct change_sums *sums)
{
	double from = sums->from.mean > 0 ? sums->from.variance / pow(sums->from.mean, 2) : 0;
	double to = sums->to.mean > 0 ? sums->to.variance / pow(sums->to.mean, 2) : 0;
	struct runs of_from = {sums->from.count, 0, from}, of_to = {sums->to.count, 0, to};

	return runs_pooled(&of_from, &of_to);
}

double changes_spread(const struct change_sums *sums)
{
	return sums->squares > 0 ? sqrt(spread_of(sums)) : 0;
}

static double mean_of(const struct runs *from, const struct runs *to)
{
	return (from->mean + to->mean) / 2;
}

double changes_sample(const struct change_sums *sums)
{
	double all = mean_of(&sums->from, &sums->to);
	size_t least = sums->from.count < sums->to.count ? sums->from.count : sums->to.count;

	return all > 0 && least > 0 ? sums->squares / all / (double)least : 0;
}

double changes_samples(const struct change_sums *sums)
{
	double all = (double)sums->from.count * sums->from.mean +
	             (double)sums->to.count * sums->to.mean;

	return sums->squares > 0 ? all * mean_of(&sums->from, &sums->to) / sums->squares : 0;
}

/* The variance of a binomial share, and what all rows of a run have in common, since runs differ in
 * length. */
void change_expect(struct change *row, const struct change_sums *sums)
{
	double all = mean_of(&sums->from, &sums->to), mean = mean_of(&row->from, &row->to), share;

	if (!(all > 0) || !(sums->squares > 0))
		return;
	share = fmin(1, mean / all);
	row->samples = ((double)row->from.count * row->from.mean +
	                (double)row->to.count * row->to.mean) *
	               all / sums->squares;
	if (share < WHOLE && row->from.count + row->to.count > 2)
		row->expected = sums->squares * share * (1 - share) + mean * mean * spread_of(sums);
}

static int is_sampled(const struct change *row)
{
	return row->expected > 0;
}

static int is_worth(const struct change *row)
{
	return !is_sampled(row) || row->samples >= CHANGE_SAMPLES_MIN;
}

/* From the sampled rows that are tested. All have the same numbers of runs. */
static struct runs_prior learn(const struct change *rows, size_t count)
{
	struct runs_prior prior = RUNS_NO_PRIOR;
	double *variances = memory_take(count, sizeof(*variances)),
	       *expected = memory_take(count, sizeof(*expected)), freedom = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_sampled(&rows[i]) || !is_worth(&rows[i]))
			continue;
		freedom = (double)(rows[i].from.count + rows[i].to.count) - 2;
		variances[used] = runs_pooled(&rows[i].from, &rows[i].to);
		expected[used++] = rows[i].expected;
	}
	if (freedom > 0)
		prior = runs_learn(variances, expected, used, freedom);
	free(variances);
	free(expected);
	return prior;
}

/* Counts are exact. Times and samples vary, even if they happen to be the same in all runs. */
void changes_measure(struct change *rows, size_t count)
{
	struct runs_prior prior = learn(rows, count);

	for (size_t i = 0; i < count; i++) {
		struct change *row = &rows[i];

		row->difference = runs_difference(&row->from, &row->to, row->expected, &prior);
		if (row->is_count && isinf(row->difference.error))
			row->difference.error = 0;
		if (!row->is_count && row->difference.error == 0)
			row->difference.error = INFINITY;
		row->chance = is_worth(row) ? runs_chance(&row->difference) : 1;
	}
}

/* A difference without any error needs no test. */
static int is_tested(const struct change *row)
{
	return is_worth(row) && row->difference.error > 0 && !isinf(row->difference.error);
}

static enum change_verdict verdict_of(const struct change *row, double limit)
{
	double value = row->difference.value;

	if (row->difference.error == 0 && value == 0)
		return CHANGE_NONE;
	if (row->difference.error != 0 && !is_tested(row))
		return CHANGE_UNTESTED;
	if (row->difference.error != 0 && row->chance > limit)
		return CHANGE_NOISE;
	return value > 0 ? CHANGE_MORE : CHANGE_LESS;
}

size_t changes_decide(struct change *rows, size_t count)
{
	double *chances = memory_take(count, sizeof(*chances)), limit;
	size_t tested = 0;

	for (size_t i = 0; i < count; i++)
		if (is_tested(&rows[i]))
			chances[tested++] = rows[i].chance;
	limit = discovery_limit(chances, tested, DISCOVERY_RATE);
	free(chances);
	for (size_t i = 0; i < count; i++)
		rows[i].verdict = verdict_of(&rows[i], limit);
	return tested;
}

const char *change_text(enum change_verdict verdict)
{
	static const char *const texts[] = {
		[CHANGE_UNTESTED] = "", [CHANGE_NONE] = "same", [CHANGE_NOISE] = "within noise",
		[CHANGE_MORE] = "more", [CHANGE_LESS] = "less",
	};

	return texts[verdict];
}
