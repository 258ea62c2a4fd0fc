/* boot.h: is it still the boot of the machine that the experiment was recorded in? */
#ifndef XER_EXPERIMENT_BASE_BOOT_H
#define XER_EXPERIMENT_BASE_BOOT_H

#include "experiment/experiment.h"

/* Was it recorded on this machine, since that was started? Then its paths are those of the files
 * here. */
int exp_is_of_this_boot(const struct experiment *experiment);

#endif
