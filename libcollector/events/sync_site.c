/* sync_site.c: see sync_site.h. */
#include "libcollector/events/sync_site.h"

_Atomic(uint64_t) sync_sites[1 << SYNC_SITES_BITS];

uint64_t sync_site_of(uint64_t lock, uint32_t tid)
{
	uint64_t hash = sync_site_hash(lock, tid);
	uint64_t word = atomic_load_explicit(&sync_sites[hash >> (64 - SYNC_SITES_BITS)],
	                                     memory_order_relaxed);

	if (tid == 0 || (word ^ hash << SYNC_SITE_PC_BITS) >> SYNC_SITE_PC_BITS != 0)
		return 0;
	return word & ((UINT64_C(1) << SYNC_SITE_PC_BITS) - 1);
}
