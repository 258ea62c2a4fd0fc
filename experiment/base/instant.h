/* instant.h: instants: a moment, and the generation of the address map at that time. If different
 * functions were at the same address at different times, the nodes of call stacks have an instant
 * instead of a generation. */
#ifndef XER_EXPERIMENT_BASE_INSTANT_H
#define XER_EXPERIMENT_BASE_INSTANT_H

#include "experiment/base/internal.h"

/* The generation for this moment. Returns it, or 0 if out of memory. */
uint32_t exp_instant_add(struct experiment *experiment, uint64_t ticks, uint32_t generation);

/* The moment and the generation that a generation means: UINT64_MAX and itself, if it is no
 * instant.
 */
struct exp_instant exp_instant_of(const struct experiment *experiment, uint32_t generation);

#endif
