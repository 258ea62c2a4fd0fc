/* index.c: open addressing with linear probing, at most half full. Nothing is ever removed. */
#include "experiment/table/index.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static void put(struct exp_index *index, uint64_t key, uint32_t value)
{
	size_t at = exp_index_hash(key) & index->mask;

	while (index->slots[at].value != EXP_INDEX_NONE)
		at = (at + 1) & index->mask;
	index->slots[at] = (struct exp_index_slot){.key = key, .value = value};
}

static int grow(struct exp_index *index)
{
	struct exp_index old = *index;
	size_t count = !old.slots ? FIRST_SLOTS : (old.mask + 1) * 2;
	struct exp_index_slot *slots = malloc(count * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		slots[i] = (struct exp_index_slot){.value = EXP_INDEX_NONE};
	index->slots = slots;
	index->mask = count - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value != EXP_INDEX_NONE)
			put(index, old.slots[i].key, old.slots[i].value);
	free(old.slots);
	return 0;
}

int exp_index_add(struct exp_index *index, uint64_t key, uint32_t value)
{
	if ((!index->slots || index->count > index->mask / 2) && grow(index) != 0)
		return -ENOMEM;
	put(index, key, value);
	index->count++;
	return 0;
}

void exp_index_fini(struct exp_index *index)
{
	free(index->slots);
	*index = (struct exp_index){0};
}
