/* functrace.h: walk the records of a function trace as Xer writes it. */
#ifndef XER_EXPERIMENT_XRAY_FUNCTRACE_H
#define XER_EXPERIMENT_XRAY_FUNCTRACE_H

#include "experiment/streams/load_context.h"

/* The consumer of the records. Each function may end the walk by returning a value other than 0. */
struct functrace_sink {
	/* A buffer begins: the thread of what follows. */
	int (*buffer)(void *context, uint32_t tid, uint64_t tsc);
	/* words[..end), 8 bytes each, as far as they are function records; *tsc is the time of the
	 * one before, and is kept up. Returns where they end, NULL to end the walk. */
	const uint8_t *(*functions)(void *context, const uint8_t *at, const uint8_t *end,
	                            uint64_t *tsc);
	/* An argument of the call before; an event, one of Xer's or the program's. */
	int (*argument)(void *context, uint64_t value);
	int (*event)(void *context, const uint8_t *payload, uint32_t size, uint64_t tsc);
	void *context;
};

/* Walk the trace of an experiment, its own or a foreign log's. Returns 0, -ENOENT (there is none),
 * -EBADMSG (reported), -ENOMEM, or as functrace_walk. */
int functrace_walk_experiment(struct experiment *experiment, const struct functrace_sink *sink);

/* Walk the buffers in order of their beginnings; a thread's records thus come in order. Returns 0,
 * -ENOMEM, or what a function of the sink has returned (-ECANCELED for NULL). */
int functrace_walk(struct exp_stream *stream, const struct functrace_sink *sink);

#endif
