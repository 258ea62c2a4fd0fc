/* functrace_limits.h: function tracing of calls up to a depth, and without short ones
 * (--functrace=depth=N,min=TIME).
 *
 * Depth. There is a stack of the open calls of a thread, with their stack pointers, since not every
 * call has an exit: if a call begins at a higher stack pointer, an open call with a lower one was
 * left by a jump or an exception. On another stack at higher addresses (that of a handler), all
 * calls seem to be left; their exits are then not recorded.
 *
 * Short calls. An exit finds its entry as the last record and removes it. So a call is erased only
 * if all calls inside it were. Nothing is removed from before the beginning of a buffer or a change
 * of the CPU. */
#ifndef XER_COLLECTOR_FUNCTRACE_LIMITS_H
#define XER_COLLECTOR_FUNCTRACE_LIMITS_H

#include "libcollector/calls/functrace.h"

/* In the second word of a CallArgument, whose own byte is the lowest one: no function record has
 * such a delta. */
#define LIMITS_ARGUMENT_TAG (~(uint64_t)0xff)

enum limits_next { LIMITS_DONE, LIMITS_WRITE, LIMITS_PREPARE };

/* Read the descriptor. Returns 1 if calls are limited. */
int limits_start(int has_ticks);

/* Create a stack of calls. Signals are blocked. */
void limits_prepare(struct functrace_nesting *nesting);

/* Record an entry or exit at stack pointer `sp`; site: distinguishes calls with the same stack
 * pointer, 0: there are none. Changes general registers only. Returns LIMITS_DONE; or LIMITS_WRITE:
 * call functrace_interrupted or functrace_argument to write it; or LIMITS_PREPARE: nothing was
 * done, call functrace_limited. Signal-safe. */
enum limits_next limits_record(uint64_t word, uint64_t sp, uint64_t site)
	__attribute__((visibility("hidden")));

/* If `word` is the exit, at `ticks`, of a short call whose entry is the last record of the writer,
 * remove that. The writer is busy. Returns 1 if it did. */
int limits_erase(struct functrace_writer *writer, uint64_t word, uint64_t ticks);

/* Do all of that, also for the first time in a thread; value: the argument, if the word says that
 * there is one. */
void functrace_limited(uint64_t word, uint64_t value, uint64_t sp, uint64_t site)
	__attribute__((visibility("hidden")));

#endif
