/* repeat.h: runs a program several times, each time as an experiment of a group (--repeat), or two
 * programs in turn (--versus).
 * See doc/decisions/92-repeated-runs.md. */
#ifndef XER_COLLECT_RECORD_REPEAT_H
#define XER_COLLECT_RECORD_REPEAT_H

#include "collect/base/cause.h"
#include "collect/options/options.h"

/* Start run after run, each in a child of this process, and wait for its end. In each child,
 * *is_run becomes true and the request that of this run alone: its program, its group, and whether
 * it is a warm-up, of which nothing is recorded. In this process, it is false when all is over.
 * Then the result is the exit status of the last run that failed, or 0; or 125 with `cause`. If a
 * signal ends the runs, this process ends by it, too. */
int repeat_runs(struct request *request, int *is_run, struct cause *cause);

#endif
