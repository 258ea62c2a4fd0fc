/* usage.h: samples of the process's resource usage, in the overview stream. */
#ifndef XER_COLLECTOR_PROFILE_USAGE_H
#define XER_COLLECTOR_PROFILE_USAGE_H

#include "libcollector/base/moment.h"
#include "libcollector/thread/thread.h"

#include "format/descriptor.h"
#include "format/xml.h"

/* This image began at `start`. The CPU time in the step is not its own: an earlier image has
 * recorded it. At the start only. */
void usage_open(const struct process_moment *start, const struct descriptor_step *step);

/* Put into the step what the process has used so far. Signal-safe. */
void usage_tell(struct descriptor_step *step);

/* In a forked child, which began at `start`. Signal-safe. */
void usage_restart(const struct process_moment *start);

/* CPU time of children that the process has waited for, and of theirs, since its start.
 * Signal-safe. */
uint64_t usage_children_ns(void);

/* That start. */
const struct process_moment *usage_start(void);

/* CPU time of the process that belongs to this recording. Signal-safe. */
uint64_t usage_cpu_ns(void);

/* Write the sample of a descendant's start: nothing was used yet. Signal-safe. */
void usage_sample_start(struct col_thread *thread, enum col_context context);

/* Take a sample now, behind the periodic ones that were due while the process slept. Returns its
 * number. Signal-safe. */
uint32_t usage_sample(struct col_thread *thread, enum col_context context,
                      enum fmt_sample_reason reason);

/* Append a <usage> element with the same facts, for a process that has no overview. Signal-safe. */
void usage_put(struct xml_text *text);

/* Did a process that recorded nothing sleep for so long that samples were due, by a period that is
 * shorter than the usual one? Those would cost each process a file that does nothing but wait for
 * children. Signal-safe. */
int usage_is_behind(void);

/* Take one if the period has passed, and those that were due before. Returns 1 if it did.
 * Signal-safe. */
int usage_sample_if_due(struct col_thread *thread, enum col_context context);

#endif
