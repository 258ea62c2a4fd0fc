/* io_epoll.h: which descriptor an epoll event is of: what the program has registered each with is
 * what it is told.
 *
 * Two tables of one word for each descriptor and for each hash of what was registered; a later
 * entry takes the place of an earlier one. So what is found may be missing, and hardly ever wrong:
 * where several descriptors are registered alike, none is found. All functions are signal-safe and
 * take no locks. */
#ifndef XER_COLLECTOR_IO_EPOLL_H
#define XER_COLLECTOR_IO_EPOLL_H

#include <stdint.h>

/* Create the tables, or forget all. Without memory nothing is remembered. */
void io_epoll_open(void);

/* epoll_ctl(2) has registered `fd` in `epoll`, or changed what is told of it; or took it out. */
void io_epoll_put(int epoll, int fd, uint64_t data);

/* The descriptor is not what was registered any more. */
void io_epoll_forget(int fd);

/* The descriptor that an event of `epoll` is of; negative: unknown. */
int io_epoll_find(int epoll, uint64_t data);

#endif
