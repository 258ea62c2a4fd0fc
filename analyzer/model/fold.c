/* fold.c: one walk over the call tree for each flat table. Each keeps, by item, how often or where
 * the item is on the way from the root, so that recursion counts once. What the walk has found is
 * kept for each node; the values of a metric are added up by it when they are asked for.
 * See doc/decisions/96-columns.md. */
#include "analyzer/model/fold.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

static void set_bit(uint8_t *bits, size_t at)
{
	bits[at / 8] |= (uint8_t)(1 << at % 8);
}

static int has_bit(const uint8_t *bits, size_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static uint8_t *take_bits(size_t count)
{
	return memory_take(count / 8 + 1, 1);
}

/* ---- totals of items and of sets of them ---- */

static uint32_t key_of(const struct fold *fold, uint32_t node)
{
	uint32_t item = fold->tree->nodes[node].item;

	return !fold->key_of ? item : fold->key_of[item];
}

static void find_outermost(struct fold *fold)
{
	const struct tree *tree = fold->tree;
	uint32_t *outermost = memory_take(fold->own.count, sizeof(*outermost)); /* node + 1 */
	uint32_t node = TREE_ROOT;
	size_t depth = 0;

	/* The outermost node of a set is forgotten when the walk goes up past it. */
	while (node != TREE_NONE) {
		uint32_t next, key = key_of(fold, node);

		if (key != TREE_NONE && outermost[key] == 0) {
			outermost[key] = node + 1;
			set_bit(fold->is_outermost, node);
		}
		next = tree_next(tree, node, &depth);
		for (uint32_t up = node;
		     next == TREE_NONE ? up != TREE_NONE : up != tree->nodes[next].parent;
		     up = tree->nodes[up].parent) {
			key = key_of(fold, up);
			if (key != TREE_NONE && outermost[key] == up + 1)
				outermost[key] = 0;
		}
		node = next;
	}
	free(outermost);
}

static uint64_t *make_own(const void *source, unsigned metric)
{
	const struct fold *fold = source;
	const struct tree_own *own = &fold->tree->own;
	const uint64_t *values = own->values.of[metric];
	uint64_t *sums;

	if (!values)
		return NULL;
	sums = memory_take(fold->own.count, sizeof(*sums));
	for (size_t row = 0; row < own->values.count; row++) {
		uint32_t key = key_of(fold, own->node_of[row]);

		if (key != TREE_NONE)
			sums[key] += values[row];
	}
	return sums;
}

static uint64_t *make_total(const void *source, unsigned metric)
{
	const struct fold *fold = source;
	const uint64_t *total = columns_of(&fold->tree->total, metric);
	uint64_t *sums;

	if (!total)
		return NULL;
	sums = memory_take(fold->own.count, sizeof(*sums));
	for (uint32_t node = 0; node < fold->tree->count; node++)
		if (total[node] != 0 && has_bit(fold->is_outermost, node))
			sums[key_of(fold, node)] += total[node];
	return sums;
}

static struct fold *make_fold(const struct tree *tree, const uint32_t *keys, size_t key_count)
{
	struct fold *fold = memory_take(1, sizeof(*fold));

	fold->tree = tree;
	fold->own = (struct columns){.count = key_count, .make = make_own, .source = fold};
	fold->total = (struct columns){.count = key_count, .make = make_total, .source = fold};
	if (keys) {
		fold->key_of = memory_take(tree->item_count, sizeof(*fold->key_of));
		for (size_t i = 0; i < tree->item_count; i++)
			fold->key_of[i] = keys[i];
	}
	fold->is_outermost = take_bits(tree->count);
	find_outermost(fold);
	return fold;
}

struct fold *fold_sets(const struct tree *tree, const uint32_t *keys, size_t key_count)
{
	return make_fold(tree, keys, key_count);
}

struct fold *fold_items(const struct tree *tree)
{
	return make_fold(tree, NULL, tree->item_count);
}

void fold_destroy(struct fold *fold)
{
	if (!fold)
		return;
	columns_fini(&fold->own);
	columns_fini(&fold->total);
	free(fold->key_of);
	free(fold->is_outermost);
	free(fold);
}

/* ---- calls between items ---- */

static size_t edge_slot(const struct fold_edges *edges, uint32_t caller, uint32_t callee)
{
	uint64_t hash = ((uint64_t)caller << 32 | callee) *
	                0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	size_t slot = (hash >> 20) & (edges->slots - 1);

	while (edges->table[slot] != 0) {
		const struct fold_edge *edge = &edges->edges[edges->table[slot] - 1];

		if (edge->caller == caller && edge->callee == callee)
			break;
		slot = (slot + 1) & (edges->slots - 1);
	}
	return slot;
}

static void rehash(struct fold_edges *edges)
{
	free(edges->table);
	edges->slots = edges->slots ? edges->slots * 2 : 64;
	edges->table = memory_take(edges->slots, sizeof(*edges->table));
	for (size_t i = 0; i < edges->count; i++)
		edges->table[edge_slot(edges, edges->edges[i].caller,
		                       edges->edges[i].callee)] = (uint32_t)i + 1;
}

static uint32_t find_edge(struct fold_edges *edges, uint32_t caller, uint32_t callee)
{
	size_t slot;

	if ((edges->count + 1) * 2 > edges->slots)
		rehash(edges);
	slot = edge_slot(edges, caller, callee);
	if (edges->table[slot] == 0) {
		edges->edges = memory_grow(edges->edges, edges->count, &edges->capacity,
		                           sizeof(*edges->edges));
		edges->edges[edges->count] = (struct fold_edge){.caller = caller, .callee = callee};
		edges->table[slot] = (uint32_t)++edges->count;
	}
	return edges->table[slot] - 1;
}

/* Where the walk stands. */
struct walk {
	const struct tree *tree;
	struct fold_edges *edges;
	uint32_t *path; /* path[depth]: the nodes from the root */
	size_t path_capacity;
	uint32_t *innermost; /* by item: depth + 1 of its innermost node on the path, 0 if none */
	uint32_t *before;    /* by depth: what innermost[item of that node] was before it */
	size_t before_capacity;
};

static void enter(struct walk *walk, uint32_t node, size_t depth)
{
	const struct tree *tree = walk->tree;
	struct fold_edges *edges = walk->edges;
	uint32_t item = tree->nodes[node].item;
	uint32_t last = walk->innermost[item];

	walk->path = memory_grow(walk->path, depth, &walk->path_capacity, sizeof(*walk->path));
	walk->before = memory_grow(walk->before, depth, &walk->before_capacity,
	                           sizeof(*walk->before));
	walk->path[depth] = node;
	walk->before[depth] = last;
	walk->innermost[item] = (uint32_t)depth + 1;
	edges->through[node] = TREE_NONE;
	if (node == TREE_ROOT)
		return;
	edges->edge_of[node] = find_edge(edges, tree->nodes[tree->nodes[node].parent].item, item);
	if (last == 0)
		set_bit(edges->is_outermost, node);
	else /* from here on this node is the innermost: the way through the one before counts no
	      * more */
		edges->through[node] = find_edge(edges, item, tree->nodes[walk->path[last]].item);
}

static void leave(struct walk *walk, size_t depth)
{
	walk->innermost[walk->tree->nodes[walk->path[depth]].item] = walk->before[depth];
}

static void find_edges(struct fold_edges *edges)
{
	const struct tree *tree = edges->tree;
	struct walk walk = {.tree = tree, .edges = edges};
	uint32_t node = TREE_ROOT;
	size_t depth = 0, above;

	walk.innermost = memory_take(tree->item_count, sizeof(*walk.innermost));
	while (node != TREE_NONE) {
		enter(&walk, node, depth);
		above = depth + 1;
		node = tree_next(tree, node, &depth);
		if (node == TREE_NONE)
			break;
		while (above > depth)
			leave(&walk, --above);
	}
	free(walk.path);
	free(walk.before);
	free(walk.innermost);
}

static uint64_t *make_as_caller(const void *source, unsigned metric)
{
	const struct fold_edges *edges = source;
	const uint64_t *total = columns_of(&edges->tree->total, metric);
	uint64_t *sums;

	if (!total)
		return NULL;
	sums = memory_take(edges->count, sizeof(*sums));
	for (uint32_t node = TREE_ROOT + 1; node < edges->tree->count; node++)
		if (has_bit(edges->is_outermost, node))
			sums[edges->edge_of[node]] += total[node];
	return sums;
}

static uint64_t *make_as_callee(const void *source, unsigned metric)
{
	const struct fold_edges *edges = source;
	const uint64_t *total = columns_of(&edges->tree->total, metric);
	uint64_t *sums;

	if (!total)
		return NULL;
	sums = memory_take(edges->count, sizeof(*sums));
	for (uint32_t node = TREE_ROOT + 1; node < edges->tree->count; node++) {
		sums[edges->edge_of[node]] += total[node];
		if (edges->through[node] != TREE_NONE)
			sums[edges->through[node]] -= total[node];
	}
	return sums;
}

struct fold_edges *fold_edges_create(const struct tree *tree)
{
	struct fold_edges *edges = memory_take(1, sizeof(*edges));

	edges->tree = tree;
	edges->edge_of = memory_take(tree->count, sizeof(*edges->edge_of));
	edges->through = memory_take(tree->count, sizeof(*edges->through));
	edges->is_outermost = take_bits(tree->count);
	find_edges(edges);
	edges->as_caller = (struct columns){
		.count = edges->count, .make = make_as_caller, .source = edges};
	edges->as_callee = (struct columns){
		.count = edges->count, .make = make_as_callee, .source = edges};
	return edges;
}

void fold_edges_destroy(struct fold_edges *edges)
{
	if (!edges)
		return;
	columns_fini(&edges->as_caller);
	columns_fini(&edges->as_callee);
	free(edges->edges);
	free(edges->edge_of);
	free(edges->through);
	free(edges->is_outermost);
	free(edges->table);
	free(edges);
}
