/* usertrace.h: the user events of experiments, one after the other in order of time. They are never
 * held in memory. */
#ifndef XER_EXPERIMENT_EVENTS_USERTRACE_H
#define XER_EXPERIMENT_EVENTS_USERTRACE_H

#include "experiment/experiment.h"
#include "format/record.h"

struct exp_user_event {
	size_t process;  /* index of its experiment */
	int64_t time_ns; /* since the start of the first experiment */
	uint64_t ticks,
		buffer_ticks; /* event times of it, and of the beginning of its thread's buffer */
	uint32_t tid;
	uint16_t cpu, hook, subhook;
	uint8_t trace;   /* 0: the system trace, else the number of a component trace */
	uint8_t channel; /* of a generic event */
	uint8_t is_generic, is_32, is_cut;
	uint8_t word_count; /* a generic event has one */
	uint64_t words[FMT_USER_WORDS];
	const uint8_t *bytes; /* bytes[byte_count] of a generic event, valid during the call */
	uint32_t byte_count;
	uint64_t offset; /* of its record in the file */
};

/* Gets one event. Returns 0 to go on, else the walk ends. */
typedef int exp_user_visitor(void *context, const struct exp_user_event *event);

/* Walk the events of experiments[count], which share a clock: a founder, first, and its
 * descendants. Damaged events are warned about and left out. Returns 0, 1 if the visitor ended the
 * walk, or -ENOMEM. */
int exp_user_events(struct experiment *const *experiments, size_t count, exp_user_visitor *visit,
                    void *context);

/* Name of the file of a trace. */
const char *exp_user_file(unsigned trace);

#endif
