/* live.h: the bytes of the heap that each stack holds, now and at the moment when all of them
 * together held most.
 * See doc/decisions/18-heap-peak.md. */
#ifndef XER_EXPERIMENT_EVENTS_LIVE_H
#define XER_EXPERIMENT_EVENTS_LIVE_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

/* What one stack did: a cache line, since an event touches the row of one stack. */
struct exp_live_row {
	uint64_t allocs, alloc_bytes;
	uint64_t temps;        /* allocations that the next heap call of their thread freed */
	uint64_t count, bytes; /* live */
	uint64_t peak_count, peak_bytes; /* live at the peak that was the last before `peak` */
	uint64_t peak; /* number of the peak that was the last when the row last changed */
};

/* Invariant: a row whose `peak` is not the number of the last peak has not changed since then, so
 * its current values are those at the peak. So a new peak costs nothing, however many stacks there
 * are. */
struct exp_live {
	struct exp_live_row *rows; /* rows[row_count + 1], the last for events without a stack */
	size_t row_count;
	void *memory;          /* that holds the rows */
	uint64_t count, bytes; /* live */
	uint64_t peak_bytes;
	uint64_t peak; /* number of the last peak */
};

/* Rows 0 .. count-1. Returns 0 or -ENOMEM; exp_live_fini frees. */
int exp_live_init(struct exp_live *live, size_t count);
void exp_live_fini(struct exp_live *live);

/* Have at least `count` rows. Returns 0 or -ENOMEM. */
int exp_live_grow(struct exp_live *live, size_t count);

/* Bring the row's values of the peak up to date; to be called before the row changes, and at the
 * end. */
static inline void exp_live_keep(const struct exp_live *live, struct exp_live_row *row)
{
	if (row->peak == live->peak)
		return;
	row->peak_count = row->count;
	row->peak_bytes = row->bytes;
	row->peak = live->peak;
}

/* A row; if there is no such row, the one for events without a stack. */
static inline struct exp_live_row *exp_live_row(const struct exp_live *live, uint32_t row)
{
	return &live->rows[row < live->row_count ? row : live->row_count];
}

/* `count` blocks of `size` bytes together are allocated. Returns true if more bytes are live than
 * ever before. */
static inline int exp_live_add_some(struct exp_live *live, uint32_t number, uint64_t count,
                                    uint64_t size)
{
	struct exp_live_row *row = exp_live_row(live, number);

	exp_live_keep(live, row);
	row->count += count;
	row->bytes += size;
	live->count += count;
	live->bytes += size;
	if (live->bytes <= live->peak_bytes)
		return 0;
	live->peak_bytes = live->bytes;
	live->peak++;
	return 1;
}

static inline void exp_live_remove_some(struct exp_live *live, uint32_t number, uint64_t count,
                                        uint64_t size)
{
	struct exp_live_row *row = exp_live_row(live, number);

	exp_live_keep(live, row);
	row->count -= count;
	row->bytes -= size;
	live->count -= count;
	live->bytes -= size;
}

/* One of them. */
static inline int exp_live_add(struct exp_live *live, uint32_t number, uint64_t size)
{
	return exp_live_add_some(live, number, 1, size);
}

static inline void exp_live_remove(struct exp_live *live, uint32_t number, uint64_t size)
{
	exp_live_remove_some(live, number, 1, size);
}

#endif
