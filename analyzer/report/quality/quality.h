/* quality.h: the quality of the data: the lines above tables that say what is missing.
 *
 * All begin with `#`, so that programs can skip them. */
#ifndef XER_ANALYZER_REPORT_QUALITY_QUALITY_H
#define XER_ANALYZER_REPORT_QUALITY_QUALITY_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* Print "# quality: ..." */
void quality_put(const struct dataset *dataset, struct output *output);

/* Print "WHAT sorted by metric: ..." and an empty line, after the quality line. */
void quality_put_title(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *what);

/* What is said of experiments with info->untold. */
#define QUALITY_UNTOLD \
	"a helper that samples (--sampler, -h) ended before it wrote its counts: samples may be missing"

/* What went past all wrappers by rings of io_uring(7), in text[size]. Returns 0 if there is none.
 */
int quality_rings(const struct dataset_experiment *at, char *text, size_t size);

/* If the process grew by far more than its heap events explain, write that to text[size], and
 * return true. */
int quality_unseen(const struct dataset_experiment *at, char *text, size_t size);

/* For an experiment in which many stacks are cut although parts of them were copied: what part, in
 * per cent, and what may find more. Returns 1, or 0: it is not one. */
int quality_cut(const struct experiment *experiment, double *share, char *text, size_t size);

/* Is anything that was sampled left out? Says what, and why, into text[size], and returns true. */
int quality_left_out(const struct dataset_experiment *at, char *text, size_t size);

/* Print "# ..." of all experiments of which something is. */
void quality_put_left_out(const struct dataset *dataset, const struct output *output);

#endif
