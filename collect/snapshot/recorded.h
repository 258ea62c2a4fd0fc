/* recorded.h: the experiment that a running process is recorded into. */
#ifndef XER_COLLECT_SNAPSHOT_RECORDED_H
#define XER_COLLECT_SNAPSHOT_RECORDED_H

#include "collect/base/cause.h"

#include <limits.h>
#include <sys/types.h>

struct recorded {
	int founder; /* the open directory of the founder: that of the process, or above it */
	char path[PATH_MAX]; /* of it, as the process has it */
};

/* Find it by what the process has open: its log. The process is not touched. Returns 0, 127 (there
 * is no such process), 126 (it may not be looked at) or 125 (it is not recorded), with `cause`.
 * Close `founder`. */
int recorded_find(pid_t pid, struct recorded *out, struct cause *cause);

/* Is the log of the experiment in the directory locked by a process that writes it? */
int recorded_is_live(int directory);

#endif
