/* idle.h: threads that waited for work all their life, and got none: workers of a pool or a server
 * that were not needed.
 *
 * A thread is idle if one wait lasts for 99 % of its life or more, had not ended when its life did,
 * and was for a condition, a signal or input. The first thread of a process is not: what it
 * waits for, the program waits for. Nor is one that waits for a lock, a thread, or others at a
 * barrier. */
#ifndef XER_ANALYZER_REPORT_IDLE_H
#define XER_ANALYZER_REPORT_IDLE_H

#include "analyzer/data/dataset.h"

/* Is that wait of an experiment an idle thread's? With filters, which may leave a part of a
 * thread's life, none is. */
int idle_is(const struct dataset_experiment *at, const struct exp_wait *wait);

/* The next of the longest waits of all experiments that is an idle thread's: behind *at and
 * *index, which are set; begin with NULL. NULL: there are no more. */
const struct exp_wait *idle_next(const struct dataset *dataset,
                                 const struct dataset_experiment **at, size_t *index);

#endif
