/* quality.h: the quality of the data: the lines above tables that say what is missing.
 *
 * All begin with `#`, so that programs can skip them. */
#ifndef XER_ANALYZER_REPORT_QUALITY_QUALITY_H
#define XER_ANALYZER_REPORT_QUALITY_QUALITY_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* Print "# quality: ...", and the filters. As text, nothing if the last view said the same in this
 * file: tables of one command are of the same data. */
void quality_put(const struct dataset *dataset, struct output *output);

/* Print "WHAT sorted by metric: ..." and an empty line, after the quality line. */
void quality_put_title(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *what);

/* What is said of experiments with info->untold. */
#define QUALITY_UNTOLD \
	"a helper that samples (--sampler, -h) ended before it wrote its counts: samples may be missing"

#endif
