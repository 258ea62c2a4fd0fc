/* sampled.h: descendants without a recorder: programs that no library can be loaded into, and their
 * descendants. The kernel's samples are in the founder's files, and sampler/map.fxt describes the
 * processes. They have no directory: their experiments are built here, from that file, each time
 * they are opened. */
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
