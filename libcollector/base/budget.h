/* budget.h: how much address space the recorder takes. The program's address space may be limited,
 * and then it lacks what we take. So large tables that few programs need are mapped at their first
 * use; if there is a limit, other tables are smaller, or left out.
 * See doc/decisions/59-address-space.md. */
#ifndef XER_LIBCOLLECTOR_BASE_BUDGET_H
#define XER_LIBCOLLECTOR_BASE_BUDGET_H

#include "libcollector/base/sys.h"

#include <stdatomic.h>

/* Whether `size` bytes are at most 1/share of the address space that the program may have.
 * Signal-safe. */
static inline int budget_allows(uint64_t size, unsigned share)
{
	struct rlimit limit;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) < 0)
		return 1;
	return size <= limit.rlim_cur / share;
}

/* The table of `size` zeros at the start, mapped if it is not yet; NULL: there is no memory. A
 * forked child has a copy. Lock-free and signal-safe. */
static inline void *budget_table(_Atomic(void *) *table, size_t size)
{
	void *there = atomic_load_explicit(table, memory_order_acquire);
	void *made;

	if (there)
		return there;
	made = sys_mmap_anonymous(size);
	if (!made || atomic_compare_exchange_strong(table, &there, made))
		return made;
	sys_munmap(made, size); /* another thread was faster */
	return there;
}

#endif
