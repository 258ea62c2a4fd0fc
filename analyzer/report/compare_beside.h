/* compare_beside.h: comparisons of what has no rows of metrics: facts and statistics, side by side.
 */
#ifndef XER_ANALYZER_REPORT_COMPARE_BESIDE_H
#define XER_ANALYZER_REPORT_COMPARE_BESIDE_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* Run `put`, which makes tables (print.h), for each compared group, and print what it made with
 * columns for all of them: a record has a line a fact; of other tables print_describe says which
 * rows are one. A number that a group has no row for is 0. */
void compare_beside(const struct dataset *dataset, const struct choices *choices,
                    struct output *output,
                    void (*put)(const struct dataset *dataset, const struct choices *choices,
                                struct output *output));

/* The same with what knows nothing of groups, and prints nothing but tables and notes: each group
 * is looked at as if nothing were compared. */
void compare_beside_alone(const struct dataset *dataset, const struct choices *choices,
                          struct output *output,
                          void (*put)(const struct dataset *dataset, const struct choices *choices,
                                      struct output *output, const void *context),
                          const void *context);

#endif
