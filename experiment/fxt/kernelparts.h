/* kernelparts.h: the kernel's part of the stacks of clock samples, from samples of the kernel's
 * that were taken beside them. */
#ifndef XER_EXPERIMENT_FXT_KERNELPARTS_H
#define XER_EXPERIMENT_FXT_KERNELPARTS_H

#include "experiment/streams/load_context.h"

/* Make nodes for them, if there are such samples, and keep which clock sample has which
 * (experiment->kernel_nodes). Returns 0 or -ENOMEM. Before rows are made, and after
 * exp_samples_read. */
int exp_kernelparts_read(struct exp_load *load);

#endif
