/* locks.h: objects that threads waited for, and their names in reports. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_LOCKS_H
#define XER_ANALYZER_VIEWS_EVENTS_LOCKS_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* An object and where it comes from. */
struct lock {
	const struct dataset_experiment *at;
	const struct exp_sync_object *object;
};

/* "mutex", "condition": of an enum exp_sync_class. */
const char *lock_class_name(unsigned class);

/* "queue_lock", "queue_lock+0x8", "prog+0x4010", "0x7f0012345678". The caller frees. */
char *lock_name(const struct dataset *dataset, const struct lock *lock);

/* The name of the mutex that goes with a condition variable, NULL if there is none. The caller
 * frees. */
char *lock_mutex_name(const struct dataset *dataset, const struct dataset_experiment *at,
                      uint64_t address, uint32_t node);

/* Say which waits had not ended, and which are missing: those below the threshold of the
 * recordings. */
void lock_put_threshold(const struct dataset *dataset, const struct choices *choices,
                        struct output *output);

#endif
