/* wall.h: wall-clock time: what threads wait for, in whatever call, how long and from where; and
 * their CPU time, from which readers know the rest.
 *
 * A wrapper of a function that may block makes a wall_start before the real call, and tells of the
 * call after it. Nothing is held during the call. A wait is recorded from some microseconds on;
 * short ones at one place are added up in one record. No thread is interrupted for any of it.
 * See doc/decisions/86-wall-clock.md. */
#ifndef XER_COLLECTOR_WALL_H
#define XER_COLLECTOR_WALL_H

#include "libcollector/thread/scope.h"

/* A call that has begun. All zeros: nothing is recorded of it. */
struct wall_start {
	uint64_t before;     /* event time */
	uint64_t waited;     /* of the thread by then, as in struct wall_thread */
	const uint8_t *open; /* its record while it has not ended, NULL: there is none */
};

/* What was called. */
struct wall_call {
	enum fmt_wall_state state;
	enum fmt_wait_family family;
	uint8_t func;         /* of that family's enumeration */
	int error;            /* errno value of a call that failed, else 0 */
	uint64_t object;      /* as the record has it */
	uint32_t owner, site; /* the same */
	uint32_t ready;       /* the same */
};

/* Calls that take no longer are no waits, in ticks: of files, of anything else. */
extern uint64_t wall_least, wall_least_file __attribute__((visibility("hidden")));

static inline int wall_is_on(void)
{
	return (int)col_on(SOURCE_WALL);
}

/* A call begins that cannot be seen to block. Signal-safe. */
static inline struct wall_start wall_now(void)
{
	return (struct wall_start){.before = col_ticks(),
	                           .waited = col_self ? col_self->wall.waited : 0};
}

/* A call begins that will block: its stack is recorded first, since it may never end. */
struct wall_start wall_begin(const struct wall_call *call, struct caller caller);

/* The same in a scope of `thread`, the calling one, with the stack of the call; `start` is
 * completed. */
void wall_open(struct col_thread *thread, const struct wall_call *call, uint32_t stack,
               const struct caller *caller, struct wall_start *start);

/* Is there anything to record of a call that has ended now, `after`? */
static inline int wall_is_due(const struct wall_start *start, enum fmt_wall_state state,
                              uint64_t after)
{
	return start->open ||
	       (wall_is_on() &&
	        after - start->before >=
	                (state == FMT_wall_state_FILE ? wall_least_file : wall_least));
}

/* Is the call so short that it is added to others (sum.h)? */
int wall_is_short(const struct wall_start *start, uint64_t after);

/* A call has ended. */
void wall_put(const struct wall_call *call, const struct wall_start *start, uint64_t after,
              struct caller caller);

static inline __attribute__((always_inline)) void wall_end(const struct wall_call *call,
                                                           const struct wall_start *start,
                                                           struct caller caller)
{
	uint64_t after = start->before ? col_ticks() : 0;

	if (start->before && unlikely(wall_is_due(start, call->state, after)))
		wall_put(call, start, after, caller);
}

/* The same in a scope of `thread`, the calling one, whether or not it is due. `stack`: of the call,
 * 0: not walked yet. */
void wall_close(struct col_thread *thread, const struct wall_call *call,
                const struct wall_start *start, uint64_t after, uint32_t stack,
                const struct caller *caller);

/* A source of events: see source.h. */
void wall_start(void);
void wall_thread_prepare(struct col_thread *thread);
void wall_thread_begin(struct col_thread *thread);
void wall_thread_gone(struct col_thread *thread);
void wall_thread_account(struct col_thread *thread, struct col_thread *writer,
                         enum col_context context);
void wall_thread_pass(struct col_thread *thread);

#endif
