/* ring.c: which parts of a ring are free, and which is the oldest. See ring.h.
 * See doc/decisions/48-user-event-ring.md. */
#include "libcollector/write/ring.h"

#include "libcollector/base/sys.h"

#include "format/fdr.h"

#include <errno.h>

/* A part must be as long as the longest event; with many parts, little is lost at once, and many
 * threads find one. */
enum { PARTS = 256, PART_MIN = 8 << 10, PART_MAX = 256 << 10, COUNT_MIN = 4, COUNT_MAX = 1 << 20 };

int ring_init(struct ring *ring, uint64_t bytes)
{
	uint64_t size = bytes / PARTS / FDR_PAGE * FDR_PAGE;

	size = size < PART_MIN ? PART_MIN : size;
	size = size > PART_MAX ? PART_MAX : size;
	if (bytes / size < COUNT_MIN || bytes / size > COUNT_MAX)
		return -EINVAL;
	ring->part_size = (uint32_t)size;
	ring->count = (uint32_t)(bytes / size);
	ring->parts = sys_mmap_anonymous(ring->count * sizeof(*ring->parts));
	return ring->parts ? 0 : -ENOMEM;
}

void ring_fini(struct ring *ring)
{
	struct window *window = atomic_exchange(&ring->window, NULL);

	if (window)
		window_let_go(window);
	if (ring->parts)
		sys_munmap(ring->parts, ring->count * sizeof(*ring->parts));
	ring->parts = NULL;
}

void ring_restart(struct ring *ring)
{
	if (ring->parts)
		memset(ring->parts, 0, ring->count * sizeof(*ring->parts));
	atomic_store(&ring->window, NULL);
	atomic_store(&ring->next, 0);
}

struct ring_part *ring_take(struct ring *ring, uint32_t *overwritten)
{
	for (uint32_t tries = 0; tries < ring->count; tries++) {
		struct ring_part
			*part = &ring->parts[atomic_fetch_add(&ring->next, 1) % ring->count];
		unsigned held = 0;

		if (!atomic_compare_exchange_strong_explicit(
			    &part->held, &held, 1, memory_order_acquire, memory_order_relaxed))
			continue;
		*overwritten = part->events;
		part->events = 0;
		return part;
	}
	return NULL;
}

uint8_t *ring_memory(const struct ring *ring, const struct ring_part *part)
{
	const struct window *window = atomic_load(&ring->window);

	return window_memory(window, window->at) + (uint64_t)(part - ring->parts) * ring->part_size;
}

void ring_clear(uint8_t *at, uint32_t size)
{
	for (uint64_t *word = (uint64_t *)(at + size); word-- != (uint64_t *)at;)
		fdr_word_put(word, 0);
}
