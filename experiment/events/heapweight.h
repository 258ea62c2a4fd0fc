/* heapweight.h: what a recorded block of the heap stands for, if blocks were sampled.
 *
 * A block of s bytes was chosen with the probability p = 1 - exp(-s / mean). So it stands for 1 / p
 * blocks and s / p bytes (Horvitz and Thompson, 1952), and sums of these are unbiased estimates.
 * See doc/decisions/98-sampled-heap.md. */
#ifndef XER_EXPERIMENT_EVENTS_HEAPWEIGHT_H
#define XER_EXPERIMENT_EVENTS_HEAPWEIGHT_H

#include "experiment/experiment.h"

#include <stdint.h>

/* A sampled block stands for a number of blocks that is not whole: units of a block. */
enum { EXP_HEAP_UNITS = 1024 };

struct exp_heap_weight {
	uint64_t units; /* of EXP_HEAP_UNITS, or blocks if all were recorded */
	uint64_t bytes;
};

/* The mean distance of sampled blocks in bytes, 0: all blocks were recorded. At most
 * FMT_HEAP_MEAN_MAX, whatever log.xml says. */
uint64_t exp_heap_mean(const struct experiment *experiment);

/* What a sampled block of `size` bytes stands for; mean: 1 to FMT_HEAP_MEAN_MAX. */
struct exp_heap_weight exp_heap_weigh(uint64_t size, uint64_t mean);

#endif
