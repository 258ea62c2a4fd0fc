/* process.h: the life of the recording: start, end of the process, forked children. */
#ifndef XER_COLLECTOR_PROCESS_H
#define XER_COLLECTOR_PROCESS_H

#include "libcollector/process/directory.h"

/* Open the experiment that col.descriptor names and begin to record threads and usage;
 * events begin with process_begin_events.
 * Returns 0 or -errno. Normal context. */
int process_open(void);
void process_begin_events(void);

#endif
