/* logfile.h: files that stand for an experiment directory. */
#ifndef XER_EXPERIMENT_OPEN_LOGFILE_H
#define XER_EXPERIMENT_OPEN_LOGFILE_H

#include "experiment/base/internal.h"

/* Open the file at the experiment's path as an experiment. Returns 0, or -errno with the cause:
 * -ENOTDIR if it is none that is known. exp_logfile_close frees what it has, if there is anything.
 */
int exp_logfile_open(struct experiment *experiment, struct exp_cause *cause);
void exp_logfile_close(struct experiment *experiment);

#endif
