/* tick_possible.h: what speaks against perf events in a process. All of it is signal-safe.
 * See doc/decisions/85-clock.md. */
#ifndef XER_COLLECTOR_PROFILE_TICK_POSSIBLE_H
#define XER_COLLECTOR_PROFILE_TICK_POSSIBLE_H

#include <stdint.h>

/* May events be opened here at all? Reasons against it: an old kernel, a debugger that would stop
 * at each signal, too few descriptors, a filter of system calls that xcollect did not have. */
int tick_perf_is_possible(void);

/* Is the process under the control of a debugger, or of another tracer but the helper of
 * `xcollect -P`? */
int tick_perf_is_traced(void);

/* Has the process more filters of system calls than xcollect had? */
int tick_is_filtered(void);

/* How many has the calling thread? UINT64_MAX: some, but how many is not known. */
uint64_t tick_filters(void);

/* How many descriptors may the process have? 0: that is not known. */
uint64_t tick_descriptors(void);

#endif
