/* snapshot_copy.h: the files of one process of a snapshot. */
#ifndef XER_COLLECT_SNAPSHOT_SNAPSHOT_COPY_H
#define XER_COLLECT_SNAPSHOT_SNAPSHOT_COPY_H

#include <signal.h>
#include <stdint.h>

/* What is told in each log of the copy. */
struct snapshot_event {
	uint64_t ticks, real_ns; /* the moment that the copy is of */
	int pid;                 /* of the process that was asked for */
	const char *of;          /* path of the experiment */
};

/* Set when a signal came: nothing more is copied. */
extern volatile sig_atomic_t snapshot_is_interrupted;

/* The log in the open directory `from`, with the event at its end, as a text to be freed. Returns 0
 * or -errno; -ENOENT: there is none yet. */
int snapshot_log(int from, const struct snapshot_event *event, char **text, uint64_t *len);

/* Copy all other files of a process, and what is in directories that are no descendants, from one
 * open directory to another one; *bytes of data are added. Returns 0 or -errno. */
int snapshot_copy(int from, int to, uint64_t *bytes);

#endif
