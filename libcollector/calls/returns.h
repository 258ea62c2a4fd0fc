/* returns.h: function tracing of code that is instrumented at its entries only: -pg (mcount),
 * -mfentry, -fpatchable-function-entry. Opt-in, --functrace=returns=on.
 *
 * To see an exit, the return address is replaced by that of a trampoline, returns_trampoline, which
 * restores the true one (shadow.h). A call whose return address is not certain is not traced, but
 * counted. */
#ifndef XER_COLLECTOR_RETURNS_H
#define XER_COLLECTOR_RETURNS_H

#include "libcollector/calls/functrace_limits.h"

enum { RETURNS_REGISTERS = 9 };

/* Where code calls us: at the very entry, where the return address is on top of the stack; after
 * the prologue; or before the prologue, but not always as the very first instruction
 * (__fentry__). */
enum returns_place { RETURNS_AT_ENTRY, RETURNS_INSIDE, RETURNS_BEFORE };

/* Words of function records to be written: that of a call which this one replaces (a tail call),
 * and that of this one. */
struct returns_pending {
	uint64_t left, entered;
};

/* What returns_entry.c has on its stack at an entry. */
struct returns_entry {
	struct returns_pending pending; /* zero */
	uint64_t place;                 /* enum returns_place */
	uint64_t bp;
	uint64_t registers[RETURNS_REGISTERS];
	uint64_t site;    /* where the code goes on */
	uint64_t stack[]; /* of the code */
};

/* And at an exit. */
struct returns_exit {
	uint64_t word;
	uint64_t registers[RETURNS_REGISTERS];
	uint64_t address; /* in the place of the return address */
};

/* Like enum limits_next, with RETURNS_LOOK: something about this function or stack is not known
 * yet; nothing was done. */
enum returns_next { RETURNS_DONE, RETURNS_WRITE, RETURNS_PREPARE, RETURNS_LOOK };

/* 1: entries are traced, if calls are recorded. */
extern uint32_t returns_is_on __attribute__((visibility("hidden")));

/* What replaced return addresses and patched entries lead to. Not C functions: see
 * returns_entry.c. */
void returns_trampoline(void) __attribute__((visibility("hidden")));
void returns_at_entry(void) __attribute__((visibility("hidden")));
void returns_inside(void) __attribute__((visibility("hidden")));

/* Prepare, if the user asks for it. Returns 1 if entries are traced. Normal context. */
int returns_start(void (*trampoline)(void));

/* Handle an entry or exit. Change general registers only. Return RETURNS_DONE, or which of the
 * other two functions, which may change all registers, has to do the rest. Signal-safe. */
enum returns_next returns_enter(struct returns_entry *entry) __attribute__((visibility("hidden")));
enum returns_next returns_leave(struct returns_exit *exit) __attribute__((visibility("hidden")));
void returns_enter_slowly(struct returns_entry *entry, enum returns_next next)
	__attribute__((visibility("hidden")));
void returns_leave_slowly(struct returns_exit *exit, enum returns_next next)
	__attribute__((visibility("hidden")));

/* ---- between returns.c and returns_slow.c ---- */

/* For each place of number_table: the rule (rule.h) by which the return address is found from
 * inside the function. 0: not looked at; RULE_END: it cannot be found. */
extern uint32_t *returns_rules __attribute__((visibility("hidden")));

/* Where the return address of the function with this number is. Returns RETURNS_SLOT_UNKNOWN if
 * that was not looked up yet, and RETURNS_SLOT_UNSURE if it cannot be known. */
enum { RETURNS_SLOT_UNKNOWN, RETURNS_SLOT_UNSURE };
uint64_t returns_slot(const struct returns_entry *entry, uint32_t number)
	__attribute__((visibility("hidden")));

#endif
