/* mappings.h: the ranges of memory that are mapped at one moment, and the stacks that mapped
 * them. */
#ifndef XER_EXPERIMENT_EVENTS_MAPPINGS_H
#define XER_EXPERIMENT_EVENTS_MAPPINGS_H

#include "experiment/events/live.h"

#include <stddef.h>
#include <stdint.h>

struct exp_mappings {
	void *root;           /* a tree of ranges that do not overlap (tsearch) */
	struct exp_live live; /* by stack; `count` is of ranges, and of what is left of them */
	uint64_t removed;     /* bytes that the latest removal took of ranges that count */
};

/* For rows 0 .. count-1 of a load. Returns 0 or -ENOMEM; exp_mappings_fini frees. */
int exp_mappings_init(struct exp_mappings *mappings, size_t count);
void exp_mappings_fini(struct exp_mappings *mappings);

/* [start, end) is mapped by the stack of a row; what was there is unmapped. start < end. A range of
 * EXP_ROW_NONE is known, but does not count. Returns 1 if more is mapped than ever before, 0 if
 * not, or -ENOMEM. */
int exp_mappings_add(struct exp_mappings *mappings, uint64_t start, uint64_t end, uint32_t row);

/* [start, end) is unmapped. Returns 0 and the number of bytes of it that were mapped, or
 * -ENOMEM. */
int exp_mappings_remove(struct exp_mappings *mappings, uint64_t start, uint64_t end,
                        uint64_t *bytes);

#endif
