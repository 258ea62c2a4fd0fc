/* process.h: the life of the recording: start, end of the process, forked children. */
#ifndef XER_COLLECTOR_PROCESS_H
#define XER_COLLECTOR_PROCESS_H

#include "libcollector/process/directory.h"

/* Open the experiment that col.descriptor names and begin to record threads and usage;
 * events begin with process_begin_events.
 * Returns 0 or -errno. Normal context. */
int process_open(void);
void process_begin_events(void);

/* Note that the recording began at `start`. Signal-safe. */
void process_log_open(const struct process_moment *start);

/* End the recording: last samples, totals, exit element, archive. exit_code -1: unknown.
 * Does nothing in a process that is not recorded, or the second time. */
void process_close(int exit_code);

/* Is this the recorded process, still recording? A vfork child shares its memory, and is not.
 * Signal-safe. */
int process_is_recorded(void);

/* Bring samples and counters up to date, as at the end. */
void process_account(void);

/* Run xer_archive on the experiment and wait for it, unnoticed by the target. */
void archive_run(void);

#endif
