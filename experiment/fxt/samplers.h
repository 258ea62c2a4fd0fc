/* samplers.h: what the helpers of xcollect leave behind: the sampler of CPU time, and one for each
 * hardware counter. Each has a directory in the founder's experiment, with cpuN.fxt for the samples
 * of a CPU and map.fxt for the mapped code, both of all processes. */
#ifndef XER_EXPERIMENT_FXT_SAMPLERS_H
#define XER_EXPERIMENT_FXT_SAMPLERS_H

#include "experiment/base/internal.h"
#include "experiment/fxt/fxt.h"

enum {
	EXP_SAMPLERS = 1 + FMT_COUNTERS_MAX, /* that of CPU time is the first */
	EXP_SAMPLER_EVENT_NAME = 64
};

struct exp_sampler {
	char directory[24];
	char event[EXP_SAMPLER_EVENT_NAME]; /* "": CPU time */
	uint64_t period;                    /* ns, or events */
};

/* The n-th sampler. Returns 0, or -ENOENT if the experiment was recorded without it, or timers took
 * samples in its place, which are in `profile`. */
int exp_sampler_get(const struct experiment *experiment, unsigned n, struct exp_sampler *sampler);

/* The program has ended: let the helpers, which are some milliseconds late, write their last
 * samples and counts. Half a second each at most, since a descendant may live on. Returns 1 if one
 * is still at work. */
int exp_samplers_wait(int experiment_directory);

/* How many helpers of an experiment, of which none is at work, have ended before they wrote their
 * counts. */
unsigned exp_samplers_untold(const struct experiment *experiment);

/* Open a sampler's directory, the founder's. Returns the descriptor, to be closed, or -1 if there
 * is none. */
int exp_sampler_open(const struct experiment *experiment, const char *directory);

typedef int exp_sampler_visitor(void *context, const struct exp_fxt *fxt,
                                const struct exp_fxt_record *record);

/* Visit the records of one of its files; what is before its first fault, of which the experiment's
 * reporter is told. fd       the directory where    its name, for messages process  such as are not
 * of this process are passed over; 0: none are visit    returns 0, or -ENOMEM to end it Returns 0,
 * also without such a file, or -ENOMEM. */
int exp_sampler_read(struct experiment *experiment, int fd, const char *where, const char *name,
                     uint64_t process, exp_sampler_visitor *visit, void *context);

/* When the process was the experiment's image, CLOCK_MONOTONIC: from its start, which is older than
 * the collector's if the kernel has told of it, to the exec that ended it. */
void exp_sampler_span(const struct experiment *experiment, uint64_t *from_ns, uint64_t *to_ns);

#endif
