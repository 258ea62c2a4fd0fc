/* newest.h: recordings that keep their newest data only (xcollect --keep): how much, and since
 * when.
 * See doc/decisions/103-keep.md. */
#ifndef XER_ANALYZER_DATA_NEWEST_H
#define XER_ANALYZER_DATA_NEWEST_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"

/* Say it, in text[size]. Returns 1, or 0 if the experiment keeps all. */
int newest_text(const struct dataset_experiment *at, char *text, size_t size);

/* Print "# kept: ..." for the recordings of the dataset that have dropped something. */
void newest_put(const struct dataset *dataset, const struct output *output);

/* The time in ns, since its start, since when the first of the experiments has all data. */
uint64_t newest_from_ns(const struct dataset *dataset);

/* The first usage sample from which on the data are all there; NULL: there is none. */
const struct exp_usage *newest_usage(const struct dataset_experiment *at);

#endif
