/* reuse.c: divides nodes of call stacks by time. See reuse.h.
 * See doc/decisions/39-address-reuse.md. */
#include "experiment/streams/reuse.h"

#include "experiment/base/instant.h"
#include "experiment/jit/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is beyond keeps the last span that fitted. */
enum { MOMENTS_MAX = 512, SPANS_MAX = 8 << 20 };

struct divider {
	struct experiment *experiment;
	struct exp_node_table *table;
	struct exp_reuse *reuse;
	uint64_t moments[MOMENTS_MAX];
	size_t count;
};

static int compare_moments(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static int is_same(const struct exp_function *left, const struct exp_function *right)
{
	if (!left || !right || left == right)
		return left == right;
	return left->address == right->address && left->size == right->size &&
	       strcmp(left->name, right->name) == 0;
}

/* The functions that a node's address may refer to: that of an interrupted instruction, and that of
 * a call before it. */
struct meaning {
	const struct exp_function *at, *before;
};

static struct meaning meaning_of(const struct divider *divider, size_t node, uint64_t ticks)
{
	struct exp_instant then = {ticks, divider->table->generation[node]};
	uint64_t pc = divider->table->pc[node];

	return (struct meaning){exp_function_then(divider->experiment, pc, then),
	                        exp_function_then(divider->experiment, pc - 1, then)};
}

/* When a node's own functions change, in order; not counting the first to be there. */
static void find_own_moments(struct divider *divider, size_t node)
{
	uint64_t pc = divider->table->pc[node];
	uint32_t generation = divider->table->generation[node];
	struct meaning now, next;
	size_t found, kept = 0;

	divider->count = 0;
	if (pc < FMT_PC_MARKS)
		return;
	found = exp_function_moments(divider->experiment, pc, generation, divider->moments, 0,
	                             MOMENTS_MAX / 2);
	found = exp_function_moments(divider->experiment, pc - 1, generation, divider->moments,
	                             found, MOMENTS_MAX);
	if (found < 2)
		return;
	qsort(divider->moments, found, sizeof(*divider->moments), compare_moments);
	now = meaning_of(divider, node, 0);
	for (size_t i = 0; i < found; i++) {
		next = meaning_of(divider, node, divider->moments[i]);
		if (is_same(now.at, next.at) && is_same(now.before, next.before))
			continue;
		now = next;
		divider->moments[kept++] = divider->moments[i];
	}
	divider->count = kept;
}

static int add_span(struct divider *divider, uint64_t ticks, uint32_t node)
{
	struct exp_reuse *reuse = divider->reuse;

	if (exp_array_reserve(&reuse->spans, &reuse->span_capacity, reuse->span_count,
	                      sizeof(*reuse->spans)) != 0)
		return -ENOMEM;
	reuse->spans[reuse->span_count++] = (struct exp_reuse_span){ticks, node};
	return 0;
}

/* The generation that says when the node's own functions are meant; its own, if they do not change.
 */
static uint32_t own_generation(struct divider *divider, uint32_t generation, size_t own, int *rc)
{
	if (divider->count == 0)
		return generation;
	generation = exp_instant_add(divider->experiment, own == 0 ? 0 : divider->moments[own - 1],
	                             generation);
	if (generation == 0)
		*rc = -ENOMEM;
	return generation;
}

/* Make the nodes of all spans of a node: one wherever its own functions or its caller's node
 * change. */
static int divide(struct divider *divider, size_t node)
{
	struct exp_node_table *table = divider->table;
	struct exp_reuse *reuse = divider->reuse;
	uint32_t generation = table->generation[node], parent = table->parent[node];
	size_t outer = parent == EXP_NODE_NONE ? 0 : reuse->first[parent], own = 0;
	size_t outer_end = parent == EXP_NODE_NONE ? 0 : reuse->first[parent + 1];
	int rc = 0;

	if (divider->count == 0 && outer == outer_end)
		return 0;
	table->generation[node] = own_generation(divider, generation, 0, &rc);
	while (rc == 0 && (own < divider->count || outer < outer_end) &&
	       reuse->span_count < SPANS_MAX) {
		uint64_t own_ticks = own < divider->count ? divider->moments[own] : UINT64_MAX;
		uint64_t outer_ticks = outer < outer_end ? reuse->spans[outer].ticks : UINT64_MAX;
		uint64_t ticks = own_ticks < outer_ticks ? own_ticks : outer_ticks;

		while (own < divider->count && divider->moments[own] == ticks)
			own++;
		while (outer < outer_end && reuse->spans[outer].ticks == ticks)
			parent = reuse->spans[outer++].node;
		rc = add_span(divider, ticks, (uint32_t)table->count);
		if (rc == 0)
			rc = exp_nodes_add(table, table->pc[node], parent,
			                   own_generation(divider, generation, own, &rc));
	}
	return rc;
}

int exp_reuse_make(struct experiment *experiment, struct exp_node_table *table)
{
	struct divider divider = {.experiment = experiment, .table = table};
	size_t count = table->count;
	int rc = 0;

	if (!experiment->has_reuse || count == 0)
		return 0;
	divider.reuse = table->reuse = calloc(1, sizeof(*table->reuse));
	if (!table->reuse)
		return -ENOMEM;
	divider.reuse->node_count = count;
	divider.reuse->first = calloc(count + 1, sizeof(*divider.reuse->first));
	if (!divider.reuse->first)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		find_own_moments(&divider, i);
		rc = divide(&divider, i);
		divider.reuse->first[i + 1] = (uint32_t)divider.reuse->span_count;
	}
	return rc;
}

void exp_reuse_destroy(struct exp_reuse *reuse)
{
	if (!reuse)
		return;
	free(reuse->first);
	free(reuse->spans);
	free(reuse);
}

uint32_t exp_reuse_at(const struct exp_reuse *reuse, uint32_t node, uint64_t ticks)
{
	size_t low, high, begin;

	if (node >= reuse->node_count)
		return node;
	begin = low = reuse->first[node];
	high = reuse->first[node + 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reuse->spans[middle].ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low == begin ? node : reuse->spans[low - 1].node;
}
