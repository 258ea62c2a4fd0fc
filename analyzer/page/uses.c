/* uses.c: see uses.h. */
#include "analyzer/page/uses.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

enum { WIDER = 4 };

void uses_fini(struct uses *uses)
{
	free(uses->at);
	exp_index_fini(&uses->numbers);
	*uses = (struct uses){.width_ns = uses->width_ns, .wanted = uses->wanted};
}

static int order(const struct use *a, const struct use *b)
{
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->thing != b->thing)
		return a->thing < b->thing ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->class > b->class) - (a->class < b->class);
}

static int compare(const void *left, const void *right)
{
	return order(left, right);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t key_of(const struct use *use)
{
	uint64_t hash = mix((uint64_t)use->end << 32 | use->begin,
	                    (uint64_t)use->thread << 32 | use->thing);

	return mix(hash, (uint64_t)use->call << 32 | use->class);
}

static void add_to(struct use *to, const struct use *from)
{
	to->count += from->count;
	to->ns += from->ns;
	to->bytes += from->bytes;
	to->received += from->received;
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
}

/* Two places with one hash have a use each time, which is a waste and no fault. */
static void add(struct uses *uses, const struct use *use)
{
	uint64_t key = key_of(use);
	uint32_t at = exp_index_find(&uses->numbers, key);

	if (at != EXP_INDEX_NONE && order(&uses->at[at], use) == 0) {
		add_to(&uses->at[at], use);
		return;
	}
	if (at == EXP_INDEX_NONE && exp_index_add(&uses->numbers, key, (uint32_t)uses->count) != 0)
		memory_fail();
	uses->at = memory_grow(uses->at, uses->count, &uses->capacity, sizeof(*uses->at));
	uses->at[uses->count++] = *use;
}

static void widen(struct uses *uses)
{
	size_t count = uses->count;

	exp_index_fini(&uses->numbers);
	uses->width_ns *= WIDER;
	uses->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct use use = uses->at[i];

		use.end /= WIDER;
		use.begin /= WIDER;
		add(uses, &use);
	}
}

static uint32_t unit_of(int64_t time_ns, uint64_t width_ns)
{
	uint64_t unit = time_ns < 0 ? 0 : (uint64_t)time_ns / width_ns;

	return unit < UINT32_MAX ? (uint32_t)unit : UINT32_MAX;
}

void uses_add(struct uses *uses, int64_t begin_ns, int64_t end_ns, const struct use *use)
{
	struct use placed = *use;

	placed.end = unit_of(end_ns, uses->width_ns);
	placed.begin = unit_of(begin_ns, uses->width_ns);
	add(uses, &placed);
	while (uses->count > uses->wanted) {
		size_t before = uses->count;

		widen(uses);
		if (uses->count > before - before / 8)
			uses->wanted += uses->wanted / 2;
	}
}

void uses_sort(struct uses *uses)
{
	if (uses->count > 1)
		qsort(uses->at, uses->count, sizeof(*uses->at), compare);
}
