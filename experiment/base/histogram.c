/* histogram.c: log-linear histograms. See histogram.h.
 * See doc/decisions/28-call-pairing.md. */
#include "experiment/base/histogram.h"

#include "experiment/base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int exp_histogram_reach(struct exp_histogram *histogram, unsigned octave)
{
	unsigned end = histogram->first + histogram->octaves;
	unsigned first = !histogram->counts || octave < histogram->first ? octave
	                                                                 : histogram->first;
	uint64_t *counts;

	if (!histogram->counts || octave >= end)
		end = octave + 1;
	counts = calloc((size_t)(end - first) * EXP_HISTOGRAM_SUB, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (histogram->counts)
		memcpy(counts + (size_t)(histogram->first - first) * EXP_HISTOGRAM_SUB,
		       histogram->counts,
		       (size_t)histogram->octaves * EXP_HISTOGRAM_SUB * sizeof(*counts));
	free(histogram->counts);
	*histogram = (struct exp_histogram){counts, first, end - first};
	return 0;
}

void exp_histogram_fini(struct exp_histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct exp_histogram){0};
}

int exp_histogram_merge(struct exp_histogram *to, const struct exp_histogram *from)
{
	if (!from->counts)
		return 0;
	if (exp_histogram_reach(to, from->first) != 0 ||
	    exp_histogram_reach(to, from->first + from->octaves - 1) != 0)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)from->octaves * EXP_HISTOGRAM_SUB; i++)
		to->counts[(size_t)(from->first - to->first) * EXP_HISTOGRAM_SUB +
		           i] += from->counts[i];
	return 0;
}

/* The middle of a bucket. */
static uint64_t value_of(const struct exp_histogram *histogram, size_t at)
{
	unsigned octave = histogram->first + (unsigned)(at / EXP_HISTOGRAM_SUB);
	uint64_t sub = at % EXP_HISTOGRAM_SUB;

	if (octave == 0)
		return sub;
	return ((EXP_HISTOGRAM_SUB + sub) << (octave - 1)) + ((uint64_t)1 << (octave - 1)) / 2;
}

/* Of 100 values, the 0.07 share is 7, not 7.000000000000001. */
#define RANK_SLACK 1e-12

/* By the nearest rank: of 10 values 0.9 is the ninth. */
uint64_t experiment_quantile(const struct exp_histogram *histogram, double share)
{
	size_t buckets = (size_t)histogram->octaves * EXP_HISTOGRAM_SUB;
	uint64_t sum = 0, seen = 0, wanted;
	size_t last = 0;

	for (size_t i = 0; i < buckets; i++)
		sum += histogram->counts[i];
	if (sum == 0)
		return 0;
	wanted = exp_whole(share * (double)sum * (1 - RANK_SLACK));
	wanted += (double)wanted < share * (double)sum * (1 - RANK_SLACK) || wanted == 0;
	for (size_t i = 0; i < buckets; i++) {
		if (histogram->counts[i] == 0)
			continue;
		seen += histogram->counts[i];
		last = i;
		if (seen >= wanted)
			break;
	}
	return value_of(histogram, last);
}
