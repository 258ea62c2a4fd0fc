/* shadow.c: memory for replaced return addresses. See shadow.h.
 * See doc/decisions/26-return-hooking.md. */
#include "libcollector/unwind/shadow.h"

#include "libcollector/base/sys.h"

_Static_assert(SHADOW_CHUNK_BITS + SHADOW_TABLE_BITS + SHADOW_TABLES_BITS == SHADOW_ADDRESS_BITS,
               "shadow.h");
_Static_assert(sizeof(struct shadow_call) == 2 * sizeof(uint64_t), "shadow.h");

uint8_t **shadow_tables[1 << SHADOW_TABLES_BITS];
uint64_t shadow_trampoline = 1;

/* What `place` points to, mapped if there is nothing. If two threads come at the same time, one
 * wins. */
static void *have(void *place, size_t size)
{
	void **pointer = place, *seen = __atomic_load_n(pointer, __ATOMIC_ACQUIRE), *fresh;

	if (seen)
		return seen;
	fresh = sys_mmap_anonymous(size);
	if (!fresh)
		return NULL;
	if (__atomic_compare_exchange_n(pointer, &seen, fresh, 0, __ATOMIC_ACQ_REL,
	                                __ATOMIC_ACQUIRE))
		return fresh;
	sys_munmap(fresh, size);
	return seen;
}

struct shadow_call *shadow_make(uint64_t slot)
{
	uint64_t chunk = slot >> SHADOW_CHUNK_BITS;
	uint8_t **table;

	if (slot >> SHADOW_ADDRESS_BITS)
		return NULL;
	table = have(&shadow_tables[chunk >> SHADOW_TABLE_BITS], sizeof(*table)
	                                                                 << SHADOW_TABLE_BITS);
	if (!table ||
	    !have(&table[chunk & ((1 << SHADOW_TABLE_BITS) - 1)], (size_t)2 << SHADOW_CHUNK_BITS))
		return NULL;
	return shadow_find(slot);
}
