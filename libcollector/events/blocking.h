/* blocking.h: wrappers of functions that block, for wall-clock time: blocking.def. */
#ifndef XER_COLLECTOR_EVENTS_BLOCKING_H
#define XER_COLLECTOR_EVENTS_BLOCKING_H

#include <poll.h>
#include <sys/select.h>

/* The first descriptor that poll or select has found ready; negative: none. */
int blocking_polled(const struct pollfd *fds, nfds_t count);
int blocking_selected(int count, const fd_set *in, const fd_set *out);

/* Does fcntl(2) wait for a lock with this command? Signal-safe. */
int blocking_is_lock(int command);

#endif
