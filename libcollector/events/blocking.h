/* blocking.h: wrappers of functions that block, for wall-clock time: blocking.def. */
#ifndef XER_COLLECTOR_EVENTS_BLOCKING_H
#define XER_COLLECTOR_EVENTS_BLOCKING_H

/* Does fcntl(2) wait for a lock with this command? Signal-safe. */
int blocking_is_lock(int command);

#endif
