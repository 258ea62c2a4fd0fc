/* cutstacks.h: stacks of the kernel's samples (--sampler) that are cut, and what would find whole
 * ones. */
#ifndef XER_ANALYZER_REPORT_QUALITY_CUTSTACKS_H
#define XER_ANALYZER_REPORT_QUALITY_CUTSTACKS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"

/* For an experiment in which many stacks are cut although parts of them were copied: what part, in
 * per cent, and what may find more, in text[size]. Returns 1, or 0: it is not one. */
int cutstacks_are_many(const struct experiment *experiment, double *share, char *text, size_t size);

/* Print "# ..." of all experiments in which many are cut. */
void cutstacks_put(const struct dataset *dataset, const struct output *output);

#endif
