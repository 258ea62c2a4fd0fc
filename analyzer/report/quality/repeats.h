/* repeats.h: the runs in groups of experiments.
 *
 * Founders of a group that ran the same command one after the other are runs of one program
 * (xcollect --repeat). Others, such as the ranks of an MPI job, are one run together.
 * See doc/decisions/91-uncertainty.md. */
#ifndef XER_ANALYZER_REPORT_QUALITY_REPEATS_H
#define XER_ANALYZER_REPORT_QUALITY_REPEATS_H

#include "analyzer/data/dataset.h"

struct repeats {
	struct dataset dataset; /* a comparison whose columns are the runs */
	unsigned *groups;       /* groups[count]: the group of a run; in order of them */
	size_t count;
	enum tree_compare before;
};

enum repeats_of { REPEATS_OF_GROUPS, REPEATS_OF_ALL /* as if all were one group */ };

/* Look at the selected experiments of a dataset by run. Tables made before are forgotten, and at
 * the end those made in between, unless there is one run only and nothing is compared. */
void repeats_begin(struct repeats *repeats, const struct dataset *dataset, enum repeats_of of);
void repeats_end(struct repeats *repeats);

#endif
