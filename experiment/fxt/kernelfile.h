/* kernelfile.h: the kernel's functions, from the files beside the samples that have them. */
#ifndef XER_EXPERIMENT_FXT_KERNELFILE_H
#define XER_EXPERIMENT_FXT_KERNELFILE_H

#include "experiment/base/internal.h"

/* Read them into the experiment, if there are such files. Returns 0 or -ENOMEM. */
int exp_kernelfiles_read(struct experiment *experiment);

#endif
