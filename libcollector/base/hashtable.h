/* hashtable.h: numbers found by keys, in a table that any thread, and any handler that interrupts
 * one, may read and change at any time: no operation waits for another one.
 *
 * Entries are in buckets of one cache line. A key that finds its bucket full goes on to the next
 * one, and is counted in the buckets that it has passed; so a search knows where to end, and a
 * removal leaves nothing behind. When a table is half full, further entries go to another one,
 * eight times as large; a search looks into all of them. Tables are never unmapped. The kernel
 * clears them in a forked child. */
#ifndef XER_LIBCOLLECTOR_BASE_HASHTABLE_H
#define XER_LIBCOLLECTOR_BASE_HASHTABLE_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	HASHTABLE_LEVELS = 6, /* 112, 896, 7168, 57344, 458752 and 3670016 entries */
	HASHTABLE_KEY_BITS = 40,
	HASHTABLE_VALUE_BITS = 24
};

struct hashtable_level;

/* All zero: empty. */
struct hashtable {
	_Atomic(struct hashtable_level *) level[HASHTABLE_LEVELS];
};

/* An entry, as hashtable_next gives it. */
struct hashtable_entry {
	uint64_t key;
	uint32_t value;
};

/* Keys are from 1 to 2^40 - 1, values from 1 to 2^24 - 1. `hash` is the same for each use of a key;
 * keys with equal bits above the lowest two of it share a bucket. */

/* The value of a key, 0: there is none. Of several, any. Signal-safe. */
uint32_t hashtable_find(const struct hashtable *table, uint64_t key, uint32_t hash);

/* Add an entry, without a look at those with the same key. Returns 0 or -ENOMEM. Signal-safe. */
int hashtable_add(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t value);

/* Remove the entry. Returns 1, or 0 if there is none. Signal-safe. */
int hashtable_remove(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t value);

/* Give an entry another value. Returns 1, or 0 if there is none. Signal-safe. */
int hashtable_replace(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t old,
                      uint32_t value);

/* Walk all entries: the first one at *place or behind it, with *place behind that; begin with 0.
 * Looks at no more than `most` places. Returns 1; 0: there is none so near; -1: the walk is over.
 * Signal-safe. */
int hashtable_next(const struct hashtable *table, uint32_t *place, uint32_t most,
                   struct hashtable_entry *out);

#endif
