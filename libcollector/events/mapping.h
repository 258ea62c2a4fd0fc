/* mapping.h: memory that the program maps without a file: mmap and the like, and the program break.
 * Part of heap tracing. */
#ifndef XER_COLLECTOR_MAPPING_H
#define XER_COLLECTOR_MAPPING_H

#include "libcollector/thread/thread.h"

/* The program break, as far as it is known, and how far beyond it an address may be that makes us
 * read the break again. */
struct mapping_break {
	atomic_uint_fast64_t known;
	atomic_uint_fast64_t reach;
};

extern struct mapping_break mapping_break __attribute__((visibility("hidden")));

static inline enum heap_mode heap_mode(void)
{
	return (enum heap_mode)col_on(SOURCE_HEAP);
}

/* Heap tracing begins or is resumed: what was mapped until now does not count. */
void mapping_start(void);

/* Does a block that ends at `end` show that the program break has moved? Blocks elsewhere are far
 * beyond it. */
static inline int mapping_is_beyond_break(uint64_t end)
{
	return end - atomic_load_explicit(&mapping_break.known, memory_order_relaxed) - 1 <
	       atomic_load_explicit(&mapping_break.reach, memory_order_relaxed);
}

/* Record how the program break has moved since it was last known, with the call stack `stack`, 0:
 * unknown. In a scope of `thread`, or in its handler, as `context` says. Signal-safe. */
void mapping_look_at_break(struct col_thread *thread, enum col_context context, uint32_t stack);

/* The thread has allocated such a block: record it. In its scope. */
void mapping_block_is_beyond(struct col_thread *thread, uint32_t stack);

#endif
