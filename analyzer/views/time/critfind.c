/* critfind.c: find threads and waits for the critical path, of which there may be many: see
 * critwaits.h. */
#include "analyzer/views/time/critfind.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"

#include <stdlib.h>

/* ---- places */

static int by_key(const void *left, const void *right)
{
	const struct crit_place *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void add(struct crit_places *places, int64_t key, int64_t ns, size_t thread)
{
	places->at[places->count++] = (struct crit_place){key, ns, (uint32_t)thread};
}

static void sort(struct crit_places *places)
{
	if (places->count > 1)
		qsort(places->at, places->count, sizeof(*places->at), by_key);
}

/* The last place of a key at that time or before; NULL: there is none. */
static const struct crit_place *last_of(const struct crit_places *places, int64_t key, int64_t ns)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct crit_place *place = &places->at[middle];

		if (place->key < key || (place->key == key && place->ns <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && places->at[low - 1].key == key ? &places->at[low - 1] : NULL;
}

/* ---- */

void crit_find_begin(const struct dataset *dataset, struct crit_waits *waits)
{
	struct crit_places *const all[] = {&waits->by_id, &waits->by_pid, &waits->by_parent};

	waits->tids = tids_create(dataset);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		all[i]->at = memory_take(waits->thread_count, sizeof(*all[i]->at));
	for (size_t i = 0; i < waits->thread_count; i++) {
		const struct crit_thread *thread = &waits->threads[i];
		const struct exp_info *info = thread->at->info;

		if (thread->number != 0)
			continue;
		add(&waits->by_id, (int64_t)thread->at->id, axis_offset_ns(dataset, thread->at), i);
		add(&waits->by_pid, info->pid, thread->begin_ns, i);
		if (!info->executed)
			add(&waits->by_parent, info->ppid, thread->end_ns, i);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sort(all[i]);
}

void crit_find_end(struct crit_waits *waits)
{
	if (waits->tids)
		tids_destroy(waits->tids);
	free(waits->by_id.at);
	free(waits->by_pid.at);
	free(waits->by_parent.at);
}

const struct crit_wait *crit_waits_before(const struct crit_waits *waits, uint32_t thread,
                                          int64_t ns)
{
	const struct crit_thread *known = &waits->threads[thread];
	size_t low = 0, high = known->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (waits->waits[known->first + middle].begin_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &waits->waits[known->first + low - 1] : NULL;
}

static uint32_t thread_of(const struct crit_waits *waits, const struct dataset_experiment *at,
                          uint32_t number)
{
	const struct crit_place *first = last_of(&waits->by_id, (int64_t)at->id, INT64_MAX);

	return first && number != EXP_NO_INDEX ? first->thread + number : CRIT_NONE;
}

uint32_t crit_thread_of(const struct crit_waits *waits, const struct dataset_experiment *at,
                        uint32_t tid, int64_t ns)
{
	const struct crit_place *first = last_of(&waits->by_id, (int64_t)at->id, INT64_MAX);
	double time_s = first ? ((double)ns - (double)first->ns) / 1e9 : 0;

	return thread_of(waits, at, exp_thread_at(at->whole, tid, time_s));
}

uint32_t crit_thread_anywhere(const struct crit_waits *waits, const struct dataset_experiment *at,
                              uint32_t tid, int64_t from_ns, int64_t to_ns)
{
	uint32_t found = crit_thread_of(waits, at, tid, to_ns);
	struct tids_thread other;

	if (found != CRIT_NONE)
		return found;
	other = tids_find(waits->tids, at, tid, from_ns, to_ns);
	return other.at ? thread_of(waits, other.at, other.number) : CRIT_NONE;
}

uint32_t crit_process_at(const struct crit_waits *waits, int64_t pid, int64_t ns)
{
	const struct crit_place *found = last_of(&waits->by_pid, pid, ns > INT64_MIN ? ns - 1 : ns);

	return found ? found->thread : CRIT_NONE;
}

uint32_t crit_child_ended(const struct crit_waits *waits, int64_t parent, int64_t from_ns,
                          int64_t to_ns)
{
	const struct crit_place *found = last_of(&waits->by_parent, parent, to_ns);

	return found && found->ns >= from_ns ? found->thread : CRIT_NONE;
}
