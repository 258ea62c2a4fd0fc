/* log.h: what the helper adds to log.xml at the end. */
#ifndef XER_PERF_LOG_H
#define XER_PERF_LOG_H

#include "perf/work.h"

/* Add the counts to the experiment's log, which only helpers write to any more, under names that
 * begin with that of the directory. cost_ns    of a sample, 0: unknown beside_ns  CPU time of this
 * process */
void log_counts(int directory, const char *name, const struct work_counts *counts, int in_kernel,
                uint64_t cost_ns, uint64_t beside_ns);

/* The same of an export that failed: the files are not there, or not whole. */
void log_lost_files(int directory, const char *reason);

#endif
