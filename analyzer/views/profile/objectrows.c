/* objectrows.c: see objectrows.h. */
#include "analyzer/views/profile/objectrows.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/shown.h"
#include "analyzer/table/compare.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct dataset *dataset, const struct sym_function *function)
{
	return function->object ? shown_compared_name(dataset->shown, function->object)
	                        : function->name;
}

/* There are few objects. */
static uint32_t row_of(struct object_rows *rows, const char *name)
{
	for (size_t i = 1; i < rows->count; i++)
		if (strcmp(rows->names[i], name) == 0)
			return (uint32_t)i;
	rows->names = memory_grow(rows->names, rows->count, &rows->name_capacity,
	                          sizeof(*rows->names));
	rows->names[rows->count++] = name;
	return (uint32_t)(rows->count - 1);
}

struct object_rows *object_rows_create(const struct dataset *dataset)
{
	struct object_rows *rows = memory_take(1, sizeof(*rows));
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct tree **trees = compare_trees(dataset, TREE_FUNCTIONS);
	uint32_t *row_of_item = memory_take(tree->item_count, sizeof(*row_of_item));

	rows->names = memory_grow(NULL, 0, &rows->name_capacity, sizeof(*rows->names));
	rows->names[rows->count++] = tree->items[TREE_ROOT].function->name;
	for (uint32_t item = TREE_ROOT + 1; item < tree->item_count; item++)
		row_of_item[item] = row_of(rows, name_of(dataset, tree->items[item].function));
	rows->column_count = dataset_columns(dataset);
	rows->folds = memory_take(rows->column_count, sizeof(struct fold *));
	for (size_t i = 0; i < rows->column_count; i++)
		rows->folds[i] = fold_sets(trees[i], row_of_item, rows->count);
	free(row_of_item);
	free(trees);
	return rows;
}

void object_rows_destroy(struct object_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < rows->column_count; i++)
		fold_destroy(rows->folds[i]);
	free(rows->folds);
	free(rows->names);
	free(rows);
}
