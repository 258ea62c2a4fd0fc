/* sampled.h: which metrics are sampled, and what their samples are. */
#ifndef XER_ANALYZER_DATA_SAMPLED_H
#define XER_ANALYZER_DATA_SAMPLED_H

#include "analyzer/data/dataset.h"

/* What all samples of a metric stand for, and the squares of that, which tell how exact shares of
 * it are, times their design effect. All 0: the metric is not sampled. Where the sum itself is left
 * to chance, as with blocks of the heap, a value has at most the variance value * unit, and only
 * `unit` is set. */
struct sampled {
	double sum, squares, unit;
	int is_estimate; /* of which the error is not known: numbers of blocks of a sampled heap */
};

/* Those of a metric in the experiments of a group, DATASET_ALL: in all selected ones. `sum`: the
 * value of the metric there, which is that of samples of a counter. */
struct sampled sampled_in(const struct dataset *dataset, unsigned group, unsigned metric,
                          uint64_t sum);

#endif
