/* chosen.h: the blocks that were chosen to be recorded, by their addresses, so that their ends
 * are recorded too.
 *
 * Nearly every block that a program frees is none of them, and a load tells it: a filter has a byte
 * for each of 65,536 classes of addresses, which counts the chosen blocks in it. Where that is not
 * 0, a table without locks has the addresses themselves.
 *
 * Neighbours in memory are neighbours in the filter: a line of the cache covers 1 KB of blocks.
 * The kernel clears all of it in a forked child.
 * See doc/decisions/98-sampled-heap.md. */
#ifndef XER_COLLECTOR_HEAP_CHOSEN_H
#define XER_COLLECTOR_HEAP_CHOSEN_H

#include <stdatomic.h>
#include <stdint.h>

enum { HEAP_CHOSEN_CLASSES = 1 << 16, HEAP_CHOSEN_GRAIN = 4 };

extern atomic_uchar *heap_chosen_filter __attribute__((visibility("hidden")));

/* Have a filter. Returns 0, also if there is one already, or -ENOMEM: no block can be chosen.
 * Signal-safe. */
int heap_chosen_open(void);

/* There are none: another recording begins. Signal-safe. */
void heap_chosen_clear(void);

/* A block is one from now on. Returns 0 or -ENOMEM. Signal-safe. */
int heap_chosen_add(uintptr_t block);

/* If the block is a chosen one, it is none from now on, and 1 is returned. Only one caller gets
 * that. Signal-safe. */
int heap_chosen_take(uintptr_t block);

static inline atomic_uchar *heap_chosen_count(uintptr_t block)
{
	uintptr_t grain = block >> HEAP_CHOSEN_GRAIN;

	/* Large blocks all begin at the same place of a page: the upper bits spread them. */
	return &heap_chosen_filter[(grain ^ grain >> 16) % HEAP_CHOSEN_CLASSES];
}

/* Can the block be a chosen one? After heap_chosen_open() has returned 0. Signal-safe. */
static inline int heap_chosen_may_have(uintptr_t block)
{
	return atomic_load_explicit(heap_chosen_count(block), memory_order_relaxed) != 0;
}

#endif
