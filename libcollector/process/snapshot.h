/* snapshot.h: the process asks for a snapshot of its recording. */
#ifndef XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_H
#define XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_H

#include <stdint.h>

/* Run xcollect --snapshot for this process and wait for it. name: that of the experiment, NULL: the
 * next free snapshot.N.er beside the one that is recorded. One at a time. Returns 0, or -1: there
 * is none, and the log says why. Signal-safe. */
int snapshot_take(const char *name);

/* The same without a name and without waiting: for a signal handler. why: stands in its notes. */
void snapshot_begin(const char *why);

/* The calling thread has waited so many ticks for a lock: if that is as long as was asked for, make
 * one. Not more often than each minute, and ten times. Signal-safe. */
void snapshot_after_wait(uint64_t ticks);

/* In a forked child: no other thread takes one. */
void snapshot_forget(void);

#endif
