/* moment.h: one moment on all clocks. */
#ifndef XER_LIBCOLLECTOR_BASE_MOMENT_H
#define XER_LIBCOLLECTOR_BASE_MOMENT_H

#include "libcollector/base/collector.h"

struct process_moment {
	uint64_t ticks, raw_ns, real_ns, mono_ns;
};

/* Now. Signal-safe. */
struct process_moment process_moment_now(void);

#endif
