/* control.h: control of the recording by the program (include/collectorAPI.h) and by signals
 * (xcollect -y, -l, -x). */
#ifndef XER_COLLECTOR_CONTROL_H
#define XER_COLLECTOR_CONTROL_H

/* What programs may call (include/collectorAPI.h). */
extern struct xer_collector_table xer_collector;

/* Install what the descriptor asks for. Normal context, at the start. */
void control_open(void);

/* If xcollect -x asks for it, stop the process until a signal continues it. Normal context, at the
 * end of the start. */
void control_stop(void);

/* The recording ends while the process goes on: signals that are on their way here do nothing. */
void control_leave(void);

/* End the recording of this process for good: from here on, the recorder makes no system call.
 * Signal-safe. */
void control_terminate(void);

#endif
