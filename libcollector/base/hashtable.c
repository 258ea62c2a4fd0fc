/* hashtable.c: see hashtable.h. See doc/decisions/93-many-threads.md. */
#include "libcollector/base/hashtable.h"

#include "libcollector/base/sys.h"

#include <errno.h>

enum {
	ENTRIES = 7, /* of a bucket */
	FIRST_BITS = 5,
	STEP_BITS = 3,
	PROBES = 64 /* buckets; in a table that is half full, two are seldom needed */
};

struct bucket {
	atomic_uint_fast64_t entry[ENTRIES]; /* key << 24 | value, 0: free */
	atomic_uint_fast64_t passed;         /* by how many entries in the buckets behind */
} __attribute__((aligned(64)));

struct hashtable_level {
	atomic_uint_fast64_t count __attribute__((aligned(64)));
	struct bucket bucket[];
};

static uint32_t bucket_count(unsigned number)
{
	return 1u << (FIRST_BITS + STEP_BITS * number);
}

static uint64_t entry_of(uint64_t key, uint32_t value)
{
	return key << HASHTABLE_VALUE_BITS | value;
}

static uint32_t value_of(uint64_t entry)
{
	return (uint32_t)entry & ((1u << HASHTABLE_VALUE_BITS) - 1);
}

static struct hashtable_level *level_at(const struct hashtable *table, unsigned number)
{
	return atomic_load_explicit(&table->level[number], memory_order_acquire);
}

/* Where an entry is. */
struct position {
	struct hashtable_level *level;
	uint32_t home,
		at; /* its first bucket and its own, which the last one's successor is 0 of */
	uint32_t mask;
	atomic_uint_fast64_t *entry;
	uint64_t seen; /* what it is */
};

static struct bucket *bucket_at(const struct position *position)
{
	return &position->level->bucket[position->at & position->mask];
}

/* In the bucket: an entry of this key, and of this value unless that is 0. */
static int find_in_bucket(struct position *position, uint64_t key, uint32_t value)
{
	struct bucket *bucket = bucket_at(position);

	for (int i = 0; i < ENTRIES; i++) {
		uint64_t seen = atomic_load(&bucket->entry[i]);

		if (seen >> HASHTABLE_VALUE_BITS != key || (value && value_of(seen) != value))
			continue;
		position->entry = &bucket->entry[i];
		position->seen = seen;
		return 1;
	}
	return 0;
}

static int find_in_level(struct position *position, uint64_t key, uint32_t value)
{
	for (int i = 0; i < PROBES; i++, position->at++) {
		if (find_in_bucket(position, key, value))
			return 1;
		if (atomic_load(&bucket_at(position)->passed) == 0)
			break;
	}
	return 0;
}

static int find(const struct hashtable *table, uint64_t key, uint32_t hash, uint32_t value,
                struct position *out)
{
	for (unsigned i = 0; i < HASHTABLE_LEVELS; i++) {
		struct hashtable_level *level = level_at(table, i);

		if (!level)
			break;
		*out = (struct position){.level = level,
		                         .home = hash >> 2,
		                         .at = hash >> 2,
		                         .mask = bucket_count(i) - 1};
		if (atomic_load_explicit(&level->count, memory_order_relaxed) &&
		    find_in_level(out, key, value))
			return 1;
	}
	return 0;
}

uint32_t hashtable_find(const struct hashtable *table, uint64_t key, uint32_t hash)
{
	struct position position;

	return find(table, key, hash, 0, &position) ? value_of(position.seen) : 0;
}

/* ---- changes */

static struct hashtable_level *make_level(struct hashtable *table, unsigned number)
{
	size_t size = sizeof(struct hashtable_level) + bucket_count(number) * sizeof(struct bucket);
	struct hashtable_level *there = level_at(table, number), *made;

	if (there)
		return there;
	made = sys_mmap_anonymous(size);
	if (!made)
		return NULL;
	if (sys_madvise(made, size, MADV_WIPEONFORK) == 0 &&
	    atomic_compare_exchange_strong(&table->level[number], &there, made))
		return made;
	sys_munmap(made, size);
	return there;
}

static int put_in_bucket(struct bucket *bucket, uint64_t entry)
{
	for (int i = 0; i < ENTRIES; i++) {
		uint64_t seen = 0;

		if (atomic_load_explicit(&bucket->entry[i], memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong(&bucket->entry[i], &seen, entry))
			return 1;
	}
	return 0;
}

/* The entry is in the bucket at position->at no more, or never was: the buckets before it have not
 * been passed. */
static void take_back_passes(struct position *position)
{
	while (position->at != position->home) {
		position->at--;
		atomic_fetch_sub(&bucket_at(position)->passed, 1);
	}
}

/* A bucket is counted as passed before the entry is behind it, so whoever searches finds it. */
static int put_in_level(struct position *position, uint64_t entry)
{
	for (int i = 0; i < PROBES; i++) {
		if (put_in_bucket(bucket_at(position), entry))
			return 1;
		atomic_fetch_add(&bucket_at(position)->passed, 1);
		position->at++;
	}
	take_back_passes(position);
	return 0;
}

int hashtable_add(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t value)
{
	for (unsigned i = 0; i < HASHTABLE_LEVELS; i++) {
		struct hashtable_level *level = make_level(table, i);
		struct position position = {.level = level,
		                            .home = hash >> 2,
		                            .at = hash >> 2,
		                            .mask = bucket_count(i) - 1};

		if (!level)
			break;
		if (atomic_fetch_add(&level->count, 1) < bucket_count(i) * ENTRIES / 2 &&
		    put_in_level(&position, entry_of(key, value)))
			return 0;
		atomic_fetch_sub(&level->count, 1);
	}
	return -ENOMEM;
}

/* Replace what is there, unless another thread has done so. */
static int exchange(struct position *position, uint64_t entry)
{
	uint64_t seen = position->seen;

	return atomic_compare_exchange_strong(position->entry, &seen, entry);
}

int hashtable_remove(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t value)
{
	struct position position;

	if (!find(table, key, hash, value, &position) || !exchange(&position, 0))
		return 0;
	take_back_passes(&position);
	atomic_fetch_sub(&position.level->count, 1);
	return 1;
}

int hashtable_replace(struct hashtable *table, uint64_t key, uint32_t hash, uint32_t old,
                      uint32_t value)
{
	struct position position;

	return find(table, key, hash, old, &position) && exchange(&position, entry_of(key, value));
}

/* ---- walks */

/* A place is an entry of a bucket of a level: the levels follow one another. */
static const atomic_uint_fast64_t *entry_at(const struct hashtable *table, uint32_t place)
{
	for (unsigned i = 0; i < HASHTABLE_LEVELS; i++) {
		struct hashtable_level *level = level_at(table, i);
		uint32_t size = bucket_count(i) * ENTRIES;

		if (!level)
			break;
		if (place < size)
			return &level->bucket[place / ENTRIES].entry[place % ENTRIES];
		place -= size;
	}
	return NULL;
}

int hashtable_next(const struct hashtable *table, uint32_t *place, uint32_t most,
                   struct hashtable_entry *out)
{
	for (; most > 0; most--) {
		const atomic_uint_fast64_t *entry = entry_at(table, *place);
		uint64_t seen = entry ? atomic_load(entry) : 0;

		if (!entry)
			return -1;
		++*place;
		if (seen == 0)
			continue;
		*out = (struct hashtable_entry){seen >> HASHTABLE_VALUE_BITS, value_of(seen)};
		return 1;
	}
	return 0;
}
