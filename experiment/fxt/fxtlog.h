/* fxtlog.h: the samples of an FXT file as the profile of an experiment: backtraces of Fuchsia's
 * profiler, and blobs of its thread sampler. A file may be about several processes. Each of them
 * has a generation of the address map of its own, so that equal addresses of two processes are
 * never mixed up. */
#ifndef XER_EXPERIMENT_FXT_FXTLOG_H
#define XER_EXPERIMENT_FXT_FXTLOG_H

#include "experiment/streams/load_context.h"

/* Open the FXT file of a descriptor as an experiment: fills info, clock and objects. Returns 0, and
 * the descriptor belongs to the experiment; -EBADMSG: it is no FXT file; -ENODATA: it has no
 * samples; or another -errno. */
int exp_fxtlog_open(struct experiment *experiment, int fd);
void exp_fxtlog_close(struct experiment *experiment);

/* Make nodes of the stacks, before rows are made; then count the samples. Nothing is done for other
 * experiments. Return 0 or -errno. */
int exp_fxtlog_nodes(struct exp_load *load);
int exp_fxtlog_values(struct exp_load *load);

#endif
