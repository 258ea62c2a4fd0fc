/* overview.h: the parts of the overview (overview.c) that are of one kind of data: totals
 * (overview_section.c), and the functions with the most (overview_tops.c). */
#ifndef XER_ANALYZER_VIEWS_EXPERIMENTS_OVERVIEW_H
#define XER_ANALYZER_VIEWS_EXPERIMENTS_OVERVIEW_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* A value of the metric `id` as `out` shows it: with groups of digits, if it is no time. */
char *overview_grouped(const FILE *out, unsigned id, char *value);

/* Print the functions with the most of each metric of a kind of data that has some in the overview,
 * as text. */
void overview_put_tops(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, unsigned kind);

/* The largest values of each kind of data as tables; in a comparison those of the first group, or
 * the greatest differences to it. */
void overview_put_top_tables(const struct dataset *dataset, const struct choices *choices,
                             struct output *output);

/* The overview of one kind of data as text: totals, then functions. */
void overview_put_section(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, unsigned kind);

#endif
