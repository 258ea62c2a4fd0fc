/* pick.h: which function a command means by its argument. */
#ifndef XER_ANALYZER_REPORT_PICK_H
#define XER_ANALYZER_REPORT_PICK_H

#include "analyzer/data/session.h"

/* The item called `name` in the tree of functions; of several, the number-th.
 * Says so and returns TREE_NONE if there is none or the number is missing. */
uint32_t pick_function(struct session *session, const char *command, const char *name,
                       unsigned long number);

#endif
