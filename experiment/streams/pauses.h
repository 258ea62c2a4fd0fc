/* pauses.h: when the recording of a process was paused. */
#ifndef XER_EXPERIMENT_STREAMS_PAUSES_H
#define XER_EXPERIMENT_STREAMS_PAUSES_H

#include "experiment/streams/load_context.h"

struct exp_pause {
	uint64_t from, to; /* ticks; to is no part of it */
};

/* pauses[count], one behind the other. All zeros: none. */
struct exp_pauses {
	struct exp_pause *pauses;
	size_t count, capacity;
};

/* What log.xml tells of pauses. Returns 0 or -ENOMEM. Give it to exp_pauses_fini, whatever was
 * returned. */
int exp_pauses_read(const struct experiment *experiment, struct exp_pauses *out);
void exp_pauses_fini(struct exp_pauses *pauses);

/* Was the recording paused at that time? */
int exp_pauses_has(const struct exp_pauses *pauses, uint64_t ticks);

/* How much of [from, to] was in no pause; ticks. */
uint64_t exp_pauses_outside(const struct exp_pauses *pauses, uint64_t from, uint64_t to);

/* Give the usage samples the names that log.xml has for them. Returns 0 or -ENOMEM. */
int exp_usage_name(struct exp_load *load);

#endif
