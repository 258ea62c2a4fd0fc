/* usage.h: samples of the process's resource usage, in the overview stream. */
#ifndef XER_COLLECTOR_USAGE_H
#define XER_COLLECTOR_USAGE_H

#include "thread.h"

/* Take a sample now. Signal-safe. */
void usage_sample(struct col_thread *thread, enum col_context context, enum fmt_sample_reason reason);

/* Take one if the period has passed. Returns 1 if it did. Signal-safe. */
int usage_sample_if_due(struct col_thread *thread, enum col_context context);

#endif
