/* hash.c: open addressing with linear probing; the full hash stands in the entry, so that few
 * items are compared. Nothing is ever removed. */
#include "experiment/table/hash.h"

#include "experiment/table/arena.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

struct exp_hash_entry {
	uint64_t hash;
	void *item;
};

uint64_t exp_hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

uint64_t exp_hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return exp_hash_number(hash, 0);
}

void *exp_hash_find(const struct exp_hash *table, uint64_t hash,
                    int (*equal)(const void *item, const void *key), const void *key)
{
	if (!table->entries)
		return NULL;
	for (size_t at = hash & table->mask; table->entries[at].item != NULL;
	     at = (at + 1) & table->mask)
		if (table->entries[at].hash == hash && equal(table->entries[at].item, key))
			return table->entries[at].item;
	return NULL;
}

static void put(struct exp_hash *table, uint64_t hash, void *item)
{
	size_t at = hash & table->mask;

	while (table->entries[at].item)
		at = (at + 1) & table->mask;
	table->entries[at] = (struct exp_hash_entry){hash, item};
}

static int grow(struct exp_hash *table)
{
	struct exp_hash old = *table;
	size_t slots = !old.entries ? FIRST_SLOTS : (old.mask + 1) * 2;

	table->entries = exp_zeroed(slots, sizeof(*table->entries));
	if (!table->entries) {
		*table = old;
		return -ENOMEM;
	}
	table->mask = slots - 1;
	for (size_t i = 0; old.entries && i <= old.mask; i++)
		if (old.entries[i].item)
			put(table, old.entries[i].hash, old.entries[i].item);
	free(old.entries);
	return 0;
}

int exp_hash_add(struct exp_hash *table, uint64_t hash, void *item)
{
	if ((!table->entries || table->count >= table->mask / 2) && grow(table) != 0)
		return -ENOMEM;
	put(table, hash, item);
	table->count++;
	return 0;
}

void exp_hash_each(const struct exp_hash *table, void (*take)(void *item))
{
	for (size_t i = 0; table->entries && i <= table->mask; i++)
		if (table->entries[i].item)
			take(table->entries[i].item);
}

void exp_hash_fini(struct exp_hash *table)
{
	free(table->entries);
	*table = (struct exp_hash){0};
}
