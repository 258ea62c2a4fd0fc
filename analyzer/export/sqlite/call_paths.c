/* call_paths.c: the tree of call stacks by functions alone, which calltree shows: frames of one
 * function at several lines are one there. See sqlite.h. */
#include "analyzer/export/sqlite/sqlite.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

/* A parent's number is smaller than its children's. */
uint32_t *sql_tree_sizes(const struct tree *tree)
{
	uint32_t *sizes = memory_take(tree->count, sizeof(*sizes));

	for (size_t i = tree->count; i-- > 0;) {
		sizes[i]++;
		if (i != TREE_ROOT)
			sizes[tree->nodes[i].parent] += sizes[i];
	}
	return sizes;
}

static void put(struct sql *sql, const struct tree *tree, const uint32_t *ids, uint32_t node,
                uint32_t size, size_t depth)
{
	int64_t function = sql_function(sql, tree->items[tree->nodes[node].item].function);
	struct cell *row = database_row(sql->database, SQL_CALL_PATH);
	uint32_t parent = ids[tree->nodes[node].parent];

	cell_integer(&row[SQL_CALL_PATH_id], ids[node]);
	if (parent != 0)
		cell_integer(&row[SQL_CALL_PATH_parent], parent);
	cell_integer(&row[SQL_CALL_PATH_last], (int64_t)ids[node] + size - 1);
	cell_count(&row[SQL_CALL_PATH_depth], depth);
	cell_integer(&row[SQL_CALL_PATH_function], function);
}

static uint32_t *put_all(struct sql *sql, const struct tree *tree)
{
	uint32_t *ids = memory_take(tree->count, sizeof(*ids));
	uint32_t *sizes = sql_tree_sizes(tree), node = TREE_ROOT, id = 0;
	size_t depth = 0;

	while ((node = tree_next(tree, node, &depth)) != TREE_NONE) {
		ids[node] = ++id;
		put(sql, tree, ids, node, sizes[node], depth);
	}
	free(sizes);
	return ids;
}

void sql_call_paths_put(struct sql *sql)
{
	const struct tree *stacks = sql->tree;
	struct tree *tree = tree_create(TREE_FUNCTIONS, symbols_total(sql->job->dataset->symbols));
	uint32_t *paths = memory_take(stacks->count, sizeof(*paths)), *ids;

	for (size_t i = 0; i < stacks->count; i++)
		paths[i] = i == TREE_ROOT ? TREE_ROOT
		                          : tree_child(tree, paths[stacks->nodes[i].parent],
		                                       &stacks->items[stacks->nodes[i].item]);
	ids = put_all(sql, tree);
	for (size_t i = 0; i < stacks->count; i++)
		paths[i] = ids[paths[i]];
	sql->call_paths = paths;
	free(ids);
	tree_destroy(tree);
}
