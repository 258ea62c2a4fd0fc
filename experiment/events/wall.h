/* wall.h: the time of threads, and the parts of it that states have. */
#ifndef XER_EXPERIMENT_EVENTS_WALL_H
#define XER_EXPERIMENT_EVENTS_WALL_H

#include "experiment/streams/load_context.h"
#include "experiment/streams/pauses.h"

/* A thread whose time goes on after its last account: until the recording ended. */
struct exp_life {
	uint32_t tid;
	uint64_t begin;     /* ticks of its begin, 0: unknown */
	uint64_t at;        /* of its last account, or begin */
	uint64_t cpu_ns;    /* its CPU time then */
	uint64_t waited_ns; /* since then */
	uint64_t rest_ns;   /* since then, neither CPU time nor waits: set by exp_wall_finish */
	uint64_t end;       /* ticks where its time ends: the same */
};

/* When the recording ended; of a process that was killed, what is known of it; now, while it runs.
 * last_tsc: the latest event that was seen. Ticks. */
uint64_t exp_load_end(const struct exp_load *load, uint64_t last_tsc);

/* Do clock samples, or samples of the kernel, tell the CPU time? */
int exp_load_has_profile(const struct exp_load *load);

/* The total of time in that state, which is no CPU time. type: of a wait, as its exp_fact has it;
 * else 0. */
enum exp_metric exp_wall_metric(unsigned state, unsigned type);

/* A part of a thread's time, of one state. */
struct exp_part {
	struct exp_fact fact; /* but for ticks and the row's needs */
	uint64_t from, to;    /* ticks */
	uint64_t ns;          /* of it, in [from, to] */
};

/* Ask for the rows of a part, divided where the selection says so. Calls take(context, row, ns,
 * is_last) for each piece. */
void exp_part_divide(struct exp_load *load, const struct exp_part *part,
                     void (*take)(void *context, uint32_t row, uint64_t ns, int is_last),
                     void *context);

/* Count a part that is no wait: EXP_WALL_... of its state, or CPU time. */
void exp_part_count(struct exp_load *load, const struct exp_part *part);

#endif
