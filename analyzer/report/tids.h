/* tids.h: which thread of all selected experiments had an id of the system at a time. */
#ifndef XER_ANALYZER_REPORT_TIDS_H
#define XER_ANALYZER_REPORT_TIDS_H

#include "analyzer/data/dataset.h"

struct tids;
struct tids *tids_create(const struct dataset *dataset);
void tids_destroy(struct tids *tids);

struct tids_thread {
	const struct dataset_experiment *at; /* NULL: there is none */
	uint32_t number;                     /* index in at->whole->threads */
};

/* The thread of a process in the tree of `of` that had begun by to_ns, and whose process had not
 * ended before from_ns, on the axis of the founder (axis.h); of several the last. */
struct tids_thread tids_find(const struct tids *tids, const struct dataset_experiment *of,
                             uint32_t tid, int64_t from_ns, int64_t to_ns);

#endif
