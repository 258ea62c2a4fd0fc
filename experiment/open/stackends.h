/* stackends.h: which stacks are not whole, and the code at which they end. */
#ifndef XER_EXPERIMENT_OPEN_STACKENDS_H
#define XER_EXPERIMENT_OPEN_STACKENDS_H

#include "experiment/streams/load_context.h"

/* Count the stacks that events name, and those that are not whole, in load->set.quality; of a load
 * of all events, find where those end: load->set.cuts. Returns 0 or -ENOMEM. */
int exp_stacks_count(struct exp_load *load);

#endif
