/* cost.h: what a sample costs the program. */
#ifndef XER_PERF_COST_H
#define XER_PERF_COST_H

#include "sampler/ring.h"

#include <stdint.h>

/* Measure it: ns of CPU time that a sample with these settings takes from a busy thread, which this
 * one is for some hundredths of a second. 0: it could not be measured. */
uint64_t cost_of_sample(const struct ring_settings *settings);

#endif
