/* returns.c: entries and exits of functions that are instrumented at their entries only: the part
 * that every call runs. See returns.h. Compiled for general registers only: it is called where all
 * registers of the program are in use.
 * See doc/decisions/26-return-hooking.md. */
#include "libcollector/calls/returns.h"

#include "libcollector/calls/functrace_number.h"
#include "libcollector/calls/functrace_record.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/shadow.h"

_Static_assert((int)RETURNS_DONE == LIMITS_DONE && (int)RETURNS_WRITE == LIMITS_WRITE &&
                       (int)RETURNS_PREPARE == LIMITS_PREPARE,
               "returns.h");

uint32_t returns_is_on;
uint32_t *returns_rules;

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)address;
}

/* Below the CFA of the rule. */
static uint64_t slot_by_rule(const struct returns_entry *entry, uint32_t rule)
{
	uint64_t offset = (uint64_t)rule_cfa_offset(rule) - 8;
	uint64_t sp = (uint64_t)entry->stack;

	switch (rule_kind(rule)) {
	case RULE_UNKNOWN:
		return RETURNS_SLOT_UNKNOWN;
	case RULE_SP:
		return sp + offset;
	case RULE_BP:
		return entry->bp + offset;
	case RULE_BP_DEREF:
		return word_at(entry->bp + offset + 8) - 8;
	default:
		return RETURNS_SLOT_UNSURE;
	}
}

uint64_t returns_slot(const struct returns_entry *entry, uint32_t number)
{
	uint64_t slot;

	if (entry->place == RETURNS_AT_ENTRY)
		return (uint64_t)entry->stack;
	slot = slot_by_rule(
		entry, __atomic_load_n(&returns_rules[number - NUMBER_FIRST], __ATOMIC_RELAXED));
	if (slot != RETURNS_SLOT_UNKNOWN && (slot < (uint64_t)entry->stack || slot % 8 != 0))
		return RETURNS_SLOT_UNSURE;
	return slot;
}

/* The records of an entry at the stack pointer sp. Words that were written become zero. */
static enum returns_next record(struct returns_pending *pending, uint64_t sp)
{
	enum limits_next next = LIMITS_DONE;

	if (unlikely(pending->left != 0)) {
		next = limits_record(pending->left, sp, 0);
		if (next != LIMITS_DONE)
			return (enum returns_next)next;
		pending->left = 0;
	}
	return (enum returns_next)limits_record(pending->entered, sp, 0);
}

/* A function that is entered with a replaced return address was reached by a tail call: the address
 * was replaced for the function that jumped to it. */
static void exchange(struct returns_entry *entry, uint64_t *slot, struct shadow_call *call,
                     uint64_t word)
{
	if (unlikely(*slot == shadow_trampoline))
		entry->pending.left = call->word | FDR_TAIL_EXIT << 1;
	else
		call->address = *slot;
	entry->pending.entered = call->word = word;
	atomic_signal_fence(memory_order_seq_cst);
	*slot = shadow_trampoline;
}

enum returns_next returns_enter(struct returns_entry *entry)
{
	uint32_t number = number_look(entry->site);
	struct shadow_call *call;
	uint64_t slot;

	if (number == 0)
		return RETURNS_DONE;
	slot = number == NUMBER_UNKNOWN ? RETURNS_SLOT_UNKNOWN : returns_slot(entry, number);
	if (unlikely(slot == RETURNS_SLOT_UNSURE)) {
		col_count(&col.count.calls_unhooked, 1);
		return RETURNS_DONE;
	}
	call = likely(slot != RETURNS_SLOT_UNKNOWN) ? shadow_find(slot) : NULL;
	if (unlikely(!call))
		return RETURNS_LOOK;
	exchange(entry, (uint64_t *)slot, call, fdr_function_word(number, FDR_ENTER, 0));
	return record(&entry->pending, slot + 8);
}

enum returns_next returns_leave(struct returns_exit *exit)
{
	const struct shadow_call *call = shadow_find((uint64_t)&exit->address);

	exit->address = call->address;
	exit->word = call->word | FDR_EXIT << 1;
	if (unlikely(functrace_mode() == FUNCTRACE_OFF))
		return RETURNS_DONE;
	return (enum returns_next)limits_record(exit->word, 0, 0);
}
