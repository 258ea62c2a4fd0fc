/* snapshot.h: the process asks for a snapshot of its recording. */
#ifndef XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_H
#define XER_LIBCOLLECTOR_PROCESS_SNAPSHOT_H

#include <stdint.h>

/* Run xcollect --snapshot for this process and wait for it. name: that of the experiment, NULL: the
 * next free snapshot.N.er beside the one that is recorded. One at a time. Returns 0, or -1: there
 * is none, and the log says why. Signal-safe. */
int snapshot_take(const char *name);

/* The same without a name and without waiting: for a signal handler. why: stands in its notes, and
 * is shorter than SNAPSHOT_WHY bytes. */
enum { SNAPSHOT_WHY = 128 };
void snapshot_begin(const char *why);

/* May the process make one that nobody asks for at this moment? Not more often than each minute,
 * and ten times: if it may, this is one of them. Signal-safe. */
int snapshot_is_due(void);

/* The child `pid` was killed by a signal, as programs are that crash: make one, if it is due.
 * Signal-safe. */
void snapshot_after_crash(uint32_t pid, int signal);

/* The decimal digits of a number, at `out`. Returns their end. */
char *snapshot_put_number(char *out, uint64_t number);

/* In a forked child: no other thread takes one. */
void snapshot_forget(void);

#endif
