/* window.h: the time in which events are recorded, when only a part of the run is wanted (xcollect -t).
 *
 * The clock is looked at in ticks and when a file grows, not at every event: a few more may be recorded. */
#ifndef XER_COLLECTOR_WINDOW_H
#define XER_COLLECTOR_WINDOW_H

/* Begin to record events, now or when the window begins. Normal context, at the start. */
void window_open(void);

/* In a forked child: go on with what its maker was doing. Signal-safe. */
void window_restart(void);

/* Begin or end the recording of events if it is time. Signal-safe. */
void window_check(void);

#endif
