/* perf.h: files in which the program tells perf(1) of functions that it makes: /tmp/perf-PID.map,
 * and jitdump files.
 *
 * They are copied when the process has ended, or read where they are (experiment/jit/jitfiles.h). What
 * only the process can tell stands in log.xml: how long the map was at which time, since it has no
 * times, and where a jitdump file is, which its writer maps executable, so that perf sees its name.
 */
#ifndef XER_COLLECTOR_PERF_H
#define XER_COLLECTOR_PERF_H

#include "libcollector/thread/thread.h"

/* Note how long the perf map is, if it has grown, and since when it may have been. Signal-safe. */
void perf_sample(struct col_thread *self, enum col_context context);

/* The program has mapped a file executable: note its name if it is a jitdump file. Signal-safe;
 * keeps errno. */
void perf_mapped(int fd);

/* In a forked child, and before another recording of a process: there are no files yet. */
void perf_forget(void);

#endif
