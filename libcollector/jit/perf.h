/* perf.h: files about JIT functions that the program writes for perf(1): /tmp/perf-PID.map, and
 * jitdump files.
 *
 * They are copied when the process has ended, or read where they are (experiment/jit/jitfiles.h).
 * What only the process can know is noted in log.xml: the length of the map over time, since the
 * map has no times; and the path of a jitdump file, which its writer maps executable so that perf
 * sees its name. */
#ifndef XER_COLLECTOR_PERF_H
#define XER_COLLECTOR_PERF_H

#include "libcollector/thread/thread.h"

/* Note how long the perf map is, if it has grown, and from when on it may have been so.
 * Signal-safe. */
void perf_sample(struct col_thread *self, enum col_context context);

/* The program has mapped a file executable: note its name if it is a jitdump file. Signal-safe;
 * keeps errno. */
void perf_mapped(int fd);

/* In a forked child, and before another recording of a process: there are no files yet. */
void perf_forget(void);

#endif
