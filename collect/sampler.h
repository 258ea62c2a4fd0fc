/* sampler.h: xcollect --sampler: the kernel samples the program and its descendants, a helper beside them writes FXT files. */
#ifndef XER_COLLECT_SAMPLER_H
#define XER_COLLECT_SAMPLER_H

#include "experiment.h"
#include "options.h"

/* Begin to sample this process, which is about to execute the program: from then on, until it and all descendants have ended. A helper
 * is left behind, which is no child of this process and gives no sign. What cannot be done is said on stderr with the
 * remedy, and the recording goes on without. Nothing is done unless request->sampler_ns is set. */
void sampler_begin(const struct request *request, const struct experiment_directory *experiment);

/* ---- the helper's work (samplerwork.c) */

struct sampler_work;

/* Open events of the process `pid` that begin when it executes a program, and the files in `sampler` of the experiment.
 * Returns 0 or -errno: -EACCES and -EPERM: the system forbids it. *in_kernel: time in system calls is sampled. */
int samplerwork_open(struct sampler_work **out, const struct request *request, int directory, int pid, int *in_kernel);

/* Write samples until nobody is left to be sampled, then the counts to log.xml. Ends the process. */
_Noreturn void samplerwork_run(struct sampler_work *work);

#endif
