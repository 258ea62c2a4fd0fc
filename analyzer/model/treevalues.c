/* treevalues.c: the values of a tree's nodes: their own by row, and totals, which are made for the
 * metrics that somebody asks for.
 * See doc/decisions/96-columns.md. */
#include "analyzer/model/tree.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void fini_values(struct tree *tree)
{
	free(tree->own.row_of);
	free(tree->own.node_of);
	free(tree->own.longest);
	columns_fini(&tree->own.values);
	columns_fini(&tree->total);
}

void tree_destroy(struct tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->part_count; i++)
		fini_values(&tree->parts[i]);
	fini_values(tree);
	free(tree->parts);
	free(tree->nodes);
	free(tree->items);
	tree_tables_fini(tree);
	free(tree);
}

/* ---- own values ---- */

static void cover(struct tree_own *own, size_t nodes)
{
	size_t capacity = nodes > 2 * own->node_capacity ? nodes : 2 * own->node_capacity;

	if (nodes > own->node_capacity) {
		own->row_of = memory_resize(own->row_of, capacity, sizeof(*own->row_of));
		own->node_capacity = capacity;
	}
	memset(own->row_of + own->node_count, 0, (nodes - own->node_count) * sizeof(*own->row_of));
	own->node_count = nodes;
}

uint32_t tree_row(struct tree *tree, uint32_t node)
{
	struct tree_own *own = &tree->own;
	size_t row = own->values.count;

	if (node >= own->node_count)
		cover(own, tree->count);
	if (own->row_of[node] != 0)
		return own->row_of[node] - 1;
	own->node_of = memory_grow(own->node_of, row, &own->row_capacity, sizeof(*own->node_of));
	own->longest = memory_grow(own->longest, row, &own->longest_capacity,
	                           sizeof(*own->longest));
	own->node_of[row] = node;
	own->longest[row] = (struct tree_longest){.sync = 0};
	columns_extend(&own->values, row + 1);
	own->row_of[node] = (uint32_t)row + 1;
	return (uint32_t)row;
}

void tree_credit(struct tree *tree, uint32_t node, const struct metric_values *values)
{
	uint32_t row = tree_row(tree, node);

	for (unsigned i = 0; i < METRIC_VALUES; i++)
		if (values->of[i] != 0)
			columns_add(&tree->own.values, row, i, values->of[i]);
}

void tree_raise(struct tree *tree, uint32_t node, const struct tree_longest *longest)
{
	struct tree_longest *known;

	if (longest->sync == 0 && longest->io == 0)
		return;
	known = &tree->own.longest[tree_row(tree, node)];
	if (longest->sync > known->sync)
		known->sync = longest->sync;
	if (longest->io > known->io)
		known->io = longest->io;
}

static uint32_t find_row(const struct tree *tree, uint32_t node)
{
	const struct tree_own *own = &tree->own;

	return node < own->node_count && own->row_of[node] != 0 ? own->row_of[node] - 1 : TREE_NONE;
}

uint64_t tree_own(const struct tree *tree, uint32_t node, unsigned metric)
{
	uint32_t row = find_row(tree, node);

	return row == TREE_NONE ? 0 : columns_at(&tree->own.values, row, metric);
}

struct metric_view tree_own_view(const struct tree *tree, uint32_t node)
{
	uint32_t row = find_row(tree, node);

	if (row == TREE_NONE)
		return (struct metric_view){.values = NULL};
	return columns_view(&tree->own.values, row);
}

struct metric_values tree_own_values(const struct tree *tree, uint32_t node)
{
	uint32_t row = find_row(tree, node);

	if (row == TREE_NONE)
		return (struct metric_values){.of = {0}};
	return columns_values(&tree->own.values, row);
}

int tree_owns_any(const struct tree *tree, uint32_t node)
{
	uint32_t row = find_row(tree, node);

	return row != TREE_NONE && columns_any(&tree->own.values, row);
}

struct tree_longest tree_longest_of(const struct tree *tree, uint32_t node)
{
	uint32_t row = find_row(tree, node);

	if (row == TREE_NONE)
		return (struct tree_longest){.sync = 0};
	return tree->own.longest[row];
}

/* ---- totals ---- */

/* A parent's number is smaller than its children's. */
static uint64_t *make_total(const void *source, unsigned metric)
{
	const struct tree *tree = source;
	const uint64_t *own = tree->own.values.of[metric];
	uint64_t *total;

	if (!own)
		return NULL;
	total = memory_take(tree->count, sizeof(*total));
	for (size_t row = 0; row < tree->own.values.count; row++)
		total[tree->own.node_of[row]] = own[row];
	for (size_t i = tree->count; i-- > 1;)
		total[tree->nodes[i].parent] += total[i];
	return total;
}

static void add_up(struct tree *tree)
{
	tree->sum = columns_sum(&tree->own.values);
	tree->total = (struct columns){.count = tree->count, .make = make_total, .source = tree};
}

/* ---- parts ---- */

void tree_end_part(struct tree *tree)
{
	tree->parts = memory_resize(tree->parts, tree->part_count + 1, sizeof(*tree->parts));
	tree->parts[tree->part_count++] = (struct tree){.own = tree->own};
	tree->own = (struct tree_own){.node_count = 0};
}

static void finish_part(struct tree *tree, struct tree *part)
{
	const struct tree_own own = part->own;

	*part = *tree;
	part->own = own;
	part->parts = NULL;
	part->part_count = 0;
	add_up(part);
	for (size_t row = 0; row < own.values.count; row++) {
		struct metric_values values = columns_values(&own.values, row);

		tree_credit(tree, own.node_of[row], &values);
		tree_raise(tree, own.node_of[row], &own.longest[row]);
	}
}

void tree_finish(struct tree *tree)
{
	tree_tables_fini(tree);
	for (size_t i = 0; i < tree->part_count; i++)
		finish_part(tree, &tree->parts[i]);
	add_up(tree);
}
