/* generation.h: which of the things that stood at an address, one after the other, stands there
 * now.
 *
 * The generation of an address is the number of the last unloading that had it: of a load object,
 * or of JIT code. It is 0 if there was none. Each node of a call stack has the generation of its
 * address, and each object of map.xml that of its addresses. So what is unloaded changes nothing
 * for the rest of the program.
 *
 * All functions are signal-safe. Reading takes no lock. */
#ifndef XER_COLLECTOR_GENERATION_H
#define XER_COLLECTOR_GENERATION_H

#include "libcollector/base/collector.h"

/* The addresses that have another generation than 0 are in [low, high). */
extern atomic_uint_fast64_t generation_low, generation_high __attribute__((visibility("hidden")));

/* generation_at where it may not be 0. */
uint32_t generation_search(uint64_t address);

/* The generation of an address. */
static inline uint32_t generation_at(uint64_t address)
{
	if (likely(address >= atomic_load_explicit(&generation_high, memory_order_relaxed) ||
	           address < atomic_load_explicit(&generation_low, memory_order_relaxed)))
		return 0;
	return generation_search(address);
}

/* What was at [start, end) was unloaded: its addresses get the next generation, which is returned.
 * Whoever keeps something by addresses sees that col.generation has changed. */
uint32_t generation_renew(uint64_t start, uint64_t end);

/* Something is loaded at [start, end): all of its addresses get the same generation, the highest of
 * them. Returns it. */
uint32_t generation_unite(uint64_t start, uint64_t end);

/* In a forked child: nobody else changes the table. */
void generation_restart(void);

#endif
