/* longest.h: the items with the greatest keys, of any number that come one after the other. */
#ifndef XER_EXPERIMENT_TABLE_LONGEST_H
#define XER_EXPERIMENT_TABLE_LONGEST_H

#include <stddef.h>
#include <stdint.h>

struct exp_longest_place {
	uint64_t key, order; /* order: how many had come before */
	size_t item;
};

/* Zeroed, but for the first two: no items. */
struct exp_longest {
	size_t most, size;              /* how many items are kept, and the bytes of each */
	char *items;                    /* items[most * size], NULL while there are none */
	struct exp_longest_place *heap; /* heap[most], the least first */
	size_t count;
	uint64_t offered;
};

/* Would an item with that key be kept? Of equal ones, the first that came are. */
static inline int exp_longest_wants(const struct exp_longest *longest, uint64_t key)
{
	return longest->count < longest->most || key > longest->heap[0].key;
}

/* Keep a copy of the item, if its key is among the greatest so far. Returns 0 or -ENOMEM. */
int exp_longest_offer(struct exp_longest *longest, uint64_t key, const void *item);

/* The `count` items in order, the greatest key first, of equal ones that which came first: an array
 * that the caller frees. NULL: there are none, or there is no memory. Frees the rest. */
void *exp_longest_take(struct exp_longest *longest);

void exp_longest_fini(struct exp_longest *longest);

#endif
