/* writers.h: who wrote what a thread waited for, of all selected experiments: the other end of a
 * pipe, a connection or a message queue.
 *
 * Both ends of a connection are known by their names (experiment/data.h), whatever process has
 * them. A wait for input ends with a write; of several in its time, the last counts.
 * See doc/decisions/108-writers.md. */
#ifndef XER_ANALYZER_REPORT_WRITERS_H
#define XER_ANALYZER_REPORT_WRITERS_H

#include "analyzer/data/dataset.h"
#include "analyzer/report/tids.h"

/* A wait for input. */
struct writers_wait {
	const struct dataset_experiment *at;
	uint64_t object;          /* as of an exp_wait, */
	unsigned family, func;    /* the same */
	int64_t begin_ns, end_ns; /* on the axis of the founder (axis.h) */
	size_t number;            /* for the caller: they are sorted */
	/* What is found: */
	const struct dataset_experiment *writer; /* NULL: nobody is known to have written */
	uint32_t tid, node;
	int64_t written_ns; /* when its call began; of short ones that were added up, the last */
	uint32_t channel;   /* what was read, as channels.h numbers it */
};

/* May somebody's write have ended such a wait? */
int writers_end(unsigned state, unsigned family, unsigned func, uint64_t object, unsigned error);

/* Find the writers of waits[count], which are sorted by what they wait for. Returns 0 or -ENOMEM.
 */
int writers_find(const struct dataset *dataset, struct writers_wait *waits, size_t count);

/* ---- of the longest waits of all experiments (exp_wall) */

struct writers;
struct writers *writers_create(const struct dataset *dataset);
void writers_destroy(struct writers *writers);

/* The writer of one of them; NULL: unknown. If its `writer` is NULL, all calls of all these
 * processes were recorded, and none of them wrote to the other end in that time. */
const struct writers_wait *writers_of(const struct writers *writers, const struct exp_wait *wait);

/* The threads of all experiments: a lock may be held by another process. */
const struct tids *writers_tids(const struct writers *writers);

#endif
