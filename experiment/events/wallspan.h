/* wallspan.h: waits of a thread between two readings of its CPU time, and how long they were
 * without the CPU time in them.
 *
 * A wait is measured from the call to its end. The call may have used CPU time meanwhile: to copy
 * what it read, or to run a signal handler. Two readings of the thread's CPU time tell how much of
 * the time between them was none; the waits in between cannot have been longer together. */
#ifndef XER_EXPERIMENT_EVENTS_WALLSPAN_H
#define XER_EXPERIMENT_EVENTS_WALLSPAN_H

#include <stddef.h>
#include <stdint.h>

/* Whether a wait may be shorter than it looks, the most doubtful last. */
enum wallspan_doubt {
	WALLSPAN_BRIEF, /* by what a system call takes */
	WALLSPAN_WORKS, /* by as much as it lasted: the call moves bytes */
	WALLSPAN_LEFT   /* by anything: the thread has left it, nobody knows when */
};

struct wallspan_wait {
	uint64_t ns;
	uint32_t count;    /* of waits, at least 1 */
	uint8_t doubt;     /* enum wallspan_doubt */
	uint8_t metric;    /* enum exp_metric; for the caller, as are the next two */
	uint32_t pieces;   /* how many it has, */
	size_t last_piece; /* and the end of them */
};

/* All zeros: no waits. */
struct wallspan {
	struct wallspan_wait *waits;
	size_t count, capacity;
	uint64_t ns;      /* of all these waits */
	uint64_t sure_ns; /* of others in that time, which are as long as they look */
};

/* Add a wait. Returns 0 or -ENOMEM. */
int wallspan_add(struct wallspan *span, const struct wallspan_wait *wait);

/* The thread had no CPU time in `off_ns` of that time, and was ready in `queue_ns` of it: shorten
 * the waits so that they fit. Those that it has left may have no such time in them; others end with
 * some, until the thread runs again. Returns what of off_ns is left. */
uint64_t wallspan_settle(struct wallspan *span, uint64_t off_ns, uint64_t queue_ns);

/* Forget the waits. */
void wallspan_clear(struct wallspan *span);
void wallspan_fini(struct wallspan *span);

#endif
