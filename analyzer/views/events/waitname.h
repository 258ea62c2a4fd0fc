/* waitname.h: what waits are called: their functions, what they waited for, and their threads. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_WAITNAME_H
#define XER_ANALYZER_VIEWS_EVENTS_WAITNAME_H

#include "analyzer/data/dataset.h"
#include "analyzer/report/wallwait.h"

#include <stdio.h>

/* What was waited for: the name of a variable, a file, a process; NULL: it is not known. The caller
 * frees. */
char *wait_object_name(const struct dataset *dataset, const struct dataset_experiment *at,
                       const struct exp_wait *wait);

/* What the thread has to do with a wait that wait->owner names. */
enum wait_owner {
	WAIT_HOLDER,    /* it had the lock when the wait began */
	WAIT_JOINED,    /* its end was waited for */
	WAIT_SIGNALLER, /* it ended the wait */
	WAIT_RELEASER,  /* it came last to a barrier */
	WAIT_WRITER     /* it wrote what was waited for: not in wait->owner, see waitowner.h */
};
enum wait_owner wait_owner_kind(const struct exp_wait *wait);

/* Does this function (enum sync_func) wait for the end of a thread? */
int wait_func_joins(unsigned func);

/* Is it for the end of a thread? */
int wait_is_join(const struct exp_wait *wait);

/* Print "  read(/dev/tty), has not ended" and an end of line. */
void wait_put_call(const struct dataset *dataset, FILE *out, const struct dataset_experiment *at,
                   const struct exp_wait *wait);

/* The name of a thread at a time, NULL if none is known. */
const char *wait_thread_name(const struct exp_data_set *data, uint32_t tid, double time_s);

/* "thread 4711 (server)". */
void wait_put_thread(FILE *out, const struct exp_data_set *data, uint32_t tid, double time_s);

#endif
