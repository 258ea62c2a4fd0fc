/* hash.h: a hash table of borrowed items. */
#ifndef XER_EXPERIMENT_TABLE_HASH_H
#define XER_EXPERIMENT_TABLE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct exp_hash {
	struct exp_hash_entry *entries;
	size_t mask, count;
};

#define EXP_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continue a hash over a number or a string. */
uint64_t exp_hash_number(uint64_t hash, uint64_t number);
uint64_t exp_hash_text(uint64_t hash, const char *text);

/* The item with this hash for which equal(item, key) is true, or NULL. */
void *exp_hash_find(const struct exp_hash *table, uint64_t hash,
                    int (*equal)(const void *item, const void *key), const void *key);

/* Add an item that is not there yet. Returns 0 or -ENOMEM. */
int exp_hash_add(struct exp_hash *table, uint64_t hash, void *item);

/* Call `take` for every item. */
void exp_hash_each(const struct exp_hash *table, void (*take)(void *item));

void exp_hash_fini(struct exp_hash *table);

#endif
