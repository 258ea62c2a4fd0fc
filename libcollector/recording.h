/* recording.h: when events are recorded: in the time that xcollect -t gives, while nobody has
 * paused them, until they are stopped for good (col_stop_events).
 *
 * The clock is looked at in ticks and when a file grows, not at every event: a few more may be
 * recorded. */
#ifndef XER_LIBCOLLECTOR_RECORDING_H
#define XER_LIBCOLLECTOR_RECORDING_H

#include "libcollector/thread/thread.h"

/* Begin to record events, now, or when the time range begins or they are resumed. Normal context,
 * at the start. */
void recording_open(void);

/* In a forked child: go on with what its parent was doing. Signal-safe. */
void recording_restart(void);

/* Begin or end the recording of events if it is time. Signal-safe. */
void recording_check(void);

/* col_stop_events. Signal-safe. */
void recording_stop(const char *why);

/* Pause and resume by the program or the user, noted in log.xml; nothing is done if it is so
 * already. CPU time is counted up to the pause, and from the resumption on, of every thread. While
 * events are paused, frees and unmapping go on being recorded, so that what was allocated before is
 * not taken for a leak. `self` is the calling thread, all of whose signals are blocked
 * (COL_HANDLER). Signal-safe. */
void recording_pause(struct col_thread *self);
void recording_resume(struct col_thread *self);
void recording_toggle(struct col_thread *self);

#endif
