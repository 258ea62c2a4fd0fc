/* places.c: see places.h. */
#include "analyzer/data/places.h"

#include "analyzer/base/memory.h"
#include "experiment/table/hash.h"
#include "experiment/table/index.h"
#include "format/lineage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct key {
	unsigned founder;
	const char *lineage;
	uint32_t number;
};

struct places {
	struct exp_index by_path; /* of the first `indexed` experiments, by directory and by path */
	size_t indexed;
	struct exp_index by_pid; /* of all then */
	size_t pid_count;
	unsigned pid_last_id;
	struct key *keys; /* in order of lineages */
	uint32_t *sorted; /* the numbers of keys[count] */
	size_t count;
	unsigned last_id; /* of the dataset then */
};

struct places *places_create(void)
{
	return memory_take(1, sizeof(struct places));
}

void places_forget(struct places *places)
{
	if (!places)
		return;
	exp_index_fini(&places->by_path);
	exp_index_fini(&places->by_pid);
	free(places->keys);
	free(places->sorted);
	*places = (struct places){.count = 0};
}

void places_destroy(struct places *places)
{
	places_forget(places);
	free(places);
}

/* ---- by directory and path */

static uint64_t key_of_directory(uint64_t device, uint64_t inode)
{
	return exp_hash_number(exp_hash_number(EXP_HASH_START, device), inode);
}

static uint64_t key_of_path(const char *path)
{
	return exp_hash_text(EXP_HASH_START, path);
}

/* The first of equal keys stays. */
static void add_key(struct exp_index *index, uint64_t key, size_t number)
{
	if (exp_index_find(index, key) == EXP_INDEX_NONE &&
	    exp_index_add(index, key, (uint32_t)number) != 0)
		memory_fail();
}

static void index_paths(const struct dataset *dataset)
{
	struct places *places = dataset->places;

	for (; places->indexed < dataset->count; places->indexed++) {
		const struct exp_info *info = dataset->experiments[places->indexed].info;

		if (info->inode != 0)
			add_key(&places->by_path, key_of_directory(info->device, info->inode),
			        places->indexed);
		add_key(&places->by_path, key_of_path(info->path), places->indexed);
	}
}

struct dataset_experiment *dataset_find_path(const struct dataset *dataset, const char *path)
{
	struct stat st;
	int exists = stat(path, &st) == 0;
	struct dataset_experiment *found;
	uint32_t number;

	index_paths(dataset);
	number = exp_index_find(&dataset->places->by_path,
	                        exists ? key_of_directory(st.st_dev, st.st_ino)
	                               : key_of_path(path));
	if (number >= dataset->count)
		return NULL;
	found = &dataset->experiments[number];
	return (exists ? found->info->device == st.st_dev && found->info->inode == st.st_ino
	               : strcmp(found->info->path, path) == 0)
	               ? found
	               : NULL;
}

/* ---- by process */

const struct dataset_experiment *places_process(const struct dataset *dataset, int64_t pid)
{
	struct places *places = dataset->places;
	uint32_t number;

	if (places->pid_count != dataset->count || places->pid_last_id != dataset->last_id) {
		exp_index_fini(&places->by_pid);
		for (size_t i = dataset->count; i-- > 0;)
			add_key(&places->by_pid, (uint64_t)dataset->experiments[i].info->pid, i);
		places->pid_count = dataset->count;
		places->pid_last_id = dataset->last_id;
	}
	number = exp_index_find(&places->by_pid, (uint64_t)pid);
	return number < dataset->count ? &dataset->experiments[number] : NULL;
}

/* ---- by lineage */

static int compare(const struct key *a, const struct key *b)
{
	int order;

	if (a->founder != b->founder)
		return a->founder < b->founder ? -1 : 1;
	order = lineage_compare(a->lineage, b->lineage);
	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_keys(const void *a, const void *b)
{
	return compare(a, b);
}

static void sort(const struct dataset *dataset)
{
	struct places *places = dataset->places;

	if (places->keys && places->count == dataset->count && places->last_id == dataset->last_id)
		return;
	places->count = dataset->count;
	places->last_id = dataset->last_id;
	places->keys = memory_resize(places->keys, places->count + 1, sizeof(*places->keys));
	places->sorted = memory_resize(places->sorted, places->count + 1, sizeof(*places->sorted));
	for (size_t i = 0; i < places->count; i++) {
		const struct dataset_experiment *at = &dataset->experiments[i];

		places->keys[i] = (struct key){at->founder == 0 ? at->id : at->founder,
		                               at->info->lineage, (uint32_t)i};
	}
	qsort(places->keys, places->count, sizeof(*places->keys), compare_keys);
	for (size_t i = 0; i < places->count; i++)
		places->sorted[i] = places->keys[i].number;
}

int places_is_below(const char *lineage, const char *start)
{
	size_t len = strlen(start);

	return strncmp(lineage, start, len) == 0 && (lineage[len] == '\0' || lineage[len] == '_');
}

/* The number of the first key that is not before this one. */
static size_t find_first(const struct places *places, const struct key *wanted)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&places->keys[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const uint32_t *places_below(const struct dataset *dataset, unsigned founder, const char *lineage,
                             size_t *count)
{
	const struct places *places = dataset->places;
	size_t low, end;

	sort(dataset);
	low = end = find_first(places, &(struct key){founder, lineage, 0});
	if (lineage[0] == '\0')
		end = find_first(places, &(struct key){founder + 1, "", 0});
	while (end < places->count && places->keys[end].founder == founder &&
	       places_is_below(places->keys[end].lineage, lineage))
		end++;
	*count = end - low;
	return places->sorted + low;
}
