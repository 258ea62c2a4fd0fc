/* log.h: what log.xml says about an experiment. */
#ifndef XER_EXPERIMENT_OPEN_LOG_H
#define XER_EXPERIMENT_OPEN_LOG_H

#include "experiment/base/internal.h"

/* Read log.xml: fills info and the clock. Returns 0, -EBADMSG (foreign), -EPROTO (another
 * version), -ENODATA (empty) or another -errno; `cause` then has the reason without the
 * experiment's path. */
int exp_log_read(struct experiment *experiment, struct exp_cause *cause);

/* Read from the founder's log what is the same in a whole tree: all that is read for a descendant
 * that has no log. Returns 0 or -ENOMEM. */
int exp_log_inherit(struct experiment *experiment);

/* Give the events of info their times by the clock, and info its duration. last_ticks:
 * time of the last event of any data stream, 0 if unknown. */
void exp_log_apply_clock(struct experiment *experiment, uint64_t last_ticks);

#endif
