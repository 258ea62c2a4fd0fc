/* recording.h: when events are recorded: in the time range of xcollect -t, while they are not
 * paused, until they are stopped for good (col_stop_events).
 *
 * The clock is checked in ticks and when a file grows, not at every event: a few more events may be
 * recorded. */
#ifndef XER_LIBCOLLECTOR_RECORDING_H
#define XER_LIBCOLLECTOR_RECORDING_H

#include "libcollector/thread/thread.h"

/* Begin to record events, now, or when the time range begins or they are resumed. Normal context,
 * at the start. */
void recording_open(void);

/* In a forked child: continue as the parent did. Signal-safe. */
void recording_restart(void);

/* Begin or end the recording of events if it is time. Signal-safe. */
void recording_check(void);

/* col_stop_events. Signal-safe. */
void recording_stop(const char *why);

/* Pause and resume by the program or the user, noted in log.xml; no effect if it is so already. CPU
 * time of every thread is counted up to the pause, and from the resumption on. While events are
 * paused, frees and unmapping are still recorded, so that blocks allocated before do not look like
 * leaks. `self` is the calling thread, all of whose signals are blocked (COL_HANDLER).
 * Signal-safe. */
void recording_pause(struct col_thread *self);
void recording_resume(struct col_thread *self);
void recording_toggle(struct col_thread *self);

#endif
