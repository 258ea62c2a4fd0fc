/* recent.c: finds the threads of heap events by their ids. It is asked once for each buffer. */
#include "experiment/events/recent.h"

#include "experiment/base/internal.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* The slot of a thread, or the free one where it would go. */
static uint32_t *probe(const struct exp_recent *recent, uint32_t tid)
{
	size_t at = tid * 0x9e3779b1u;

	for (;; at++) {
		uint32_t *slot = &recent->table[at & (recent->slots - 1)];

		if (*slot == 0 || recent->threads[*slot - 1].tid == tid)
			return slot;
	}
}

static int grow(struct exp_recent *recent)
{
	struct exp_recent grown = *recent;

	grown.slots = recent->slots == 0 ? FIRST_SLOTS : 2 * recent->slots;
	grown.table = calloc(grown.slots, sizeof(*grown.table));
	if (!grown.table)
		return -ENOMEM;
	for (size_t i = 0; i < grown.count; i++)
		*probe(&grown, grown.threads[i].tid) = (uint32_t)i + 1;
	free(recent->table);
	*recent = grown;
	return 0;
}

int exp_recent_find(struct exp_recent *recent, uint32_t tid, size_t *out)
{
	uint32_t *slot;

	if (recent->count >= recent->slots / 2 && grow(recent) != 0)
		return -ENOMEM;
	slot = probe(recent, tid);
	if (*slot == 0) {
		if (exp_array_reserve(&recent->threads, &recent->capacity, recent->count,
		                      sizeof(*recent->threads)) != 0)
			return -ENOMEM;
		recent->threads[recent->count] = (struct exp_recent_thread){.tid = tid};
		*slot = (uint32_t)++recent->count;
	}
	*out = *slot - 1;
	return 0;
}

void exp_recent_fini(struct exp_recent *recent)
{
	free(recent->threads);
	free(recent->table);
	*recent = (struct exp_recent){0};
}
