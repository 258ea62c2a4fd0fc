/* owncode.h: which code is the program's own, and not the system's: what its author looks for first
 * in a stack. */
#ifndef XER_ANALYZER_MODEL_OWNCODE_H
#define XER_ANALYZER_MODEL_OWNCODE_H

#include "analyzer/model/tree.h"

/* Is the function, whose code in a stack comes from the source `file` (NULL: not known), the
 * program's? Libraries in directories of the system are not, nor is what their headers bring into
 * the program: update() is, of update() -> std::lock_guard() -> pthread_mutex_lock(). */
int owncode_is(const struct sym_function *function, const char *file);

/* The innermost node of the program's own code from a node of the tree outwards; TREE_ROOT if there
 * is none. */
uint32_t owncode_node(const struct tree *tree, uint32_t node);

/* For each node, the item of that node, or the node's own where there is none. The caller frees. */
uint32_t *owncode_items(const struct tree *tree);

/* What each item has of a metric, with these items of the nodes; NULL: nobody has any. The caller
 * frees. */
uint64_t *owncode_sums(const struct tree *tree, const uint32_t *items, unsigned id);

#endif
