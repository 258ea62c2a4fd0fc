/* parallel.h: the data streams of an experiment, read at the same time where that is worth it. */
#ifndef XER_EXPERIMENT_OPEN_PARALLEL_H
#define XER_EXPERIMENT_OPEN_PARALLEL_H

#include "experiment/streams/load_context.h"

/* Read clock samples, heap events, waits and calls into the load: at once, if at least two of these
 * streams are large, there is more than one CPU, and no selection has to be asked. Totals, and the
 * order of messages, are the same as if they were read one after the other. Returns 0 or -ENOMEM.
 */
int exp_load_events(struct exp_load *load);

#endif
