/* draw.h: after how many bytes the next block is chosen.
 *
 * A byte of the program's allocations is marked with the same chance, whatever came before it, one
 * in `mean` bytes: a Poisson process. A block with a marked byte is chosen, so a block of s bytes
 * with the probability 1 - exp(-s / mean), independently of all others.
 * See doc/decisions/98-sampled-heap.md. */
#ifndef XER_COLLECTOR_HEAP_DRAW_H
#define XER_COLLECTOR_HEAP_DRAW_H

#include <stdint.h>

/* The next number of a generator, of which all values are equally likely. `state`: any. */
uint64_t heap_draw_random(uint64_t *state);

/* -ln(random / 2^64) * mean, rounded up: exponentially distributed. random 0 is taken for 1; mean:
 * 1 to FMT_HEAP_MEAN_MAX. In whole numbers: the program may trap floating-point operations. */
uint64_t heap_draw_distance(uint64_t random, uint64_t mean);

#endif
