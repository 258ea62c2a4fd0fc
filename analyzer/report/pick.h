/* pick.h: the function that the argument of a command stands for. */
#ifndef XER_ANALYZER_REPORT_PICK_H
#define XER_ANALYZER_REPORT_PICK_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* The item called `name` in the tree of functions; of several, the number-th.
 * Says so and returns TREE_NONE if there is none or the number is missing. */
uint32_t pick_function(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *command, const char *name,
                       unsigned long number);

/* The name of the function that is nearest to `name`; NULL: none is near, or
 * filters leave out functions. The caller frees. */
char *pick_nearest(const struct dataset *dataset, const char *name);

#endif
