/* calibrate.h: the shortest wait that is worth a record. */
#ifndef XER_COLLECT_MACHINE_CALIBRATE_H
#define XER_COLLECT_MACHINE_CALIBRATE_H

#include <stdint.h>

/* A threshold for synchronization tracing, in ns: clearly above the cost of a free lock on this
 * machine. */
uint64_t calibrate_sync_ns(void);

#endif
