/* ring.h: the parts of a data file that keeps only its newest events.
 *
 * After its first page, the file consists of parts of equal size. A slot holds one at a time; when
 * it is full, the slot takes the part that was released longest ago. The events in that are lost,
 * and counted. Parts that others hold are skipped, so a thread that rarely writes keeps its
 * events. */
#ifndef XER_COLLECTOR_RING_H
#define XER_COLLECTOR_RING_H

#include "libcollector/write/window.h"

#include <stdatomic.h>
#include <stdint.h>

struct ring_part {
	atomic_uint held;
	uint32_t events; /* of its last holder, who counts them */
};

struct ring {
	struct ring_part *parts;         /* parts[count]; NULL: the file is no ring */
	_Atomic(struct window *) window; /* with all parts, NULL until the file is there */
	uint32_t count;
	uint32_t part_size; /* a multiple of FDR_PAGE */
	atomic_uint next;
};

/* Create the parts of a ring of about `bytes`. Returns 0, -EINVAL (too small) or -ENOMEM. */
int ring_init(struct ring *ring, uint64_t bytes);

/* The file is a ring no more. */
void ring_fini(struct ring *ring);

/* In a forked child: no part is used, and there is no file yet. Signal-safe. */
void ring_restart(struct ring *ring);

/* Take a part, with the number of events that it held in *overwritten. NULL: all are held.
 * Its holder counts those that it writes. Signal-safe. */
struct ring_part *ring_take(struct ring *ring, uint32_t *overwritten);

/* The part's memory in the mapped ring. */
uint8_t *ring_memory(const struct ring *ring, const struct ring_part *part);

/* Set the used bytes to zero again, from the end to the beginning: at every instant the rest is
 * whole events, and then zeros. */
void ring_clear(uint8_t *at, uint32_t size);

/* Release a part. Signal-safe. */
static inline void ring_give(struct ring_part *part)
{
	/* Pairs with the acquire in ring_take: who takes it sees the number. */
	atomic_store_explicit(&part->held, 0, memory_order_release);
}

#endif
