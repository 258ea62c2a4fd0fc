/* sampled.h: descendants that no collector was in: programs that no library can be loaded into, and
 * what those make. The kernel's samples are in the founder's files, and sampler/map.fxt tells who
 * they were. They have no directory: their experiments are made here, of that file, each time that
 * somebody opens them. */
#ifndef XER_EXPERIMENT_OPEN_SAMPLED_H
#define XER_EXPERIMENT_OPEN_SAMPLED_H

#include "experiment/fxt/sampled_table.h"

/* Name the images by the logs of the experiments that are there (sampled_names.c). Returns 0 or
 * -ENOMEM.
 */
int exp_sampled_name(struct experiment *founder, struct exp_sampled *sampled);

/* Find those of a founder whose descendants are listed: they are added to the list. Returns 0 or
 * -ENOMEM. */
int exp_sampled_read(struct experiment *founder);
void exp_sampled_forget(struct experiment *founder);

/* Make the experiment of such a descendant: fills info, clock and map. Returns 0, -ENOENT (there is
 * no such) or -ENOMEM. */
int exp_sampled_make(const struct experiment *founder, struct experiment *descendant);

#endif
