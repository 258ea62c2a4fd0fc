/* tree.h: the call tree of all experiments, by symbol: what every table is made from.
 *
 * Nodes are frames below frames; node 0 is the root, <Total>. Frames that are equal as the tree's
 * mode sees them are one *item*; item 0 is <Total>. A parent's number is smaller than its
 * children's.
 * See doc/decisions/31-comparing.md. */
#ifndef XER_ANALYZER_MODEL_TREE_H
#define XER_ANALYZER_MODEL_TREE_H

#include "analyzer/model/columns.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/metric.h"
#include "analyzer/model/shown.h"
#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

/* What makes two frames equal. */
enum tree_mode {
	TREE_FUNCTIONS, /* the function */
	TREE_LINES,     /* function, file and line */
	TREE_PCS,       /* the instruction; inlined calls belong to the function that holds them */
	TREE_FRAMES,    /* all of these: for the lists of stacks */
	TREE_MODES
};

enum { TREE_NONE = UINT32_MAX, TREE_ROOT = 0 };

struct tree_node {
	uint32_t item, parent, first_child, next_sibling; /* TREE_NONE if there is none */
};

/* The longest single wait, and the longest single call, of a node itself, in ns. */
struct tree_longest {
	uint64_t sync, io;
};

/* A place in the table of nodes. The key stands in it, so that finding a node is one cache miss. */
struct tree_slot {
	uint32_t parent, item;
	uint32_t node; /* number + 1, 0: free */
};

/* How the parts of a tree are compared. */
enum tree_compare { TREE_COMPARE_OFF, TREE_COMPARE_ON, TREE_COMPARE_DELTA, TREE_COMPARE_RATIO };

/* The greater of `greatest` and the difference of a value to that of the base. */
static inline uint64_t tree_greater_difference(uint64_t greatest, uint64_t base, uint64_t value)
{
	uint64_t difference = value > base ? value - base : base - value;

	return difference > greatest ? difference : greatest;
}

/* The values of nodes themselves. Most nodes are only on the way to others, and have none. */
struct tree_own {
	uint32_t *row_of;  /* row_of[node_count] + 1: the row of a node, 0: it has no values */
	uint32_t *node_of; /* node_of[values.count] */
	size_t node_count, node_capacity, row_capacity, longest_capacity;
	struct columns values;        /* of rows */
	struct tree_longest *longest; /* of rows */
};

/* A tree may be made of parts, one for each group of experiments that are compared. Each is a tree
 * with the values of that group alone, and shares nodes and items with the whole: numbers mean the
 * same in all of them. */
struct tree {
	enum tree_mode mode;
	enum tree_compare compare;
	struct tree *parts; /* parts[part_count]; after tree_finish */
	size_t part_count;
	struct tree_node *nodes; /* nodes[count] */
	size_t count, node_capacity;
	struct tree_own own;
	struct metric_values
		sum;             /* of all nodes; after tree_finish, from where on there is also: */
	struct columns total;    /* of nodes, with all that is below them */
	struct sym_frame *items; /* items[item_count]; fields that the mode ignores are 0 */
	size_t item_count, item_capacity;
	struct tree_slot *node_table; /* open addressing by caller and item */
	uint32_t *item_table;         /* open addressing, numbers + 1, 0 free */
	size_t node_slots, item_slots;
};

/* A tree of its root alone, whose item is the function `total` (borrowed). Destroy with
 * tree_destroy. In a comparison (tree->compare set before the first frame) frames are told apart by
 * function and line, in the mode of instructions also by the offset in the function, and files by
 * their last component. */
struct tree *tree_create(enum tree_mode mode, const struct sym_function *total);
void tree_destroy(struct tree *tree);

/* Free the hash tables, which are made again when they are needed. */
void tree_tables_fini(struct tree *tree);

/* The item of a frame, made if it is new. */
uint32_t tree_item(struct tree *tree, const struct sym_frame *frame);

/* The node for `frame`, or its item, called from node `parent`, made if it is new. */
uint32_t tree_child(struct tree *tree, uint32_t parent, const struct sym_frame *frame);
uint32_t tree_child_item(struct tree *tree, uint32_t parent, uint32_t item);

/* The row of a node's own values, made if it is new. */
uint32_t tree_row(struct tree *tree, uint32_t node);

/* Credit values to a node itself. */
void tree_credit(struct tree *tree, uint32_t node, const struct metric_values *values);

/* Raise what is known as longest at a node. */
void tree_raise(struct tree *tree, uint32_t node, const struct tree_longest *longest);

/* What was credited since the last such call, or the first, is a part of the tree. */
void tree_end_part(struct tree *tree);

/* Make the parts and totals ready; call it once, after the last credit. */
void tree_finish(struct tree *tree);

/* A measured value of a node itself, and all its values. */
uint64_t tree_own(const struct tree *tree, uint32_t node, unsigned metric);
struct metric_view tree_own_view(const struct tree *tree, uint32_t node);
struct metric_values tree_own_values(const struct tree *tree, uint32_t node);
int tree_owns_any(const struct tree *tree, uint32_t node);

/* A measured value of a node with all that is below it. */
static inline uint64_t tree_total(const struct tree *tree, uint32_t node, unsigned metric)
{
	return columns_at(&tree->total, node, metric);
}

/* What is known as longest at a node. */
struct tree_longest tree_longest_of(const struct tree *tree, uint32_t node);

/* What frames become in a tree. */
struct tree_view {
	enum frames_mode mode;
	/* By kind: what stands at the inner end of a stack for frames that are left out; its object
	 * is set then. */
	struct sym_function *stand_in;
	struct shown *shown;
	metric_set metrics; /* only these, and only stacks that have any of them; 0:
	                     all */
	int is_flat;        /* callers do not matter: all functions stand below the root */
};

/* Add an experiment's stacks. Returns 0 or -ENOMEM. */
void tree_add_experiment(struct tree *tree, struct symbols *symbols,
                         const struct experiment *experiment, const struct exp_data_set *data,
                         const struct tree_view *view);

/* Where the events of an experiment's stacks stand in a tree: TREE_ROOT where no event is. */
struct tree_places {
	uint32_t *own;     /* own[count], by node of the experiment */
	uint32_t *clock;   /* likewise of clock samples */
	uint32_t no_stack; /* of events without a stack */
	size_t count;
};

/* Add an experiment's stacks without their values, for callers that know at which node an event
 * was. Returns 0 or -ENOMEM; in both cases tree_places_fini frees. */
void tree_place_experiment(struct tree *tree, struct symbols *symbols,
                           const struct experiment *experiment, const struct exp_data_set *data,
                           const struct tree_view *view, struct tree_places *out);
void tree_places_fini(struct tree_places *places);

/* Which nodes of an experiment are callers. The caller frees. */
unsigned char *tree_find_parents(const struct exp_nodes *nodes);

/* Is the address of a node that of an interrupted instruction? Only the innermost frame of a clock
 * sample is; all others are return addresses. A node that is both counts as a return address. */
int tree_is_leaf(const struct exp_nodes *nodes, const unsigned char *is_parent, size_t node);

/* The metrics that the totals of an experiment make. */
struct metric_values tree_values_of(const uint64_t of[EXP_METRICS]);

/* The node after `node` in depth-first order, parents first; TREE_NONE at the end.
 * *depth, the number of nodes above, follows. */
uint32_t tree_next(const struct tree *tree, uint32_t node, size_t *depth);

#endif
