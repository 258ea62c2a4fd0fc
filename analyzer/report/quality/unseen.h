/* unseen.h: what happened, and cannot be in the data: no event of it was lost, as the recorder does
 * not see it. All texts are for one line. */
#ifndef XER_ANALYZER_REPORT_QUALITY_UNSEEN_H
#define XER_ANALYZER_REPORT_QUALITY_UNSEEN_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"

/* What went past all wrappers by rings of io_uring(7), in text[size]. Returns 0 if there is none.
 */
int unseen_rings(const struct dataset_experiment *at, char *text, size_t size);

/* If the process grew by far more than its heap events explain, write that to text[size], and
 * return true. */
int unseen_growth(const struct dataset_experiment *at, char *text, size_t size);

/* Is anything that was sampled left out? Says what, and why, into text[size], and returns true. */
int unseen_left_out(const struct dataset_experiment *at, char *text, size_t size);

/* Print "# ..." of all experiments of which something is. */
void unseen_put_left_out(const struct dataset *dataset, const struct output *output);

#endif
