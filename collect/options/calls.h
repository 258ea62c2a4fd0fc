/* calls.h: which calls function tracing records, as --functrace=PATTERNS says it. */
#ifndef XER_COLLECT_OPTIONS_CALLS_H
#define XER_COLLECT_OPTIONS_CALLS_H

#include <stdint.h>

enum { CALLS_NAMES = 1024, CALLS_DEPTH_MAX = 1000 };

struct calls {
	char names[CALLS_NAMES]; /* patterns of functions and objects, separated by commas, as
	                            libcollector takes them */
	uint64_t depth;          /* 0: any */
	uint64_t min_ns;
	int returns; /* also functions that are instrumented at their entries only */
};

/* Read a list of NAME, !NAME, @OBJECT, !@OBJECT, depth=N, min=TIME and returns=on|off, separated by
 * commas. Returns 0 with `out` filled in, or -EINVAL. */
int calls_read(const char *list, struct calls *out);

#endif
