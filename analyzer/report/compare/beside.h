/* beside.h: comparisons of reports without rows of metrics: facts and statistics, side by
 * side. */
#ifndef XER_ANALYZER_REPORT_COMPARE_BESIDE_H
#define XER_ANALYZER_REPORT_COMPARE_BESIDE_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* Run `put`, which makes tables (print.h), for each compared group, and print the result with
 * columns for all groups. A record has a line for each fact; for other tables, print_describe says
 * which rows match. A number without a row in a group is 0. */
void compare_beside(const struct dataset *dataset, const struct choices *choices,
                    struct output *output,
                    void (*put)(const struct dataset *dataset, const struct choices *choices,
                                struct output *output));

/* The same for code that does not handle groups, and prints only tables and notes: each group is
 * looked at as if nothing were compared. */
void compare_beside_alone(const struct dataset *dataset, const struct choices *choices,
                          struct output *output,
                          void (*put)(const struct dataset *dataset, const struct choices *choices,
                                      struct output *output, const void *context),
                          const void *context);

#endif
