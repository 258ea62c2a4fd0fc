/* sum.h: short waits of a thread at one place, which are added up in one record.
 *
 * A server may wait a hundred thousand times a second, and each wait is in the file all the same.
 * See doc/decisions/86-wall-clock.md. */
#ifndef XER_COLLECTOR_WALL_SUM_H
#define XER_COLLECTOR_WALL_SUM_H

#include "libcollector/thread/thread.h"

/* Add a wait of `wait` ticks that ended at `after`, with that state, function, stack and object (of
 * `wait_sum`), to a record of the thread, or begin one. In a scope of `thread`. Returns 0, or -1
 * when the stream has stopped. */
int wall_sum_add(struct col_thread *thread, const struct fmt_wait_sum *wait, uint64_t after);

#endif
