/* fragment.h: a fragment of call stacks (functions that call one another), and its callers and
 * callees. */
#ifndef XER_ANALYZER_MODEL_FRAGMENT_H
#define XER_ANALYZER_MODEL_FRAGMENT_H

#include "analyzer/model/tree.h"

enum { FRAGMENT_MAX = 60 };

struct fragment {
	const struct sym_function *functions[FRAGMENT_MAX]; /* functions[count], the caller first;
	                                                       compared, never read */
	size_t count;
};

/* Values around a fragment. Stacks that hold it several times count once: their caller is that of
 * the outermost place, their callee that of the innermost. */
struct fragment_values {
	struct metric_values own, total; /* in its last function itself; with all below */
	struct columns callers, callees; /* by item */
};

/* Find a fragment in a tree of functions. fragment_values_fini frees. */
struct fragment_values fragment_find(const struct fragment *fragment, const struct tree *tree);
void fragment_values_fini(struct fragment_values *values);

/* The item of a function, TREE_NONE if the tree has none. */
uint32_t fragment_item(const struct tree *tree, const struct sym_function *function);

#endif
