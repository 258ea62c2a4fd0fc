/* fold.h: flat tables from the call tree: each item once, and the calls between items. */
#ifndef XER_ANALYZER_MODEL_FOLD_H
#define XER_ANALYZER_MODEL_FOLD_H

#include "analyzer/model/tree.h"

/* The totals of items, or of sets of items. A thing that is several times in one stack (recursion)
 * counts that stack once. */
struct fold {
	struct columns own;   /* exclusive: it was the innermost frame */
	struct columns total; /* inclusive: it was anywhere in the stack */
	/* What the columns are made from: */
	const struct tree *tree;
	uint32_t *key_of; /* by item: the set that it belongs to, TREE_NONE: to none; NULL: each
	                     item is one */
	uint8_t *is_outermost; /* by node, a bit each: no other node of its set is above it */
};

/* The totals of every item, by item. The tree must live as long. Destroy with fold_destroy. */
struct fold *fold_items(const struct tree *tree);

/* The totals of sets of items, by key: key_of[item] < key_count is the set that an item belongs to,
 * TREE_NONE: to none. Several items of one set in one stack count that stack once. */
struct fold *fold_sets(const struct tree *tree, const uint32_t *key_of, size_t key_count);
void fold_destroy(struct fold *fold);

/* `callee` called from `caller`. For any item: its inclusive value is the sum of as_caller over its
 * callers, and also its exclusive value plus the sum of as_callee over its callees. In recursion
 * the caller is that of the outermost call, and the callee that of the innermost. */
struct fold_edge {
	uint32_t caller, callee; /* items */
};

struct fold_edges {
	struct fold_edge *edges; /* edges[count] */
	size_t count, capacity;
	struct columns as_caller; /* by edge: inclusive values of the callee, by this caller */
	struct columns as_callee; /* by edge: inclusive values of the caller, by this callee */
	/* What the columns are made from, and how edges are found again: */
	const struct tree *tree;
	uint32_t *edge_of; /* by node: the edge that leads to it */
	uint32_t *through; /* by node: the edge that a recursive call does not count for, since a
	                      more inner one does; TREE_NONE: none */
	uint8_t *is_outermost; /* by node, a bit each: its item is not above it */
	uint32_t *table;       /* open addressing, numbers + 1, 0 free */
	size_t slots;
};

/* All edges of the tree, which must live as long. Destroy with fold_edges_destroy. */
struct fold_edges *fold_edges_create(const struct tree *tree);
void fold_edges_destroy(struct fold_edges *edges);

#endif
