/* sampler.h: xcollect --sampler and -h: the kernel samples the program and its descendants, and the
 * helper xer_sampler writes FXT files. */
#ifndef XER_COLLECT_RECORD_SAMPLER_H
#define XER_COLLECT_RECORD_SAMPLER_H

#include "collect/experiment/environment.h"
#include "collect/experiment/experiment.h"
#include "collect/options/options.h"

/* May this user sample here? If not, say so on stderr with what would help, and ask for clock
 * samples by timers instead. Before the settings are written. */
void sampler_prepare(struct request *request);

/* Begin to sample this process, which is about to execute the program: from then on, until it and
 * all descendants have ended. A helper is left running, which is not a child of this process and
 * stays unnoticed. What is impossible is reported on stderr, and the recording goes on without it.
 * Nothing is done unless sampler_ns, counters or kernel are set in the request. Returns how many
 * helpers have begun. */
unsigned sampler_begin(const struct installation *installation, const struct request *request,
                       const struct experiment_directory *experiment);

enum { SAMPLERS_MAX = 2 + FMT_COUNTERS_MAX };

/* Helpers that sample a running process: our ends of their sockets, -errno of those that could not
 * begin. */
struct samplers {
	int fd[SAMPLERS_MAX];
	unsigned count;
};

/* The same of the running process `pid`, from now on until sampler_end. */
unsigned sampler_attach(const struct installation *installation, const struct request *request,
                        const struct experiment_directory *experiment, pid_t pid,
                        struct samplers *out);

/* End sampling, and wait for the last sample to be written. */
void sampler_end(struct samplers *samplers);

#endif
