/* samples.h: the samples of CPU time and hardware counters that belong to an experiment. Those of
 * CPU time replace its clock samples. */
#ifndef XER_EXPERIMENT_FXT_SAMPLES_H
#define XER_EXPERIMENT_FXT_SAMPLES_H

#include "experiment/streams/load_context.h"

struct exp_samples;

/* Read the founder's samples, as far as they are of this process and image, make nodes of their
 * stacks, and keep them as experiment->samples[] (NULL: there are none). Returns 0 or -ENOMEM.
 * Before rows are made. */
int exp_samples_read(struct exp_load *load);

/* Count them: each stands for a period. Returns 0 or -ENOMEM. */
int exp_samples_values(struct exp_load *load);

/* How many samples of counters a row has, in a load that is not grouped. */
uint64_t exp_samples_counted(const struct exp_load *load, size_t row);

/* Give up all that an experiment has. */
void exp_samples_forget(struct experiment *experiment);

#endif
