/* rule.h: unwinding rules packed into 32 bits, behind an exact cache from code address to rule.
 *
 * Nearly all code needs only "CFA = sp + n" or "CFA = bp + n" and where the caller's bp is saved,
 * the frame pointer. What a packed rule cannot say is RULE_COMPLEX: the walk then begins again with
 * all registers. The cache is direct-mapped, 32 Ki entries of 8 bytes: 15 bits of index and a tag
 * of 32 bits make 47, all of a user-space address, so that a hit is exact; entries are read and
 * written whole, so no lock is needed.
 *
 *     bits 0-3 kind, 4-5 bp kind, 6-15 bp offset / 8, 16-31 CFA offset / 8, both signed */
#ifndef XER_COLLECTOR_RULE_H
#define XER_COLLECTOR_RULE_H

#include "libcollector/unwind/cfi.h"

enum rule_kind {
	RULE_UNKNOWN,  /* no unwind information */
	RULE_SP,       /* CFA = sp + offset */
	RULE_BP,       /* CFA = bp + offset */
	RULE_SP_DEREF, /* CFA = *(sp + offset) */
	RULE_BP_DEREF, /* CFA = *(bp + offset) */
	RULE_PLT,      /* CFA = arch_plt_cfa(pc, sp, offset / 8) */
	RULE_SIGNAL,   /* a signal trampoline: the registers are at arch_signal_slot */
	RULE_END,      /* the outermost frame */
	RULE_COMPLEX,  /* ask cfi_row_find */
	RULE_RETURNING /* CFA = sp + offset; the return address is in the shadow of the word below
	                  it (shadow.h) */
};

enum rule_bp { RULE_BP_SAME, RULE_BP_AT_CFA, RULE_BP_AT_BP };

static inline enum rule_kind rule_kind(uint32_t rule)
{
	return rule & 15;
}

static inline enum rule_bp rule_bp(uint32_t rule)
{
	return rule >> 4 & 3;
}

static inline int64_t rule_bp_offset(uint32_t rule)
{
	return (int64_t)((int32_t)(rule << 16) >> 22) * 8;
}

static inline int64_t rule_cfa_offset(uint32_t rule)
{
	return (int64_t)((int32_t)rule >> 16) * 8;
}

enum { RULE_CACHE_BITS = 15 };
extern uint64_t rule_cache[1 << RULE_CACHE_BITS] __attribute__((visibility("hidden")));

/* Compute and cache the rule at pc. The object that contains pc is added to the map.
 * Signal-safe. */
uint32_t rule_compute(struct cfi_machine *machine, uint64_t pc);

/* The .eh_frame_hdr of the object that contains pc, or NULL. Signal-safe. */
const uint8_t *rule_eh_frame_hdr(uint64_t pc);

/* Pack a row. Exported for tests. */
uint32_t rule_pack(const struct cfi_row *row);

/* Forget everything: an object was unloaded. Signal-safe. */
void rule_cache_clear(void);

static inline uint32_t rule_find(struct cfi_machine *machine, uint64_t pc)
{
	uint32_t tag = (uint32_t)(pc >> RULE_CACHE_BITS);
	uint64_t *entry = &rule_cache[(pc ^ tag * 0x9e5u) & ((1u << RULE_CACHE_BITS) - 1)];
	uint64_t value = __atomic_load_n(entry, __ATOMIC_RELAXED);

	if (__builtin_expect((uint32_t)(value >> 32) == tag && value != 0, 1))
		return (uint32_t)value;
	return rule_compute(machine, pc);
}

#endif
