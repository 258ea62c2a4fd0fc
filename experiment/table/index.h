/* index.h: a table from 64-bit keys to 32-bit numbers, for keys that come with every event. */
#ifndef XER_EXPERIMENT_TABLE_INDEX_H
#define XER_EXPERIMENT_TABLE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define EXP_INDEX_NONE UINT32_MAX

struct exp_index_slot {
	uint64_t key;
	uint32_t value; /* EXP_INDEX_NONE: free */
};

struct exp_index {
	struct exp_index_slot *slots; /* NULL while it is empty */
	size_t mask, count;
};

static inline size_t exp_index_hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	return (size_t)(key ^ key >> 32);
}

/* The value of a key, or EXP_INDEX_NONE. */
static inline uint32_t exp_index_find(const struct exp_index *index, uint64_t key)
{
	if (!index->slots)
		return EXP_INDEX_NONE;
	for (size_t at = exp_index_hash(key) & index->mask;; at = (at + 1) & index->mask) {
		const struct exp_index_slot *slot = &index->slots[at];

		if (slot->value == EXP_INDEX_NONE || slot->key == key)
			return slot->value;
	}
}

/* Add a key that is not there yet. Returns 0 or -ENOMEM. */
int exp_index_add(struct exp_index *index, uint64_t key, uint32_t value);

void exp_index_fini(struct exp_index *index);

#endif
