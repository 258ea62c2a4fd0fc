/* shadow.h: the data of a replaced return address: where the call really returns to, and which call
 * it is.
 *
 * It is found by the address of the replaced word, not on a stack of calls: each 8 bytes of stack
 * memory have 16 bytes of shadow, in chunks that are mapped at the first call in them. So whatever
 * a program does with its stacks (exceptions, longjmp, coroutines, handlers on other stacks, fork),
 * nothing has to be repaired afterwards: a word with the replaced address has its shadow, and words
 * of calls that were left are just forgotten. Threads share only the tables. Unwinders find the
 * address by a DWARF expression (returns_entry.c) that knows this layout.
 *
 *     address: 46 ... 34 index of shadow_tables, 33 ... 20 index of that table, 19 ... 0 place in
 * the chunk, times
 * 2 */
#ifndef XER_COLLECTOR_SHADOW_H
#define XER_COLLECTOR_SHADOW_H

#include "libcollector/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SHADOW_CHUNK_BITS = 20,
	SHADOW_TABLE_BITS = 14,
	SHADOW_TABLES_BITS = 13,
	SHADOW_ADDRESS_BITS = ARCH_ADDRESS_BITS
};

struct shadow_call {
	uint64_t address; /* where it returns to */
	uint64_t word;    /* the function, as in a function record */
};

extern uint8_t **shadow_tables[1 << SHADOW_TABLES_BITS] __attribute__((visibility("hidden")));

/* What return addresses are replaced by; an impossible address while none is. */
extern uint64_t shadow_trampoline __attribute__((visibility("hidden")));

/* The call whose return address is at `slot`, a multiple of 8. NULL if there is no chunk.
 * Signal-safe. */
static inline struct shadow_call *shadow_find(uint64_t slot)
{
	uint8_t **table, *chunk;

	if (slot >> SHADOW_ADDRESS_BITS)
		return NULL;
	table = __atomic_load_n(&shadow_tables[slot >> (SHADOW_CHUNK_BITS + SHADOW_TABLE_BITS)],
	                        __ATOMIC_ACQUIRE);
	if (!table)
		return NULL;
	chunk = __atomic_load_n(&table[slot >> SHADOW_CHUNK_BITS & ((1 << SHADOW_TABLE_BITS) - 1)],
	                        __ATOMIC_ACQUIRE);
	if (!chunk)
		return NULL;
	return (struct shadow_call *)(chunk + 2 * (slot & ((1 << SHADOW_CHUNK_BITS) - 1)));
}

/* The same, with a chunk if there was none. NULL: no memory, or no such address. Signal-safe. */
struct shadow_call *shadow_make(uint64_t slot);

/* Where code really returns to, if the return address `pc` was read below the stack pointer `sp`.
 * Signal-safe. */
static inline uint64_t shadow_true_address(uint64_t pc, uint64_t sp)
{
	const struct shadow_call *call;

	if (__builtin_expect(pc != shadow_trampoline, 1))
		return pc;
	call = shadow_find(sp - 8);
	return call ? call->address : pc;
}

#endif
