/* child.h: the recording of descendants, mainly of forked children.
 *
 * A forked child starts clean, whatever other threads of its parent were doing: all data of the
 * recorder are set up again. Its directory is created later: at the first event, tick or sample, or
 * at the end, so that a child which only executes another program costs very little. Any descendant
 * is *quiet* as long as it has nothing to record: its only file is log.xml, and if its life is
 * short, its end is noted there. Creating a file costs as much as running the recorder. */
#ifndef XER_COLLECTOR_CHILD_H
#define XER_COLLECTOR_CHILD_H

#include "libcollector/thread/thread.h"

/* Watch forks by libc. Normal context, at the start. */
void child_open(void);

/* The calling process is a forked child, of which only the calling thread exists. `letter` and
 * `number` name it. */
void child_begin(char letter, uint32_t number);

/* In the parent: note a child, as an event of this kind. Signal-safe. */
void child_log(const char *kind, int pid, uint32_t number);

/* Note a child that shares our memory permanently, and is not recorded: the memory of a recorder
 * cannot serve two processes. Signal-safe. */
void child_log_sharer(int pid);

/* If this process has been forked without our notice, begin to record it. Normal context. */
void child_look(void);

/* Must a child of this process learn by child_begin() that it is one? Also if the recording has
 * ended: the states of threads stay, and a child does not get their memory. */
int child_is_told(void);

/* Make the directory of a child that has something to record. Signal-safe. */
void child_settle(void);

/* A new image is quiet. At the start only. */
void child_be_quiet(void);
int child_is_quiet(void);

/* End the quiet with the first records: the main thread, and the usage at the start. In the context
 * of `slot`, which belongs to the calling thread. Signal-safe. */
void child_greet(const struct col_slot *slot);

#endif
