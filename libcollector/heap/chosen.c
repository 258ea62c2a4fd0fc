/* chosen.c: see chosen.h. */
#include "libcollector/heap/chosen.h"

#include "libcollector/base/hashtable.h"
#include "libcollector/base/sys.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

atomic_uchar *heap_chosen_filter;
static struct hashtable addresses;

/* A key of the table has 40 bits, so the rest of an address is in the value, which is not 0. */
enum { GRANULE_BITS = 3 };

static uint64_t key_of(uintptr_t block)
{
	return (uint64_t)block >> GRANULE_BITS & ((UINT64_C(1) << HASHTABLE_KEY_BITS) - 1);
}

static uint32_t value_of(uintptr_t block)
{
	return (uint32_t)((uint64_t)block >> GRANULE_BITS >> HASHTABLE_KEY_BITS) + 1;
}

static uint32_t hash_of(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

int heap_chosen_open(void)
{
	void *made;

	if (heap_chosen_filter)
		return 0;
	made = sys_mmap_anonymous(HEAP_CHOSEN_CLASSES);
	if (!made)
		return -ENOMEM;
	if (sys_madvise(made, HEAP_CHOSEN_CLASSES, MADV_WIPEONFORK) != 0) {
		sys_munmap(made, HEAP_CHOSEN_CLASSES);
		return -ENOMEM;
	}
	heap_chosen_filter = made;
	return 0;
}

void heap_chosen_clear(void)
{
	struct hashtable_entry entry;
	uint32_t place = 0;
	int found;

	if (!heap_chosen_filter)
		return;
	while ((found = hashtable_next(&addresses, &place, UINT_MAX, &entry)) >= 0)
		if (found)
			hashtable_remove(&addresses, entry.key, hash_of(entry.key), entry.value);
	memset((void *)heap_chosen_filter, 0, HEAP_CHOSEN_CLASSES);
}

/* A class that has had 255 blocks at a time remains full: nobody knows how many more there were. */
static void count(uintptr_t block, int by)
{
	atomic_uchar *counter = heap_chosen_count(block);
	unsigned char seen = atomic_load_explicit(counter, memory_order_relaxed);

	while (seen != UCHAR_MAX &&
	       !atomic_compare_exchange_weak(counter, &seen, (unsigned char)(seen + by)))
		;
}

/* The block is counted before it is in the table, and until it is there no more, so whoever finds
 * no count would not find the block either. */
int heap_chosen_add(uintptr_t block)
{
	uint64_t key = key_of(block);

	heap_chosen_take(block); /* that it was freed has escaped us */
	count(block, 1);
	if (hashtable_add(&addresses, key, hash_of(key), value_of(block)) == 0)
		return 0;
	count(block, -1);
	return -ENOMEM;
}

int heap_chosen_take(uintptr_t block)
{
	uint64_t key = key_of(block);

	if (!heap_chosen_may_have(block) ||
	    !hashtable_remove(&addresses, key, hash_of(key), value_of(block)))
		return 0;
	count(block, -1);
	return 1;
}
