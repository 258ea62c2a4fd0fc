/* usage.h: samples of the process's resource usage, in the overview stream. */
#ifndef XER_COLLECTOR_USAGE_H
#define XER_COLLECTOR_USAGE_H

#include "birth.h"
#include "thread.h"

/* This image has not recorded the first `recorded_ns` of the process's CPU time: an earlier one has. At the start only. */
void usage_open(uint64_t recorded_ns);

/* In a forked child, which began at `start`. Signal-safe. */
void usage_restart(const struct birth_moment *start);

/* CPU time of the process that is this recording's. Signal-safe. */
uint64_t usage_cpu_ns(void);

/* Write the sample of a forked child's start: nothing was used yet. Signal-safe. */
void usage_sample_start(struct col_thread *thread, enum col_context context);

/* Take a sample now. Signal-safe. */
void usage_sample(struct col_thread *thread, enum col_context context, enum fmt_sample_reason reason);

/* Take one if the period has passed. Returns 1 if it did. Signal-safe. */
int usage_sample_if_due(struct col_thread *thread, enum col_context context);

#endif
