/* uses.h: what was done with things that are no stacks: locks, files, user events, functions of MPI
 * and the processes at their other sides, constructs of OpenMP. By thing, time and thread, so that
 * a report page can tell of any range what its tables of these are. */
#ifndef XER_ANALYZER_PAGE_USES_H
#define XER_ANALYZER_PAGE_USES_H

#include "experiment/table/index.h"

#include <stddef.h>
#include <stdint.h>

/* What counts together. Times are in units of width_ns. */
struct use {
	uint32_t end, begin; /* begin <= end */
	uint32_t thread, thing;
	uint32_t call;  /* what was called */
	uint32_t class; /* as the kind of data means it */
	uint64_t count, ns, longest_ns, bytes, received;
};

/* Those of one kind of data in an experiment. Zeroed: none, but width_ns and `wanted` must be set.
 */
struct uses {
	struct use *at; /* at[count] */
	size_t count, capacity;
	struct exp_index numbers; /* hash of the place -> number of the latest with it */
	uint64_t width_ns;
	size_t wanted; /* beyond it, units become wider */
};

void uses_fini(struct uses *uses);

/* Add a use with its times in ns; those of `use` are ignored. */
void uses_add(struct uses *uses, int64_t begin_ns, int64_t end_ns, const struct use *use);

/* Sort by end, then by all else that tells them apart. */
void uses_sort(struct uses *uses);

#endif
