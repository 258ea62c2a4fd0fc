/* kept.h: distinguishes what the C library keeps for its own use from what the program forgot to
 * free. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_KEPT_H
#define XER_ANALYZER_VIEWS_EVENTS_KEPT_H

#include "analyzer/model/tree.h"

/* Move the stacks whose blocks the C library keeps to the end; the order stays in both parts.
 * Returns how many others there are. */
size_t kept_set_apart(const struct tree *tree, uint32_t *stacks, size_t count);

/* True if a block that this function, or one that it called, asked for is the C library's own.
 * *is_library: whether the function belongs to the C library at all. */
int kept_is_own(const struct sym_function *function, int *is_library);

#endif
