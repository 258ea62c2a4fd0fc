/* Functions that are instrumented at their entries only: how their return addresses are found and
 * replaced, and what is recorded. The entries are made up, as code that calls them leaves them on
 * the stack. */
#include "libcollector/calls/returns.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/calls/functrace_number.h"
#include "libcollector/calls/functrace_record.h"
#include "libcollector/calls/sled_entry.h"
#include "libcollector/object/map.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/unwind/shadow.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

enum { WORDS = 64, TRUE_ADDRESS = 0x5000 };

/* A writer with a made-up extent, on the one CPU where the test runs. */
static uint64_t words[WORDS + 8];
static struct functrace_writer writer;
static size_t seen;

static void trampoline(void)
{
}

static void set_up(void)
{
	cpu_set_t here;

	scratch_open();
	map_open_program();
	cr_assert_eq(number_start(), 0);
	col.descriptor.functrace_returns = 1;
	cr_assert_eq(shadow_trampoline % 2, 1, "no address while nothing is replaced");
	if (!returns_start(trampoline))
		cr_skip_test("return addresses cannot be replaced here");
	if (!arch_has_ticks_cpu())
		cr_skip_test("records cannot be written on the short way here");
	limits_start(1);
	CPU_ZERO(&here);
	CPU_SET((unsigned)sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	writer = (struct functrace_writer){
		.at = words, .end = words + WORDS, .thread = thread_current()};
	words[0] = FDR_END_OF_BUFFER;
	writer.last = arch_ticks_cpu(&writer.cpu);
	functrace_self = &writer;
	atomic_store(&col.switches->on[SOURCE_FUNCTRACE], FUNCTRACE_ALL);
}

TestSuite(returns, .init = set_up, .fini = scratch_remove, .timeout = 30);

/* The next record is of that action of the function with that number; its delta may be any. */
static void next_is(enum fdr_action action, uint32_t number)
{
	cr_assert_lt(words + seen, writer.at, "there is no record %zu", seen);
	cr_assert_eq(words[seen] & UINT32_MAX, fdr_function_word(number, action, 0), "%zu: %lx",
	             seen, (unsigned long)words[seen]);
	seen++;
}

static void no_more(void)
{
	cr_assert_eq(words + seen, writer.at);
	cr_assert_eq(words[seen], FDR_END_OF_BUFFER);
}

/* ---- at the very entry */

union at_entry {
	struct returns_entry entry;
	struct {
		uint64_t head[offsetof(struct returns_entry, stack) / sizeof(uint64_t)];
		uint64_t stack[8]; /* that of the entry; the return address first */
	};
};

static uint64_t site_of(unsigned i)
{
	static void *const functions[] = {(void *)&qsort, (void *)&bsearch, (void *)&strtol};

	return (uint64_t)(uintptr_t)functions[i] + 4;
}

static enum returns_next enter(union at_entry *at, unsigned function)
{
	at->entry = (struct returns_entry){.place = RETURNS_AT_ENTRY, .site = site_of(function)};
	return returns_enter(&at->entry);
}

static void leave(union at_entry *at, enum returns_next expected)
{
	struct returns_exit *exit = (void *)((char *)at->stack -
	                                     offsetof(struct returns_exit, address));

	cr_assert_eq(returns_leave(exit), expected);
	cr_assert_eq(at->stack[0], TRUE_ADDRESS, "it goes on where it would have");
}

static uint32_t number_of(unsigned function)
{
	return number_look(site_of(function));
}

Test(returns, a_call_has_its_entry_and_its_exit)
{
	union at_entry at = {.stack = {TRUE_ADDRESS, 7}};

	cr_assert_eq(enter(&at, 0), RETURNS_LOOK, "nothing is known yet");
	cr_assert_eq(at.stack[0], TRUE_ADDRESS);
	no_more();
	returns_enter_slowly(&at.entry, RETURNS_LOOK);
	cr_assert_eq(at.stack[0], shadow_trampoline);
	cr_assert_eq(at.stack[1], 7);
	next_is(FDR_ENTER, number_of(0));
	leave(&at, RETURNS_DONE);
	next_is(FDR_EXIT, number_of(0));
	cr_assert_eq(enter(&at, 0), RETURNS_DONE, "now all is known");
	cr_assert_eq(at.stack[0], shadow_trampoline);
	next_is(FDR_ENTER, number_of(0));
	leave(&at, RETURNS_DONE);
	next_is(FDR_EXIT, number_of(0));
	no_more();
}

/* The function that jumped is left, and the return address is still the first one's. */
Test(returns, a_tail_call_ends_the_call_that_it_replaces)
{
	union at_entry at = {.stack = {TRUE_ADDRESS}};

	for (unsigned i = 0; i < 2; i++)
		number_find(site_of(i), FMT_function_source_ENTRIES);
	enter(&at, 0);
	returns_enter_slowly(&at.entry, RETURNS_LOOK);
	next_is(FDR_ENTER, number_of(0));
	cr_assert_eq(enter(&at, 1), RETURNS_DONE);
	cr_assert_eq(at.stack[0], shadow_trampoline);
	next_is(FDR_TAIL_EXIT, number_of(0));
	next_is(FDR_ENTER, number_of(1));
	leave(&at, RETURNS_DONE);
	next_is(FDR_EXIT, number_of(1));
	no_more();
}

/* What cannot be written here is written on the long way: both records, or the second one. */
Test(returns, what_is_left_to_the_long_way_is_there_to_be_written)
{
	union at_entry at = {.stack = {TRUE_ADDRESS}};

	for (unsigned i = 0; i < 2; i++)
		number_find(site_of(i), FMT_function_source_ENTRIES);
	enter(&at, 0);
	returns_enter_slowly(&at.entry, RETURNS_LOOK);
	next_is(FDR_ENTER, number_of(0));
	writer.busy = 1;
	cr_assert_eq(enter(&at, 1), RETURNS_WRITE);
	cr_assert_eq(at.entry.pending.left, fdr_function_word(number_of(0), FDR_TAIL_EXIT, 0));
	cr_assert_eq(at.entry.pending.entered, fdr_function_word(number_of(1), FDR_ENTER, 0));
	leave(&at, RETURNS_WRITE);
	functrace_self = NULL;
	cr_assert_eq(enter(&at, 1), RETURNS_PREPARE);
	cr_assert_eq(at.entry.pending.left, 0);
	leave(&at, RETURNS_PREPARE);
	functrace_self = &writer;
	writer.busy = 0;
	atomic_store(&col.switches->on[SOURCE_FUNCTRACE], FUNCTRACE_OFF);
	cr_assert_eq(enter(&at, 1), RETURNS_DONE);
	next_is(FDR_ENTER, number_of(1));
	leave(&at, RETURNS_DONE);
	no_more();
}

Test(returns, a_function_that_is_left_out_is_left_alone)
{
	union at_entry at = {.stack = {TRUE_ADDRESS}};
	uint32_t place = number_place(site_of(0));

	atomic_store(&number_table[place], site_of(0) | NUMBER_LEFT_OUT);
	cr_assert_eq(enter(&at, 0), RETURNS_DONE);
	returns_enter_slowly(&at.entry, RETURNS_LOOK);
	returns_enter_slowly(&at.entry, RETURNS_DONE);
	cr_assert_eq(at.stack[0], TRUE_ADDRESS);
	cr_assert_eq(atomic_load(&col.count.calls_unhooked), 0);
	no_more();
}

/* ---- from inside: the rule of the function says where its return address is */

static uint32_t rule_of(enum rule_kind kind, int words_to_cfa)
{
	return (uint32_t)kind | (uint32_t)words_to_cfa << 16;
}

Test(returns, the_return_address_is_below_what_the_rule_finds)
{
	union at_entry at = {.stack = {0}};
	uint64_t stack = (uint64_t)at.stack;

	at.entry.place = RETURNS_INSIDE;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), RETURNS_SLOT_UNKNOWN);
	returns_rules[5] = rule_of(RULE_SP, 1);
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack);
	returns_rules[5] = rule_of(RULE_SP, 4);
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack + 24);
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 6), RETURNS_SLOT_UNKNOWN);
	at.entry.bp = stack + 40;
	returns_rules[5] = rule_of(RULE_BP, 2);
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack + 48);
	/* The word at bp + offset holds what is above the return address. */
	at.stack[3] = stack + 32;
	at.entry.bp = (uint64_t)&at.stack[4];
	returns_rules[5] = rule_of(RULE_BP_DEREF, -1);
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack + 24);
	returns_rules[5] = RULE_END;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), RETURNS_SLOT_UNSURE);
	at.entry.place = RETURNS_AT_ENTRY;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack, "no rule is asked");
}

