/* critfind.h: what finds threads for the critical path (critwaits.h). */
#ifndef XER_ANALYZER_VIEWS_TIME_CRITFIND_H
#define XER_ANALYZER_VIEWS_TIME_CRITFIND_H

#include "analyzer/views/time/critwaits.h"

/* The threads and their ends are known. */
void crit_find_begin(const struct dataset *dataset, struct crit_waits *waits);
void crit_find_end(struct crit_waits *waits);

#endif
