/* rule.c: compute, pack and cache unwinding rules. See rule.h.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/rule.h"

#include "libcollector/base/object.h"
#include "libcollector/object/map.h"
#include "libcollector/unwind/shadow.h"

#include <errno.h>
#include <string.h>

uint64_t rule_cache[1 << RULE_CACHE_BITS];

void rule_cache_clear(void)
{
	for (unsigned i = 0; i < 1u << RULE_CACHE_BITS; i++)
		if (rule_cache[i])
			__atomic_store_n(&rule_cache[i], 0, __ATOMIC_RELAXED);
}

static int fits(int64_t offset, int64_t limit)
{
	return (offset & 7) == 0 && offset >= -8 * limit && offset < 8 * limit;
}

static uint32_t pack(enum rule_kind kind, int64_t cfa_offset)
{
	if (!fits(cfa_offset, 1 << 15))
		return RULE_COMPLEX;
	return (uint32_t)kind | (uint32_t)(cfa_offset / 8 & 0xffff) << 16;
}

/* DWARF's operations that push a register and an offset, which follows in LEB128. */
enum { BREG_FP = 0x70 + ARCH_FP, BREG_SP = 0x70 + ARCH_SP, DEREF = 0x06 };

/* The CFA expressions of realigned frames, `breg n, deref`, and of PLT stubs. */
static uint32_t pack_expression(const uint8_t *block)
{
	uint64_t len;
	const uint8_t *at = cfi_expression(block, &len);
	int byte = arch_plt_byte(at, len);

	if (byte >= 0)
		return pack(RULE_PLT, byte * 8);
	if (len == 3 && (at[0] == BREG_SP || at[0] == BREG_FP) && at[2] == DEREF &&
	    !(at[1] & 0x80)) {
		int64_t offset = at[1] & 0x40 ? (int64_t)at[1] - 0x80 : at[1];

		return pack(at[0] == BREG_SP ? RULE_SP_DEREF : RULE_BP_DEREF, offset);
	}
	return RULE_COMPLEX;
}

static uint32_t pack_cfa(const struct cfi_row *row)
{
	if (row->cfa_expression)
		return pack_expression(row->cfa_expression);
	if (row->cfa_reg == ARCH_SP)
		return pack(RULE_SP, row->cfa_offset);
	return row->cfa_reg == ARCH_FP ? pack(RULE_BP, row->cfa_offset) : RULE_COMPLEX;
}

/* Add where the caller's frame pointer is. `breg n` as an expression is what realigned frames use.
 */
static uint32_t pack_bp(uint32_t rule, const struct cfi_rule *bp)
{
	enum rule_bp how;
	int64_t offset;

	switch ((enum cfi_how)bp->how) {
	case CFI_SAME:
	case CFI_UNDEFINED:
		return rule;
	case CFI_OFFSET:
		how = RULE_BP_AT_CFA;
		offset = bp->offset;
		break;
	case CFI_EXPRESSION: {
		uint64_t len;
		const uint8_t *at = cfi_expression(bp->expression, &len);

		if (len != 2 || at[0] != BREG_FP || at[1] & 0x80)
			return RULE_COMPLEX;
		how = RULE_BP_AT_BP;
		offset = at[1] & 0x40 ? (int64_t)at[1] - 0x80 : at[1];
		break;
	}
	default:
		return RULE_COMPLEX;
	}
	if (!fits(offset, 1 << 9))
		return RULE_COMPLEX;
	return rule | (uint32_t)how << 4 | (uint32_t)(offset / 8 & 0x3ff) << 6;
}

/* In returns_trampoline: see returns_entry.c. */
static int is_returning(uint64_t pc)
{
	return pc >> 8 == shadow_trampoline >> 8 && shadow_trampoline != 1;
}

uint32_t rule_pack(const struct cfi_row *row)
{
	const struct cfi_rule *ra = &row->rule[ARCH_RA];
	const struct cfi_rule *sp = &row->rule[ARCH_SP];
	uint32_t rule;

	if (row->is_signal_frame)
		return RULE_SIGNAL;
	if (ra->how == CFI_UNDEFINED)
		return RULE_END;
	if (ra->how != CFI_OFFSET || ra->offset != ARCH_RA_OFFSET || sp->how != CFI_SAME)
		return RULE_COMPLEX;
	rule = pack_cfa(row);
	return rule == RULE_COMPLEX ? rule : pack_bp(rule, &row->rule[ARCH_FP]);
}

const uint8_t *rule_eh_frame_hdr(uint64_t pc)
{
	struct object_found found;

	if (object_find((uintptr_t)pc, &found) != 0)
		return NULL;
	map_see(&found);
	return found.unwind_table;
}

static uint32_t compute(struct cfi_machine *machine, uint64_t pc)
{
	const uint8_t *hdr = rule_eh_frame_hdr(pc);
	const struct cfi_row *row;

	if (!hdr)
		return RULE_UNKNOWN;
	switch (cfi_row_find(machine, hdr, pc, &row)) {
	case 0:
		return is_returning(pc) ? pack(RULE_RETURNING, row->cfa_offset - 1)
		                        : rule_pack(row);
	case -ENOTSUP:
		return RULE_COMPLEX;
	default:
		if (arch_is_sigreturn(pc))
			return RULE_SIGNAL;
		return object_begins_process(pc) ? RULE_END : RULE_UNKNOWN;
	}
}

uint32_t rule_compute(struct cfi_machine *machine, uint64_t pc)
{
	uint32_t tag = (uint32_t)(pc >> RULE_CACHE_BITS);
	uint64_t *entry = &rule_cache[(pc ^ tag * 0x9e5u) & ((1u << RULE_CACHE_BITS) - 1)];
	uint32_t rule;

	if (pc >> ARCH_ADDRESS_BITS || pc < 4096)
		return RULE_UNKNOWN;
	rule = compute(machine, pc);
	/* An address in no object may be in one later: only rules of objects are cached. */
	if (rule != RULE_UNKNOWN)
		__atomic_store_n(entry, (uint64_t)tag << 32 | rule, __ATOMIC_RELAXED);
	return rule;
}
