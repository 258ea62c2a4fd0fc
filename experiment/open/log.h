/* log.h: what log.xml says about an experiment. */
#ifndef XER_EXPERIMENT_OPEN_LOG_H
#define XER_EXPERIMENT_OPEN_LOG_H

#include "experiment/base/internal.h"

/* Read log.xml, of which `fd` is closed then (negative: it could not be opened, and why): fills
 * info and the clock. Returns 0, -EBADMSG (foreign), -EPROTO (another version), -ENODATA (empty) or
 * another -errno; `cause` then has the reason without the experiment's path. */
int exp_log_read(struct experiment *experiment, int fd, struct exp_cause *cause);

/* Lend to descendants that are opened later what is the same in a whole tree, and is told by the
 * founder's log alone. */
void exp_log_lend(const struct experiment *founder);

/* Read from the founder's log what is the same in a whole tree, unless it is lent: all that is read
 * for a descendant that has no log. Returns 0 or -ENOMEM. */
int exp_log_inherit(struct experiment *experiment);

/* Give the events of info their times by the clock, and info its duration. last_ticks:
 * time of the last event of any data stream, 0 if unknown. */
void exp_log_apply_clock(struct experiment *experiment, uint64_t last_ticks);

#endif
