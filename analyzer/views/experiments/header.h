/* header.h: the parts of `header`. */
#ifndef XER_ANALYZER_VIEWS_EXPERIMENTS_HEADER_H
#define XER_ANALYZER_VIEWS_EXPERIMENTS_HEADER_H

#include "analyzer/data/dataset.h"

#include <stdio.h>

/* A text of the log, "?" for one that it does not have. */
static inline const char *header_known(const char *text)
{
	return text && text[0] != '\0' ? text : "?";
}

/* What was asked for, in words (setting.def); settings that have no words as NAME = VALUE. Lines
 * have at most `columns` characters, but for one setting that is longer. */
#define HEADER_SETTINGS "Settings   "
void header_put_settings(FILE *out, const struct exp_info *info, size_t columns);

/* What --sampler did; nothing if it was not asked for. Without counts, it was refused, or its
 * helper is still writing. */
void header_put_sampler(FILE *out, const struct experiment *experiment);

/* What the counters of -h did. */
void header_put_counters(FILE *out, const struct experiment *experiment);

/* "Warnings   none", or a line for each. */
void header_put_troubles(FILE *out, const struct dataset *dataset,
                         const struct dataset_experiment *at);

/* The descendants of `founder`, a line for each program or process, and what went wrong in them. */
void header_put_descendants(FILE *out, const struct dataset *dataset,
                            const struct dataset_experiment *founder);

#endif
