/* cuts.h: the moments at which expressions of time change their values: where waits are divided, so
 * that each part counts in its own second, or range. */
#ifndef XER_ANALYZER_DATA_CUTS_H
#define XER_ANALYZER_DATA_CUTS_H

#include "analyzer/filter/filter.h"

struct cuts;

/* Those of expressions[count], for an experiment at its place. NULL: none of them depends on time.
 * cuts_destroy frees. */
struct cuts *cuts_create(const struct expression *const *expressions, size_t count,
                         const struct filter_place *place);
void cuts_destroy(struct cuts *cuts);

/* The first of them behind `ticks`, an event time; UINT64_MAX: there is none. */
uint64_t cuts_next(const struct cuts *cuts, uint64_t ticks);

#endif
