/* recent.h: the block that each thread allocated by its latest heap call. */
#ifndef XER_EXPERIMENT_EVENTS_RECENT_H
#define XER_EXPERIMENT_EVENTS_RECENT_H

#include <stddef.h>
#include <stdint.h>

struct exp_recent_thread {
	uint32_t tid;
	uint64_t address;  /* of the block; 0: the latest call was another */
	uint64_t remapped; /* known bytes of the range that its latest mremap moved */
};

/* Zeroed: no threads yet. */
struct exp_recent {
	struct exp_recent_thread *threads; /* threads[count], in order of their first calls */
	size_t count, capacity;
	uint32_t *table; /* open addressing by tid, numbers + 1, 0 free */
	size_t slots;    /* a power of two, or 0 */
};

/* Number of a thread, which stays. Returns 0 and *out, or -ENOMEM. exp_recent_fini frees. */
int exp_recent_find(struct exp_recent *recent, uint32_t tid, size_t *out);
void exp_recent_fini(struct exp_recent *recent);

#endif
