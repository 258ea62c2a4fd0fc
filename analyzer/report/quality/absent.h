/* absent.h: processes that a recorded process has made, and that have no experiment: of programs
 * that cannot be recorded, of users who may not write there, or killed before their log existed. */
#ifndef XER_ANALYZER_REPORT_QUALITY_ABSENT_H
#define XER_ANALYZER_REPORT_QUALITY_ABSENT_H

#include "analyzer/data/dataset.h"

struct absent {
	const char *lineage, *path, *reason;
};

/* Returns 1 and *out if the event of the experiment `at` tells of such a process. */
int absent_find(const struct dataset *dataset, const struct dataset_experiment *at,
                const struct exp_event *event, struct absent *out);

/* How many processes has `at` made that left no experiment, and of which its events do not say
 * why? */
size_t absent_unexplained(const struct dataset *dataset, const struct dataset_experiment *at);

/* Is the process with this lineage, which may be NULL, sampled from outside? `at` is of the same
 * tree. */
int absent_is_outside(const struct dataset *dataset, const struct dataset_experiment *at,
                      const char *lineage);

/* The CPU time of all such processes, as far as recorded ones have waited for them. Those that the
 * user left out (xcollect -F) are not counted. */
uint64_t absent_cpu_ns(const struct dataset *dataset);

#endif
