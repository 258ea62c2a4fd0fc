/* unwind.h: call stacks from registers and copied stacks. */
#ifndef XER_PERF_UNWIND_H
#define XER_PERF_UNWIND_H

#include "perf/space.h"

#include "sampler/ring.h"

/* Put the frames of a sample from a ring with stacks into its pcs, leaf first. is_bad: it ends
 * before the outermost frame, since the copy ends there, or the tables do and the frame pointer
 * leads nowhere. */
void unwind(const struct space *space, struct ring_sample *sample);

#endif
