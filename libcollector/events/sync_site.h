/* sync_site.h: where threads took the locks that they have.
 *
 * A word for each lock and thread, in a table that is written with each lock that is taken: so it
 * is small, has no lock, and a later entry takes the place of an earlier one. What is found in it
 * may be missing, and hardly ever wrong: of 65,536 entries that have taken the place of another
 * one, one is taken for it. */
#ifndef XER_COLLECTOR_SYNC_SITE_H
#define XER_COLLECTOR_SYNC_SITE_H

#include "libcollector/events/sync_wait.h"

enum { SYNC_SITES_BITS = 12, SYNC_SITE_PC_BITS = 48 };

extern _Atomic(uint64_t) sync_sites[1 << SYNC_SITES_BITS] __attribute__((visibility("hidden")));

/* Of the word of a lock and a thread: where it is, and what its highest bits are. */
static inline uint64_t sync_site_hash(uint64_t lock, uint32_t tid)
{
	uint64_t mixed = (lock ^ (uint64_t)tid << 40) * 0x9e3779b97f4a7c15u;

	return (mixed ^ mixed >> 32) * 0xbf58476d1ce4e5b9u;
}

/* The calling thread has taken a lock for itself alone; pc: the return address of the call. A word
 * that is right already is not written, so that the locks of a loop cost a look. Signal-safe. */
static inline void sync_site_put(uint64_t lock, uint64_t pc)
{
	uint64_t hash, word;
	_Atomic(uint64_t) *site;

	if (!col_self)
		return;
	hash = sync_site_hash(lock, atomic_load_explicit(&col_self->tid, memory_order_relaxed));
	site = &sync_sites[hash >> (64 - SYNC_SITES_BITS)];
	word = hash << SYNC_SITE_PC_BITS | (pc & ((UINT64_C(1) << SYNC_SITE_PC_BITS) - 1));
	if (atomic_load_explicit(site, memory_order_relaxed) != word)
		atomic_store_explicit(site, word, memory_order_relaxed);
}

/* Where the thread took the lock, 0: unknown. Signal-safe. */
uint64_t sync_site_of(uint64_t lock, uint32_t tid);

/* Has the calling thread locked its mutex (or mtx_t, which is one) before this? */
static inline int sync_has_locked_before(uint64_t mutex)
{
	return ((const pthread_mutex_t *)(uintptr_t)mutex)->__data.__count > 1;
}

/* A call of `func` has ended, with that error: has the thread a lock for itself now? */
static inline __attribute__((always_inline)) void sync_took(enum fmt_sync_func func,
                                                            uint64_t object, uint64_t second,
                                                            int error, uint64_t pc)
{
	switch (func) {
	case FMT_sync_func_MUTEX_LOCK:
	case FMT_sync_func_MUTEX_TRYLOCK:
	case FMT_sync_func_MUTEX_TIMEDLOCK:
	case FMT_sync_func_MUTEX_CLOCKLOCK:
	case FMT_sync_func_MTX_LOCK:
	case FMT_sync_func_MTX_TRYLOCK:
	case FMT_sync_func_MTX_TIMEDLOCK:
		if (error == 0 && wall_is_on() && !sync_has_locked_before(object))
			sync_site_put(object, pc);
		return;
	case FMT_sync_func_WRLOCK:
	case FMT_sync_func_TRYWRLOCK:
	case FMT_sync_func_TIMEDWRLOCK:
	case FMT_sync_func_CLOCKWRLOCK:
		if (error == 0 && wall_is_on())
			sync_site_put(object, pc);
		return;
	case FMT_sync_func_COND_WAIT:
	case FMT_sync_func_COND_TIMEDWAIT:
	case FMT_sync_func_COND_CLOCKWAIT:
	case FMT_sync_func_CND_WAIT:
	case FMT_sync_func_CND_TIMEDWAIT:
		/* Whatever has ended the wait, the mutex is taken again. */
		if (wall_is_on())
			sync_site_put(second, pc);
		return;
	default:
		return;
	}
}

#endif
