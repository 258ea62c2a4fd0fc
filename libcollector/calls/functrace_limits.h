/* functrace_limits.h: function tracing of calls up to a depth, and not of short ones
 * (--functrace=depth=N,min=TIME).
 *
 * Depth. A stack of the thread's open calls, with their stack pointers, since not every call has an
 * exit: a call whose stack pointer is below that of one that begins has been left by a jump or an
 * exception. On another stack that lies higher (a handler's), all seem to be left: their exits are
 * then not recorded.
 *
 * Short calls. An exit finds its entry as the last record and takes it back, so a call is erased if
 * all calls inside of it were. Nothing is taken back from before the beginning of a buffer or a
 * change of the CPU. */
#ifndef XER_COLLECTOR_FUNCTRACE_LIMITS_H
#define XER_COLLECTOR_FUNCTRACE_LIMITS_H

#include "libcollector/calls/functrace.h"

/* In the second word of a CallArgument, whose own byte is the lowest: no function record has such a
 * delta. */
#define LIMITS_ARGUMENT_TAG (~(uint64_t)0xff)

enum limits_next { LIMITS_DONE, LIMITS_WRITE, LIMITS_PREPARE };

/* Read the descriptor. Returns 1 if calls are limited. */
int limits_start(int has_ticks);

/* Have a stack of calls. Signals are blocked. */
void limits_prepare(struct functrace_nesting *nesting);

/* Record an entry or exit at stack pointer `sp`; site: tells calls with the same stack pointer
 * apart, 0: there are none. Changes general registers only. Returns LIMITS_DONE; or LIMITS_WRITE:
 * functrace_interrupted or functrace_argument is to write it; or LIMITS_PREPARE: nothing was done,
 * functrace_limited is to be called. Signal-safe. */
enum limits_next limits_record(uint64_t word, uint64_t sp, uint64_t site)
	__attribute__((visibility("hidden")));

/* If `word` is the exit, at `ticks`, of a short call whose entry is the writer's last record, take
 * that back. The writer is busy. Returns 1 if it did. */
int limits_erase(struct functrace_writer *writer, uint64_t word, uint64_t ticks);

/* Do all of that, for the first time in a thread or not; value: the argument, if the word says that
 * there is one. */
void functrace_limited(uint64_t word, uint64_t value, uint64_t sp, uint64_t site)
	__attribute__((visibility("hidden")));

#endif
