/* heapreader.h: the reader of heap events, as heap.c, heapmaps.c and heapcredit.c share it. */
#ifndef XER_EXPERIMENT_EVENTS_HEAPREADER_H
#define XER_EXPERIMENT_EVENTS_HEAPREADER_H

#include "experiment/events/blocks.h"
#include "experiment/events/heapweight.h"
#include "experiment/events/live.h"
#include "experiment/events/mappings.h"
#include "experiment/events/recent.h"
#include "experiment/streams/load_context.h"
#include "format/record.h"

/* When blocks are freed, by the number of their allocation; 0: never. */
struct exp_frees {
	uint64_t *ticks; /* ticks[count] */
	size_t count;
};

struct exp_heap_reader {
	struct exp_load *load;
	struct exp_heap heap;
	struct exp_blocks blocks;
	struct exp_live live;
	struct exp_recent recent;
	struct exp_mappings mappings;
	uint64_t peak_tsc, map_peak_tsc;
	uint64_t mean;  /* of sampled blocks, 0: all were recorded */
	uint64_t units; /* of what counts blocks: 1, or EXP_HEAP_UNITS if they were sampled */
	uint64_t events;
	/* For a selection: */
	const struct exp_blocks *leaked;   /* blocks that are never freed, their node the number of
	                                      the allocation; or NULL */
	struct exp_frees *frees;           /* if the selection wants them, else NULL */
	uint32_t number;                   /* of the latest allocation, in order of time */
	uint64_t live_bytes, leaked_bytes; /* of all blocks, selected or not */
	int is_first;                      /* this is the reading that finds them */
};

/* A metric and where it stands in a row of what lives, and in which units; 0: whole ones. */
struct exp_heap_column {
	enum exp_metric metric;
	size_t offset;
	uint64_t units;
};

/* What a block stands for. */
static inline struct exp_heap_weight exp_heap_weight_of(const struct exp_heap_reader *reader,
                                                        uint64_t size)
{
	if (reader->mean == 0)
		return (struct exp_heap_weight){1, size};
	return exp_heap_weigh(size, reader->mean);
}

/* So many blocks, from units of them. */
static inline uint64_t exp_heap_blocks(uint64_t number, uint64_t units)
{
	return units > 1 ? number / units + (number % units >= units / 2) : number;
}

/* Credit what lived to the rows of the load, by these columns. Returns 0 or -ENOMEM. (heapcredit.c)
 */
int exp_heap_credit(struct exp_load *load, struct exp_live *live,
                    const struct exp_heap_column *columns, size_t count);

/* Memory was mapped or unmapped. (heapmaps.c) */
void exp_heap_on_map(struct exp_heap_reader *reader, struct exp_cursor *cursor,
                     const struct fmt_heap_map *map);

/* Credit what was mapped to its stacks, at the end. Returns 0 or -ENOMEM. (heapmaps.c) */
int exp_heap_credit_maps(struct exp_heap_reader *reader);

#endif