Test(returns, a_place_that_is_no_word_of_the_stack_is_unsure)
{
	union at_entry at = {.stack = {0}};
	uint64_t stack = (uint64_t)at.stack;

	at.entry.place = RETURNS_BEFORE;
	returns_rules[5] = rule_of(RULE_BP, 1);
	at.entry.bp = stack;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), stack);
	at.entry.bp = stack - 8;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), RETURNS_SLOT_UNSURE, "too low");
	at.entry.bp = stack + 12;
	cr_expect_eq(returns_slot(&at.entry, NUMBER_FIRST + 5), RETURNS_SLOT_UNSURE, "odd");
}

struct found {
	uint64_t *slot, word, address;
	uint64_t unhooked;
	enum returns_next first;
};

/* As code that calls us behind its prologue; what it replaced is put back. */
static __attribute__((noinline)) void enter_inside(struct found *found, uint64_t *frame, int place)
{
	struct returns_entry entry = {.place = (uint64_t)place,
	                              .bp = (uint64_t)frame,
	                              .site = (uint64_t)(uintptr_t)__builtin_return_address(0)};

	found->first = returns_enter(&entry);
	returns_enter_slowly(&entry, found->first);
	found->slot = frame + 1;
	found->word = frame[1];
	if (shadow_find((uint64_t)(frame + 1)))
		found->address = shadow_find((uint64_t)(frame + 1))->address;
	if (frame[1] == shadow_trampoline)
		frame[1] = found->address;
	found->unhooked = atomic_load(&col.count.calls_unhooked);
}

