/* rows.h: the totals of one load, a row for each call-stack node that events name, or for each
 * group of a grouped load.
 *
 * Of all nodes of a recording some sixth has events of its own: the others are on the way to them.
 * So values by row take a sixth of what values by node would.
 * See doc/decisions/95-values-by-row.md. */
#ifndef XER_EXPERIMENT_STREAMS_ROWS_H
#define XER_EXPERIMENT_STREAMS_ROWS_H

#include "experiment/experiment.h"
#include "experiment/streams/selection.h"

struct exp_rows {
	uint32_t *of; /* of[of_count], of all nodes: the row of a node, EXP_NO_INDEX: none. NULL:
	                 no node has one, or rows are not of nodes */
	size_t of_count;
	uint32_t *node; /* node[count]; NULL: rows are not of nodes */
	size_t count, capacity;
	uint64_t *value[EXP_METRICS];   /* value[metric][capacity]; NULL where there is no data */
	uint64_t no_stack[EXP_METRICS]; /* of the events without a stack */
	uint64_t *others; /* others[capacity]: events that no metric counts, NULL if there are
	                     none */
};

void exp_rows_fini(struct exp_rows *rows);

/* Make room for `count` rows in all that there is of rows. Returns 0 or -ENOMEM. */
int exp_rows_reserve(struct exp_rows *rows, size_t count);

/* Have values of a metric, all 0 if they are new. Returns 0 or -ENOMEM. */
int exp_rows_need(struct exp_rows *rows, enum exp_metric metric);

/* Count an event that no metric counts. Returns 0 or -ENOMEM. */
int exp_rows_count_other(struct exp_rows *rows, uint32_t row);

/* A row for a node that has none, of node_count. Returns it, or EXP_ROW_NONE: there is no memory.
 */
uint32_t exp_rows_add(struct exp_rows *rows, uint32_t node, size_t node_count);

/* Add the values of nodes that `from` has, whose nodes are the same. No metric is in both. Returns
 * 0 or -ENOMEM. */
int exp_rows_join(struct exp_rows *to, const struct exp_rows *from, size_t node_count);

/* The row of a node, EXP_NO_INDEX: none. */
static inline uint32_t exp_rows_find(const struct exp_rows *rows, uint32_t node)
{
	return node < rows->of_count ? rows->of[node] : EXP_NO_INDEX;
}

#endif
