/* fold.c: one walk over the call tree for each flat table. Each keeps, by item, how often or where
 * the item is on the way from the root, so that recursion counts once. */
#include "analyzer/model/fold.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

static void subtract(struct metric_values *from, const struct metric_values *values)
{
	for (size_t i = 0; i < METRIC_VALUES; i++)
		from->of[i] -= values->of[i];
}

struct fold_row *fold_sets(const struct tree *tree, const uint32_t *key_of, size_t key_count)
{
	struct fold_row *rows = memory_take(key_count, sizeof(*rows));
	uint32_t *outermost = memory_take(key_count, sizeof(*outermost)); /* node + 1 */
	uint32_t node = TREE_ROOT;
	size_t depth = 0;

	/* The outermost node of a set is forgotten when the walk goes up past it. */
	while (node != TREE_NONE) {
		uint32_t next, key = key_of[tree->nodes[node].item];

		if (key != TREE_NONE) {
			metric_values_add(&rows[key].own, &tree->own[node]);
			if (outermost[key] == 0) {
				outermost[key] = node + 1;
				metric_values_add(&rows[key].total, &tree->total[node]);
			}
		}
		next = tree_next(tree, node, &depth);
		for (uint32_t up = node;
		     next == TREE_NONE ? up != TREE_NONE : up != tree->nodes[next].parent;
		     up = tree->nodes[up].parent) {
			key = key_of[tree->nodes[up].item];
			if (key != TREE_NONE && outermost[key] == up + 1)
				outermost[key] = 0;
		}
		node = next;
	}
	free(outermost);
	return rows;
}

struct fold_row *fold_items(const struct tree *tree)
{
	uint32_t *key_of = memory_take(tree->item_count, sizeof(*key_of));
	struct fold_row *rows;

	for (size_t i = 0; i < tree->item_count; i++)
		key_of[i] = (uint32_t)i;
	rows = fold_sets(tree, key_of, tree->item_count);
	free(key_of);
	return rows;
}

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

static struct fold_edge *find_edge(struct fold_edges *edges, uint32_t caller, uint32_t callee)
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
	return &edges->edges[edges->table[slot] - 1];
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
	uint32_t item = tree->nodes[node].item;
	uint32_t caller, last = walk->innermost[item];

	walk->path = memory_grow(walk->path, depth, &walk->path_capacity, sizeof(*walk->path));
	walk->before = memory_grow(walk->before, depth, &walk->before_capacity,
	                           sizeof(*walk->before));
	walk->path[depth] = node;
	walk->before[depth] = last;
	walk->innermost[item] = (uint32_t)depth + 1;
	if (node == TREE_ROOT)
		return;
	caller = tree->nodes[tree->nodes[node].parent].item;
	if (last == 0)
		metric_values_add(&find_edge(walk->edges, caller, item)->as_caller,
		                  &tree->total[node]);
	metric_values_add(&find_edge(walk->edges, caller, item)->as_callee, &tree->total[node]);
	if (last != 0) {
		/* From here on this node is the innermost: the way through the one before counts no
		 * more. */
		uint32_t through = tree->nodes[walk->path[last]].item;

		subtract(&find_edge(walk->edges, item, through)->as_callee, &tree->total[node]);
	}
}

static void leave(struct walk *walk, size_t depth)
{
	walk->innermost[walk->tree->nodes[walk->path[depth]].item] = walk->before[depth];
}

struct fold_edges *fold_edges_create(const struct tree *tree)
{
	struct walk walk = {.tree = tree, .edges = memory_take(1, sizeof(struct fold_edges))};
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
	return walk.edges;
}

void fold_edges_destroy(struct fold_edges *edges)
{
	if (!edges)
		return;
	free(edges->edges);
	free(edges->table);
	free(edges);
}
