/* waitowner.h: who had the lock that a thread waited for, or ended its wait: by a signal, by what
 * it wrote; and what that thread did meanwhile. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_WAITOWNER_H
#define XER_ANALYZER_VIEWS_EVENTS_WAITOWNER_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"
#include "analyzer/report/writers.h"
#include "analyzer/views/events/waitname.h"

/* Who that was. It may be of another process: a writer, and who had or signalled an object that
 * processes share. */
struct wait_waker {
	enum wait_owner kind;
	const struct dataset_experiment *at; /* its experiment; NULL: it is not known */
	uint32_t tid;
	uint32_t site; /* node of where it took the lock, signalled or wrote, EXP_NO_INDEX: unknown
	                */
};

struct wait_waker wait_find_waker(const struct dataset *dataset, const struct writers *writers,
                                  const struct dataset_experiment *at, const struct exp_wait *wait);

struct wait_meanwhile {
	uint64_t ns;                 /* the part of the time for which the waker waited, too */
	uint64_t most_ns;            /* of it, the most in one wait: */
	const struct exp_wait *wait; /* NULL: none of the longest waits was in that time */
};

/* What the waker did while `wait` lasted, as far as the longest waits of its process tell. */
struct wait_meanwhile wait_meanwhile(const struct dataset *dataset,
                                     const struct dataset_experiment *at,
                                     const struct exp_wait *wait, const struct wait_waker *waker);

/* Where the waker took the lock, signalled or wrote: the caller frees; NULL: that is not known. */
char *wait_name_site(const struct dataset *dataset, const struct choices *choices,
                     const struct wait_waker *waker);

/* Print who had the lock, or ended the wait, and where; what it waited for with its stack, who had
 * that lock, and so on. Nothing if that is unknown. */
void wait_put_owner(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct writers *writers,
                    const struct dataset_experiment *at, const struct exp_wait *wait);

#endif
