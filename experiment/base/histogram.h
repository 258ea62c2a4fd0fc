/* histogram.h: how many values of which size, exact below 64 and with a relative error of at most
 * 1/64 above: 32 buckets of equal width between one power of 2 and the next, a value standing for
 * the middle of its bucket. counts[octaves * EXP_HISTOGRAM_SUB]. Memory is that of the octaves
 * between the smallest and the largest value. */
#ifndef XER_EXPERIMENT_BASE_HISTOGRAM_H
#define XER_EXPERIMENT_BASE_HISTOGRAM_H

#include "experiment/experiment.h"

enum { EXP_HISTOGRAM_SHIFT = 5, EXP_HISTOGRAM_SUB = 1 << EXP_HISTOGRAM_SHIFT };

/* Add to the octave of a value that is not there yet. Returns 0 or -ENOMEM. */
int exp_histogram_reach(struct exp_histogram *histogram, unsigned octave);

void exp_histogram_fini(struct exp_histogram *histogram);

/* Add all values of `from` to `to`. Returns 0 or -ENOMEM. */
int exp_histogram_merge(struct exp_histogram *to, const struct exp_histogram *from);

/* Octave 0 holds the values below 32, octave n those below 32 * 2^n. */
static inline unsigned exp_histogram_octave(uint64_t value)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);

	return bits <= EXP_HISTOGRAM_SHIFT ? 0 : bits - EXP_HISTOGRAM_SHIFT;
}

/* Add one value. Returns 0 or -ENOMEM. */
static inline int exp_histogram_add(struct exp_histogram *histogram, uint64_t value)
{
	unsigned octave = exp_histogram_octave(value);
	unsigned at = (unsigned)(value >> (octave == 0 ? 0 : octave - 1)) % EXP_HISTOGRAM_SUB;

	if (octave - histogram->first >= histogram->octaves &&
	    exp_histogram_reach(histogram, octave) != 0)
		return -1;
	histogram->counts[(octave - histogram->first) * EXP_HISTOGRAM_SUB + at]++;
	return 0;
}

#endif
