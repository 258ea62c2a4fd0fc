/* timers.h: where perf_event_open is refused. */
#ifndef XER_PERF_TIMERS_H
#define XER_PERF_TIMERS_H

#include <sys/types.h>

/* Wait until the process `pid`, the experiment's (0: it is being recorded already), and all
 * recorded descendants have ended, then run `exporter` ("": it is missing) to write the files of
 * the sampler from the clock samples. If that fails, the experiment's log says so. Returns an exit
 * status. */
int timers_wait_and_export(int experiment, pid_t pid, char *exporter);

#endif
