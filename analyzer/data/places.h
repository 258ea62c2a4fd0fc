/* places.h: where experiments stand in the dataset, by directory, by lineage and by process: a
 * tree may have tens of thousands of them. What is asked for is made then, and made again when the
 * dataset has changed. */
#ifndef XER_ANALYZER_DATA_PLACES_H
#define XER_ANALYZER_DATA_PLACES_H

#include "analyzer/data/dataset.h"

struct places *places_create(void);
void places_destroy(struct places *places);

/* Experiments have left the dataset, or have come to other places in it. */
void places_forget(struct places *places);

/* The experiments of the tree of this founder, itself included, in order of their lineages: those
 * whose lineage is `lineage`, or begins with its steps, as numbers in the dataset. *count may be 0.
 * Borrowed until the dataset changes. */
const uint32_t *places_below(const struct dataset *dataset, unsigned founder, const char *lineage,
                             size_t *count);

/* A process that executed another program has several experiments: the last of them. NULL: no
 * experiment is of that process. */
const struct dataset_experiment *places_process(const struct dataset *dataset, int64_t pid);

/* A process that executed another program has several experiments: the last of them. NULL: no
 * experiment is of that process. */
const struct dataset_experiment *places_process(const struct dataset *dataset, int64_t pid);

/* Does a lineage begin with the steps of another one, or is it the same? */
int places_is_below(const char *lineage, const char *start);

#endif
