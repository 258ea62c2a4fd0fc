/* returns_slow.c: what is done once: find out about a function or a stack; and records that take
 * the long path. See returns.h.
 * See doc/decisions/26-return-hooking.md. */
#include "libcollector/calls/returns.h"

#include "libcollector/calls/functrace_number.h"
#include "libcollector/write/log.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/shadow.h"
#include "libcollector/calls/sled_entry.h"

static int is_possible(void)
{
	if (arch_has_shadow_stack()) {
		col_log_warning(
			"function tracing: entries alone are not traced, since this processor watches over return addresses");
		return 0;
	}
	if (!sled_entry_is_possible()) {
		col_log_warning(
			"function tracing: entries alone are not traced, since this processor has no XSAVE");
		return 0;
	}
	return 1;
}

int returns_start(void (*trampoline)(void))
{
	returns_is_on = 0;
	if (!col.descriptor.functrace_returns || !is_possible())
		return 0;
	if (!returns_rules)
		returns_rules = sys_mmap_anonymous(NUMBER_PLACES * sizeof(*returns_rules));
	if (!returns_rules) {
		col_log_warning("function tracing: no memory to trace entries alone");
		return 0;
	}
	shadow_trampoline = (uint64_t)trampoline;
	returns_is_on = 1;
	return 1;
}

/* At a call that is the function's first instruction: a rule, RULE_END if there is more before it.
 */
static uint32_t rule_of_code(const uint8_t *code, const uint8_t *site)
{
	int bytes = arch_bytes_at_call(code, site);

	return bytes < 0 ? RULE_END : RULE_SP | (uint32_t)(bytes / 8) << 16;
}

/* The rule after the prologue: compilers have a frame pointer there, and say so in the table. */
static uint32_t rule_of_table(uint64_t site)
{
	struct cfi_machine *machine = sys_mmap_anonymous(sizeof(*machine));
	uint32_t rule;

	if (!machine)
		return RULE_END;
	rule = rule_find(machine, site - 1);
	sys_munmap(machine, sizeof(*machine));
	return rule_kind(rule) == RULE_BP || rule_kind(rule) == RULE_BP_DEREF ? rule : RULE_END;
}

/* The rule at a call in a function, or RULE_END if none is certain. */
static uint32_t rule_at(uint64_t site, enum returns_place place)
{
	const uint8_t *hdr = rule_eh_frame_hdr(site - 1);
	uint64_t start;
	uint32_t rule;

	if (!hdr || cfi_function_find(hdr, site - 1, &start) < 0)
		return RULE_END;
	rule = rule_of_code((const uint8_t *)start, (const uint8_t *)site);
	return rule == RULE_END && place == RETURNS_INSIDE ? rule_of_table(site) : rule;
}

/* Returns 0 if the call can be traced now, else -1. */
static int look(const struct returns_entry *entry)
{
	uint32_t number = number_find(entry->site, FMT_function_source_ENTRIES);
	uint64_t slot;

	if (number == 0)
		return -1;
	slot = returns_slot(entry, number);
	if (slot == RETURNS_SLOT_UNKNOWN) {
		__atomic_store_n(&returns_rules[number - NUMBER_FIRST],
		                 rule_at(entry->site, (enum returns_place)entry->place),
		                 __ATOMIC_RELAXED);
		slot = returns_slot(entry, number);
	}
	if (slot == RETURNS_SLOT_UNSURE || shadow_make(slot))
		return 0;
	col_count(&col.count.calls_unhooked, 1);
	return -1;
}

static enum returns_next look_and_enter(struct returns_entry *entry)
{
	sys_sigset old;
	int status;

	sys_block_signals(&old);
	status = look(entry);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return status < 0 ? RETURNS_DONE : returns_enter(entry);
}

static void put(uint64_t word, uint64_t sp, enum returns_next next)
{
	if (next == RETURNS_WRITE)
		functrace_interrupted(word);
	else
		functrace_limited(word, 0, sp, 0);
}

void returns_enter_slowly(struct returns_entry *entry, enum returns_next next)
{
	struct returns_pending *pending = &entry->pending;
	uint64_t sp;

	if (next == RETURNS_LOOK)
		next = look_and_enter(entry);
	if (next == RETURNS_DONE || next == RETURNS_LOOK)
		return;
	sp = returns_slot(entry, number_look(entry->site)) + 8;
	if (pending->left) {
		put(pending->left, sp, next);
		next = RETURNS_PREPARE;
	}
	put(pending->entered, sp, next);
}

void returns_leave_slowly(struct returns_exit *exit, enum returns_next next)
{
	put(exit->word, 0, next); /* stack pointers matter at entries alone */
}