/* It has a frame pointer. */
static __attribute__((noinline)) void framed(struct found *found, int place)
{
	enter_inside(found, __builtin_frame_address(0), place);
	__asm__ volatile("" : : : "memory");
}

Test(returns, behind_a_prologue_the_frame_pointer_leads_to_the_return_address)
{
	struct found found = {0};

	framed(&found, RETURNS_INSIDE);
	cr_assert_eq(found.first, RETURNS_LOOK);
	cr_assert_eq(found.word, shadow_trampoline);
	cr_assert_neq(found.address, 0);
	cr_assert_eq(found.unhooked, 0);
	cr_assert_eq(words + 1, writer.at);
	cr_assert_eq(words[0] >> 1 & 7, FDR_ENTER);
}

/* There the table's rule may be one that holds only later. */
Test(returns, elsewhere_a_call_that_is_not_the_first_instruction_is_counted)
{
	struct found found = {0};

	framed(&found, RETURNS_BEFORE);
	cr_assert_eq(found.first, RETURNS_LOOK);
	cr_assert_neq(found.word, shadow_trampoline);
	cr_assert_eq(found.unhooked, 1);
	no_more();
	framed(&found, RETURNS_BEFORE);
	cr_assert_eq(found.first, RETURNS_DONE);
	cr_assert_eq(found.unhooked, 2);
	no_more();
}

/* ---- whether they are traced */

Test(returns, they_are_traced_where_the_user_asks_for_it)
{
	cr_assert_eq(returns_is_on, 1);
	cr_assert_eq(shadow_trampoline, (uint64_t)(uintptr_t)trampoline);
	col.descriptor.functrace_returns = 0;
	cr_assert_eq(returns_start(trampoline), 0);
	cr_assert_eq(returns_is_on, 0);
	col.descriptor.functrace_returns = 1;
	cr_assert_eq(returns_start(trampoline), 1);
	cr_assert_eq(scratch_count("log.xml", "not traced"), 0);
}
