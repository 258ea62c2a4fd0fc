/* functrace_write.h: the writers of function records, for the modules that begin and end tracing
 * and name functions. */
#ifndef XER_LIBCOLLECTOR_CALLS_FUNCTRACE_WRITE_H
#define XER_LIBCOLLECTOR_CALLS_FUNCTRACE_WRITE_H

#include "libcollector/calls/functrace.h"

/* Calls are to be recorded, now or later. with_ticks: event time is what arch_ticks_cpu reads;
 * to_rename: writes the names of all functions again. Normal context. */
void writers_prepare(int with_ticks, void (*to_rename)(void));

/* Records begin, or are resumed; with_names: in a file that has no names yet. Signal-safe. */
void writers_start(int with_names);

/* Another recording in this process. */
void writers_restart(void);

/* Count the calls that were erased because they were short. */
void writers_count(void);

/* Around what may change files and memory: signals are blocked, and the end of the recording waits
 * (attach.c). thread may be NULL. */
void functrace_begin_slow(struct col_thread *thread, sys_sigset *old);
void functrace_end_slow(struct col_thread *thread, const sys_sigset *old);

#endif
