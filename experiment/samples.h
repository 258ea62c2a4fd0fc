/* samples.h: the samples of xcollect --sampler that are of an experiment's process. They take the place of its clock samples. */
#ifndef XER_EXPERIMENT_SAMPLES_H
#define XER_EXPERIMENT_SAMPLES_H

#include "experiment/fxt.h"
#include "experiment/load.h"

struct exp_samples;

/* The program has ended: let the helpers, which are some milliseconds behind, write their last samples and counts. Half a second each at most: a
 * descendant may live on. Returns 1 if one is still at work. */
int exp_samples_wait(int experiment_directory);

/* How many helpers of an experiment, of which none is at work, have ended before they wrote their counts. */
unsigned exp_samples_untold(const struct experiment *experiment);

/* Visit the records of the founder's map.fxt of CPU time, and of each counter; what is before their first faults. visit returns 0, or -ENOMEM
 * to end it. Returns that. */
int exp_samples_maps(struct experiment *experiment, int (*visit)(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record), void *context);

/* The code that was mapped in this process and image by the founder's sampler/map.fxt: *out, to be freed, or NULL. Returns 0 or -ENOMEM. */
int exp_samples_objects(struct experiment *experiment, struct exp_map_object **out, size_t *count);

/* Read the founder's sampler files, as far as they are of this process and image, make nodes of their stacks, and keep them as
 * experiment->samples (NULL: there are none). Returns 0 or -ENOMEM. Before rows are made. */
int exp_samples_read(struct exp_load *load);

/* Count them: each stands for a period of CPU time. Returns 0 or -ENOMEM. */
int exp_samples_values(struct exp_load *load);

/* Give up all that an experiment has. */
void exp_samples_forget(struct experiment *experiment);

#endif
