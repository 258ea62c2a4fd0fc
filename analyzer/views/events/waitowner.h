/* waitowner.h: who had the lock that a thread waited for, or ended its wait by a signal, and what
 * that thread did meanwhile. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_WAITOWNER_H
#define XER_ANALYZER_VIEWS_EVENTS_WAITOWNER_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

struct wait_meanwhile {
	uint64_t ns;                 /* the part of the time for which the owner waited, too */
	uint64_t most_ns;            /* of it, the most in one wait: */
	const struct exp_wait *wait; /* NULL: none of the longest waits was in that time */
};

/* What the owner did while `wait` lasted, as far as the longest waits of the process tell. */
struct wait_meanwhile wait_meanwhile(const struct dataset_experiment *at,
                                     const struct exp_wait *wait);

/* Where the owner of a lock took it, or the signal was given: the caller frees; NULL: that is not
 * known. */
char *wait_name_site(const struct dataset *dataset, const struct choices *choices,
                     const struct dataset_experiment *at, const struct exp_wait *wait);

/* Print who had the lock, or gave the signal, and where; what it waited for with its stack, who had
 * that lock, and so on. Nothing if the owner is unknown. */
void wait_put_owner(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct dataset_experiment *at,
                    const struct exp_wait *wait);

#endif
