/* clockevent.h: the perf event by which clock samples come. libcollector opens it in the program,
 * and xcollect tries beforehand whether it may be had. See doc/decisions/85-clock.md. */
#ifndef XER_FORMAT_CLOCKEVENT_H
#define XER_FORMAT_CLOCKEVENT_H

#include <linux/perf_event.h>

/* Older kernels do not have such events (before 5.13), or kill threads by them that block the
 * signal. */
enum { CLOCKEVENT_MAJOR = 5, CLOCKEVENT_MINOR = 18 };

/* A struct perf_event_attr: switched off, of one thread, user and kernel code, SIGTRAP after each
 * `period` ns of CPU time; and what is to be different. The kernel wants remove_on_exec with
 * sigtrap. */
#define CLOCKEVENT(period, ...) \
	{ \
		.size = sizeof(struct perf_event_attr), .type = PERF_TYPE_SOFTWARE, \
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = (period), .disabled = 1, \
		.exclude_hv = 1, .remove_on_exec = 1, .sigtrap = 1, __VA_ARGS__ \
	}

#endif
