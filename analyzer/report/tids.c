/* tids.c: see tids.h. */
#include "analyzer/report/tids.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"

#include <stdlib.h>

struct row {
	uint64_t key; /* id of the founder << 32 | id of the thread */
	int64_t begin_ns, end_ns;
	struct tids_thread thread;
};

struct tids {
	struct row *rows; /* by key and begin */
	size_t count;
};

static uint64_t key_of(const struct dataset_experiment *at, uint32_t tid)
{
	return (uint64_t)(at->founder ? at->founder : at->id) << 32 | tid;
}

/* A process of which the end is not known may have held locks until now. */
static int64_t end_of(const struct dataset *dataset, const struct dataset_experiment *at)
{
	return at->info->status == EXP_ENDED || at->info->status == EXP_EXECED
	               ? axis_time_ns(dataset, at, at->info->duration_s)
	               : INT64_MAX;
}

static int by_key(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->thread.at != b->thread.at)
		return a->thread.at->id < b->thread.at->id ? -1 : 1;
	return a->thread.number < b->thread.number ? -1 : a->thread.number > b->thread.number;
}

struct tids *tids_create(const struct dataset *dataset)
{
	struct tids *tids = memory_take(1, sizeof(*tids));
	const struct dataset_experiment *at = NULL;
	size_t capacity = 0;

	while ((at = dataset_next(dataset, at))) {
		int64_t end_ns = end_of(dataset, at);

		for (size_t i = 0; i < at->whole->thread_count; i++) {
			const struct exp_thread *thread = &at->whole->threads[i];

			tids->rows = memory_grow(tids->rows, tids->count, &capacity,
			                         sizeof(*tids->rows));
			tids->rows[tids->count++] = (struct row){
				key_of(at, thread->tid),
				axis_time_ns(dataset, at, thread->time_s),
				end_ns,
				{at, (uint32_t)i}};
		}
	}
	if (tids->count > 1)
		qsort(tids->rows, tids->count, sizeof(*tids->rows), by_key);
	return tids;
}

void tids_destroy(struct tids *tids)
{
	free(tids->rows);
	free(tids);
}

struct tids_thread tids_find(const struct tids *tids, const struct dataset_experiment *of,
                             uint32_t tid, int64_t from_ns, int64_t to_ns)
{
	uint64_t key = key_of(of, tid);
	size_t low = 0, high = tids->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct row *row = &tids->rows[middle];

		if (row->key < key || (row->key == key && row->begin_ns <= to_ns))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && tids->rows[low - 1].key == key; low--)
		if (tids->rows[low - 1].end_ns >= from_ns)
			return tids->rows[low - 1].thread;
	return (struct tids_thread){.at = NULL};
}
