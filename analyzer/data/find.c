/* find.c: the experiments of the dataset: one after the other, by number, by path. */

#include "analyzer/data/dataset.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

struct dataset_experiment *dataset_find(const struct dataset *dataset, unsigned long id)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].id == id)
			return &dataset->experiments[i];
	return NULL;
}

size_t dataset_selected(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;
	size_t count = 0;

	while ((at = dataset_next(dataset, at)))
		count++;
	return count;
}

struct dataset_experiment *dataset_find_path(const struct dataset *dataset, const char *path)
{
	struct stat st;
	int exists = stat(path, &st) == 0;

	for (size_t i = 0; i < dataset->count; i++) {
		const struct exp_info *info = dataset->experiments[i].info;

		if (exists ? info->device == st.st_dev && info->inode == st.st_ino
		           : strcmp(info->path, path) == 0)
			return &dataset->experiments[i];
	}
	return NULL;
}
