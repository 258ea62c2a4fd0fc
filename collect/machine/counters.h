/* counters.h: the events of xcollect -h: names, intervals, and what works here. */
#ifndef XER_COLLECT_MACHINE_COUNTERS_H
#define XER_COLLECT_MACHINE_COUNTERS_H

#include "format/layout.h"

#include <stdint.h>
#include <stdio.h>

enum { COUNTERS_NAME = 48, COUNTERS_TEXT = FMT_COUNTERS_MAX * (COUNTERS_NAME + 24) };

struct counter {
	char name[COUNTERS_NAME];
	uint32_t type; /* of perf_event_open(2) */
	uint64_t config;
	uint64_t period;
	int status;     /* 0 or -errno: it cannot be counted here (counters_try) */
	int is_kernels; /* happens in the kernel */
};

struct counters {
	struct counter counter[FMT_COUNTERS_MAX];
	unsigned count;
	char unknown[COUNTERS_NAME]; /* the name that stopped counters_read */
};

/* Add "EVENT[,INTERVAL][,EVENT...]"; INTERVAL is on, lo, hi or a number. Returns 0, or -EINVAL (an
 * unknown event, which is in `unknown`, or a wrong interval), -E2BIG (too many). */
int counters_read(struct counters *counters, const char *text);

/* Find out which of them can be counted here; print on stderr why the others cannot. These are left
 * out; the program runs all the same. */
void counters_try(struct counters *counters);

/* As log.xml has it: "NAME,INTERVAL NAME,INTERVAL ..."; text[COUNTERS_TEXT]. */
void counters_text(const struct counters *counters, char *text);

/* How many of the *count events that have names can be counted here? */
unsigned counters_working(unsigned *count);

/* List all events, and why some do not work here. */
void counters_list(FILE *to);

#endif
