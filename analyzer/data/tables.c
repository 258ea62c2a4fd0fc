/* tables.c: forgets the tables of the dataset: what they are made of has changed. */

#include "analyzer/data/dataset.h"

#include <stdlib.h>

void dataset_forget_tables(const struct dataset *dataset)
{
	for (size_t i = 0; dataset->tables->edges && i <= dataset->tables->columns; i++)
		fold_edges_destroy(dataset->tables->edges[i]);
	free(dataset->tables->edges);
	dataset->tables->edges = NULL;
	for (size_t i = 0; i < dataset->tables->part_count; i++)
		tree_destroy(dataset->tables->parts[i].tree);
	free(dataset->tables->parts);
	dataset->tables->parts = NULL;
	dataset->tables->part_count = dataset->tables->part_capacity = 0;
	for (size_t i = 0; i < TREE_MODES; i++) {
		for (size_t j = 0; dataset->tables->folds[i] && j <= dataset->tables->columns; j++)
			fold_destroy(dataset->tables->folds[i][j]);
		free(dataset->tables->folds[i]);
		dataset->tables->folds[i] = NULL;
		tree_destroy(dataset->tables->trees[i]);
		dataset->tables->trees[i] = NULL;
	}
}
