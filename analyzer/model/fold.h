/* fold.h: flat tables from the call tree: each item once, and the calls between items. */
#ifndef XER_ANALYZER_MODEL_FOLD_H
#define XER_ANALYZER_MODEL_FOLD_H

#include "analyzer/model/tree.h"

/* Totals of one item. An item several times in one stack (recursion) counts that stack once. */
struct fold_row {
	struct metric_values own;   /* exclusive: it was the innermost frame */
	struct metric_values total; /* inclusive: it was anywhere in the stack */
};

/* The totals of every item, rows[tree->item_count] by item. The caller frees. */
struct fold_row *fold_items(const struct tree *tree);

/* The totals of sets of items: key_of[item] is the set that an item belongs to, TREE_NONE: to none.
 * Several items of one set in one stack count that stack once. rows[key_count] by key; the caller
 * frees. */
struct fold_row *fold_sets(const struct tree *tree, const uint32_t *key_of, size_t key_count);

/* `callee` called from `caller`. For any item: its inclusive value is the sum of as_caller over its
 * callers, and also its exclusive value plus the sum of as_callee over its callees. In recursion
 * the caller is that of the outermost call, and the callee that of the innermost. */
struct fold_edge {
	uint32_t caller, callee;        /* items */
	struct metric_values as_caller; /* inclusive values of the callee, by this caller */
	struct metric_values as_callee; /* inclusive values of the caller, by this callee */
};

struct fold_edges {
	struct fold_edge *edges; /* edges[count] */
	size_t count, capacity;
	uint32_t *table; /* open addressing, numbers + 1, 0 free */
	size_t slots;
};

/* All edges of the tree. Destroy with fold_edges_destroy. */
struct fold_edges *fold_edges_create(const struct tree *tree);
void fold_edges_destroy(struct fold_edges *edges);

#endif
