/* wallwait.h: waits of wall-clock time as events. */
#ifndef XER_ANALYZER_REPORT_WALLWAIT_H
#define XER_ANALYZER_REPORT_WALLWAIT_H

#include "experiment/streams/selection.h"

/* "pthread_mutex_lock", "poll", "read"; "unknown function". */
const char *wait_func_name(unsigned family, unsigned func);

/* The function in which the thread waited. */
const char *wall_wait_name(const struct exp_fact *fact);

/* Did it read or write? Then fact->address is the number of a file. */
int wall_wait_is_io(const struct exp_fact *fact);

/* Is this fact of wall-clock time one wait, and is it no event of synchronization or of input and
 * output in the same data, too? */
int wall_wait_is_event(const struct exp_data_set *set, const struct exp_fact *fact);

#endif
