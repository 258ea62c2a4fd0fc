/* find.c: the experiments of the dataset: one after the other, and by number; places.c has them
 * by path. */

#include "analyzer/data/dataset.h"

#include <stddef.h>

struct dataset_experiment *dataset_next(const struct dataset *dataset,
                                        const struct dataset_experiment *at)
{
	size_t i = !at ? 0 : (size_t)(at - dataset->experiments) + 1;

	for (; i < dataset->count; i++) {
		struct dataset_experiment *next = &dataset->experiments[i];

		if (next->is_selected &&
		    (dataset->focus == DATASET_ALL || dataset->focus == next->group))
			return next;
	}
	return NULL;
}

/* Numbers are given in order; a part of a dataset may have experiments in any. */
static struct dataset_experiment *find_any(const struct dataset *dataset, unsigned long id)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].id == id)
			return &dataset->experiments[i];
	return NULL;
}

struct dataset_experiment *dataset_find(const struct dataset *dataset, unsigned long id)
{
	size_t low = 0, high = dataset->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dataset->experiments[middle].id == id)
			return &dataset->experiments[middle];
		if (dataset->experiments[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return id > dataset->last_id ? NULL : find_any(dataset, id);
}

static int has_value(const struct exp_nodes *nodes, enum exp_metric total)
{
	const uint64_t *values = nodes->value[total];

	if (nodes->no_stack[total] != 0)
		return 1;
	for (size_t i = 0; values && i < nodes->row_count; i++)
		if (values[i] != 0)
			return 1;
	return 0;
}

int dataset_has_value(const struct dataset *dataset, unsigned metric)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		for (const uint8_t *from = metric_from[metric]; *from != EXP_METRICS; from++)
			if (has_value(&at->data->nodes, *from))
				return 1;
	return 0;
}

size_t dataset_selected(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;
	size_t count = 0;

	while ((at = dataset_next(dataset, at)))
		count++;
	return count;
}
