/* moment.c: read all clocks. See moment.h. */
#include "libcollector/base/moment.h"

struct process_moment process_moment_now(void)
{
	struct process_moment now = {
		.raw_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW),
		.real_ns = sys_clock_ns(CLOCK_REALTIME),
		.mono_ns = sys_clock_ns(CLOCK_MONOTONIC),
	};

	now.ticks = col.descriptor.clock_is_tsc ? col_ticks() : now.raw_ns;
	return now;
}
