/* search.h: looking up addresses in sorted tables. */
#ifndef XER_EXPERIMENT_TABLE_SEARCH_H
#define XER_EXPERIMENT_TABLE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of items[count], of `size` bytes each, that begin with a number of at most `key`: that
 * number, a uint64_t, is their first member, and they are sorted by it. So the item before the
 * result is the last one that can contain an address. */
static inline size_t exp_count_up_to(const void *items, size_t count, size_t size, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t start;

		memcpy(&start, (const char *)items + middle * size, sizeof(start));
		if (start <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
