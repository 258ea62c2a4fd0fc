/* foreign.h: foreign logs as function traces, and what llvm-xray would print of them. */
#ifndef XER_EXPERIMENT_XRAY_FOREIGN_H
#define XER_EXPERIMENT_XRAY_FOREIGN_H

#include "experiment/xray/functrace.h"
#include "experiment/xray/xraylog.h"

/* Give a log's records to a sink as if they were a function trace of Xer. Returns as
 * functrace_walk. */
int foreign_walk(const struct xraylog *log, const struct functrace_sink *sink);

/* Functions that no map names stand in an object of this name, at their numbers from this address
 * on. */
#define FOREIGN_OBJECT "xray"
#define FOREIGN_BASE ((uint64_t)1 << 32)

/* Open the log of a descriptor, which is taken, as an experiment that has a function trace alone.
 * Returns 0 or -errno: -EBADMSG if the file is no such log. */
int exp_foreign_take(struct experiment *experiment, int fd);
void exp_foreign_close(struct experiment *experiment);

#endif
