/* load.h: read all data of an experiment. */
#ifndef XER_EXPERIMENT_OPEN_LOAD_H
#define XER_EXPERIMENT_OPEN_LOAD_H

#include "experiment/streams/load_context.h"

/* Read everything into a new load, all events or those of a selection. Returns 0 or -errno.
 * exp_load_destroy frees. */
int exp_load_make(struct experiment *experiment, const struct exp_selection *selection,
                  struct exp_load **out);

/* Read the call stacks alone, without events. *is_whole: are these all? Those of traced functions
 * are known only to who reads all calls. Returns 0 or -errno. exp_load_destroy frees. */
int exp_load_stacks(struct experiment *experiment, struct exp_load **out, int *is_whole);

/* CPU time of the process: told by its end, else up to its last usage sample. No events are read.
 */
uint64_t exp_load_cpu_ns(const struct experiment *experiment);

/* Free what experiment_load made; NULL is allowed. */
void exp_load_destroy(struct exp_load *load);

#endif
