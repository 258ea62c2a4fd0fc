/* critpath.h: the critical path: back from the end of a thread; where it waited for another one, on
 * with that one.
 * See doc/decisions/102-critical-path.md. */
#ifndef XER_ANALYZER_VIEWS_TIME_CRITPATH_H
#define XER_ANALYZER_VIEWS_TIME_CRITPATH_H

#include "analyzer/views/time/critwaits.h"

/* Why the path comes to a thread. */
enum crit_reason {
	CRIT_BEGIN,   /* it is where the path begins */
	CRIT_LOCK,    /* it gave back a lock that the thread before waited for */
	CRIT_WAITER,  /* it began to wait for the lock that the thread before had */
	CRIT_JOIN,    /* it ended, and the thread before waited for that */
	CRIT_SIGNAL,  /* its signal ended the wait of the thread before */
	CRIT_BARRIER, /* it came to a barrier last, where the thread before waited */
	CRIT_WRITER,  /* the thread before waited for what it wrote */
	CRIT_CHILD,   /* it is a process that ended, and the thread before waited for that */
	CRIT_ENDED,   /* a child ended when a wait of the thread before did, which may be why */
	CRIT_STARTED, /* it started the thread before, as far as that is known */
	CRIT_IMAGE    /* it executed the program that the thread before is */
};

/* A piece of the path: a thread ran, or waited for what nobody is known to have ended. */
struct crit_step {
	uint32_t thread;
	int64_t from_ns, to_ns;
	const struct crit_wait *wait; /* NULL: it ran, or was ready to */
	enum crit_reason reason;      /* if the step before is of another thread: */
	const struct crit_wait *of;   /* the wait that led here, NULL: none */
};

struct crit_path {
	struct crit_step *steps; /* steps[count], the last in time first */
	size_t count, capacity;
};

/* The path from `to_ns` of a thread back to `from_ns`. crit_path_fini frees. */
void crit_path_find(const struct crit_waits *waits, uint32_t thread, int64_t from_ns, int64_t to_ns,
                    struct crit_path *out);
void crit_path_fini(struct crit_path *path);

#endif
