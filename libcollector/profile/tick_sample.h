/* tick_sample.h: clock samples. Each has the exact CPU time since the last one of its thread.
 * See doc/decisions/01-sample-weights.md. */
#ifndef XER_COLLECTOR_PROFILE_TICK_SAMPLE_H
#define XER_COLLECTOR_PROFILE_TICK_SAMPLE_H

#include "libcollector/thread/thread.h"

/* Why a thread ticks. */
enum tick_reason {
	TICK_TIMER,  /* its timer */
	TICK_FULL,   /* its perf event; as before, all time since the last sample is this one's */
	TICK_USER,   /* its perf event, which tells user time alone */
	TICK_SYSTEM, /* its timer beside such an event */
	TICK_WATCH   /* a timer that sees whether the events are still there */
};

/* One tick of a thread. */
struct tick {
	enum tick_reason reason;
	uint64_t period_ns; /* TICK_USER: that has ended */
};

/* Of CPU time, between two ticks. Without clock samples, ticks are for usage samples. */
enum { TICK_USAGE_PERIOD_US = 100000 };
static inline uint64_t tick_period_us(void)
{
	return col.descriptor.profile_us ? col.descriptor.profile_us : TICK_USAGE_PERIOD_US;
}

/* The calling thread ticks in `context`: take a sample, if one is due. Only in the handler of
 * ticks. */
void tick_sample(struct col_thread *thread, const ucontext_t *context, const struct tick *tick);

/* Do not count what `thread` has used until now: it was before the recording. Signal-safe. */
void tick_forget_past(struct col_thread *thread);

/* Record the CPU time that no sample has counted yet. context: the caller's. Signal-safe. */
void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context);

/* Do not count the CPU time that is in no sample yet. Signal-safe. */
void tick_forget(struct col_thread *thread);

/* How long threads live, in CPU time; 0: none has ended. Signal-safe. */
uint64_t tick_life_ns(void);

#endif
