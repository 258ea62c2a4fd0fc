/* trace.h: the calls of one thread of a function trace, one after the other. */
#ifndef XER_EXPERIMENT_XRAY_TRACE_H
#define XER_EXPERIMENT_XRAY_TRACE_H

#include "experiment/experiment.h"

enum exp_trace_type {
	EXP_TRACE_ENTER,
	EXP_TRACE_LEAVE,
	EXP_TRACE_CUT, /* left, but its exit was not seen */
	EXP_TRACE_ARGUMENT,
	EXP_TRACE_EVENT
};

struct exp_trace_event {
	enum exp_trace_type type;
	uint32_t function;    /* index in the data set's calls.functions */
	size_t depth;         /* of calls around this one */
	double time_s;        /* since the start */
	uint64_t duration_ns; /* of a call that was left */
	uint64_t argument;
	/* Of an event: bytes[size], borrowed until the callee returns; the length that the program
	 * gave; its type if is_typed. */
	const uint8_t *bytes;
	uint64_t size, whole;
	uint16_t event_type;
	int is_typed;
};

/* Ids of the threads in the trace, in order of their first calls: out[*count], which the caller
 * frees. Returns 0 or -ENOMEM. experiment_load must have succeeded before; so for the following. */
int experiment_trace_threads(struct experiment *experiment, uint32_t **out, size_t *count);

/* Call `event` for each record of a thread, until it returns something else than 0. Exits without
 * an entry are left out. Returns 0, -ENOENT (there is no trace), -ENOMEM, or what `event` returned.
 */
int experiment_trace(struct experiment *experiment, uint32_t tid,
                     int (*event)(void *context, const struct exp_trace_event *event),
                     void *context);

#endif
