/* timers.h: where perf_event_open is refused. */
#ifndef XER_PERF_TIMERS_H
#define XER_PERF_TIMERS_H

#include <sys/types.h>

/* Wait until the process `pid`, the experiment's (0: it is being recorded already), and all recorded descendants have ended, then execute
 * `exporter` to write the files of the sampler from the clock samples. Returns only if that fails, an exit status. */
int timers_wait_and_export(int experiment, pid_t pid, char *exporter);

#endif
