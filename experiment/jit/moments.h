/* moments.h: what was at an address, at a moment. */
#ifndef XER_EXPERIMENT_JIT_MOMENTS_H
#define XER_EXPERIMENT_JIT_MOMENTS_H

#include "experiment/base/instant.h"

/* The function at run-time address pc at that moment, or NULL. Before the first there it is the
 * first. */
const struct exp_function *exp_function_then(const struct experiment *experiment, uint64_t pc,
                                             struct exp_instant then);

/* Add the moments when another function begins or ends to be at pc to at[count]. Returns the new
 * count, at most `max`. */
size_t exp_function_moments(const struct experiment *experiment, uint64_t pc, uint32_t generation,
                            uint64_t *at, size_t count, size_t max);

#endif
