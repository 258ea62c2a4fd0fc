/* reuse.c: divides nodes of call stacks by time. See reuse.h.
 * See doc/decisions/39-address-reuse.md. */
#include "experiment/streams/reuse.h"

#include "experiment/base/epoch.h"
#include "experiment/jit/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is beyond keeps the last span that fitted. */
enum { MOMENTS_MAX = 512, SPANS_MAX = 8 << 20 };

struct maker {
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

/* The functions that a node's address may mean: of an interrupted instruction, and of a call before
 * it. */
struct meaning {
	const struct exp_function *at, *before;
};

static struct meaning meaning_of(const struct maker *maker, size_t node, uint64_t ticks)
{
	struct exp_epoch then = {ticks, maker->table->generation[node]};
	uint64_t pc = maker->table->pc[node];

	return (struct meaning){exp_function_then(maker->experiment, pc, then),
	                        exp_function_then(maker->experiment, pc - 1, then)};
}

/* When a node's own functions change, in order; not counting the first to be there. */
static void find_own_moments(struct maker *maker, size_t node)
{
	uint64_t pc = maker->table->pc[node];
	uint32_t generation = maker->table->generation[node];
	struct meaning now, next;
	size_t found, kept = 0;

	maker->count = 0;
	if (pc < FMT_PC_MARKS)
		return;
	found = exp_function_moments(maker->experiment, pc, generation, maker->moments, 0,
	                             MOMENTS_MAX / 2);
	found = exp_function_moments(maker->experiment, pc - 1, generation, maker->moments, found,
	                             MOMENTS_MAX);
	if (found < 2)
		return;
	qsort(maker->moments, found, sizeof(*maker->moments), compare_moments);
	now = meaning_of(maker, node, 0);
	for (size_t i = 0; i < found; i++) {
		next = meaning_of(maker, node, maker->moments[i]);
		if (is_same(now.at, next.at) && is_same(now.before, next.before))
			continue;
		now = next;
		maker->moments[kept++] = maker->moments[i];
	}
	maker->count = kept;
}

static int add_span(struct maker *maker, uint64_t ticks, uint32_t node)
{
	struct exp_reuse *reuse = maker->reuse;

	if (exp_array_reserve(&reuse->spans, &reuse->span_capacity, reuse->span_count,
	                      sizeof(*reuse->spans)) != 0)
		return -ENOMEM;
	reuse->spans[reuse->span_count++] = (struct exp_reuse_span){ticks, node};
	return 0;
}

/* The generation that says when the node's own functions are meant; its own, if they do not change.
 */
static uint32_t own_generation(struct maker *maker, uint32_t generation, size_t own, int *rc)
{
	if (maker->count == 0)
		return generation;
	generation = exp_epoch_add(maker->experiment, own == 0 ? 0 : maker->moments[own - 1],
	                           generation);
	if (generation == 0)
		*rc = -ENOMEM;
	return generation;
}

/* Make the nodes of all spans of a node: one wherever its own functions or its caller's node
 * change. */
static int divide(struct maker *maker, size_t node)
{
	struct exp_node_table *table = maker->table;
	struct exp_reuse *reuse = maker->reuse;
	uint32_t generation = table->generation[node], parent = table->parent[node];
	size_t outer = parent == EXP_NODE_NONE ? 0 : reuse->first[parent], own = 0;
	size_t outer_end = parent == EXP_NODE_NONE ? 0 : reuse->first[parent + 1];
	int rc = 0;

	if (maker->count == 0 && outer == outer_end)
		return 0;
	table->generation[node] = own_generation(maker, generation, 0, &rc);
	while (rc == 0 && (own < maker->count || outer < outer_end) &&
	       reuse->span_count < SPANS_MAX) {
		uint64_t own_ticks = own < maker->count ? maker->moments[own] : UINT64_MAX;
		uint64_t outer_ticks = outer < outer_end ? reuse->spans[outer].ticks : UINT64_MAX;
		uint64_t ticks = own_ticks < outer_ticks ? own_ticks : outer_ticks;

		while (own < maker->count && maker->moments[own] == ticks)
			own++;
		while (outer < outer_end && reuse->spans[outer].ticks == ticks)
			parent = reuse->spans[outer++].node;
		rc = add_span(maker, ticks, (uint32_t)table->count);
		if (rc == 0)
			rc = exp_nodes_add(table, table->pc[node], parent,
			                   own_generation(maker, generation, own, &rc));
	}
	return rc;
}

int exp_reuse_make(struct experiment *experiment, struct exp_node_table *table)
{
	struct maker maker = {.experiment = experiment, .table = table};
	size_t count = table->count;
	int rc = 0;

	if (!experiment->has_reuse || count == 0)
		return 0;
	maker.reuse = table->reuse = calloc(1, sizeof(*table->reuse));
	if (!table->reuse)
		return -ENOMEM;
	maker.reuse->node_count = count;
	maker.reuse->first = calloc(count + 1, sizeof(*maker.reuse->first));
	if (!maker.reuse->first)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		find_own_moments(&maker, i);
		rc = divide(&maker, i);
		maker.reuse->first[i + 1] = (uint32_t)maker.reuse->span_count;
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
