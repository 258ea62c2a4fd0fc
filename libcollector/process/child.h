/* child.h: the recording of descendants, of forked children above all.
 *
 * A forked child starts clean, whatever other threads of its parent were doing: everything that the
 * recorder keeps is set up again. Its directory is not: it comes with the first event, tick or
 * sample, or at the end, so that a child which only executes another program costs next to nothing.
 * Any descendant is *quiet* as long as it has nothing to record: it has no files but log.xml, where
 * the end of a short life then stands. Making a file costs as much as running the recorder. */
#ifndef XER_COLLECTOR_CHILD_H
#define XER_COLLECTOR_CHILD_H

#include "libcollector/thread/thread.h"

/* Watch libc's forks. Normal context, at the start. */
void child_open(void);

/* The calling process is a forked child, of which only the calling thread exists. `letter` and
 * `number` name it. */
void child_begin(char letter, uint32_t number);

/* In the parent: note a child, as an event of this kind. Signal-safe. */
void child_log(const char *kind, int pid, uint32_t number);

/* Note a child that shares our memory for good, and is not recorded: a recorder's memory cannot
 * serve two. Signal-safe. */
void child_log_sharer(int pid);

/* If this process has been forked without our notice, begin to record it. Normal context. */
void child_look(void);

/* Make the directory of a child that has something to record. Signal-safe. */
void child_settle(void);

/* A new image is quiet. At the start only. */
void child_be_quiet(void);
int child_is_quiet(void);

/* End the quiet with the first records: the main thread, and the usage at the start. In the context
 * of `slot`, which is one of the calling thread's. Signal-safe. */
void child_greet(const struct col_slot *slot);

#endif
