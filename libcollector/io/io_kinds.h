/* io_kinds.h: what calls wait for that wait for a descriptor: a byte for each descriptor, looked up
 * at its first use. All functions are signal-safe and take no locks. */
#ifndef XER_COLLECTOR_IO_KINDS_H
#define XER_COLLECTOR_IO_KINDS_H

#include "libcollector/base/collector.h"

/* Create the table, or forget all descriptors. Without memory nothing is remembered. */
void io_kinds_open(void);

/* The state of a thread in such a call: FILE, PIPE, SOCKET, ... */
enum fmt_wall_state io_kind_state(int fd);

/* May a call wait for it without end? It is none of files on disks, and not in non-blocking mode
 * when it was used first. Then its state is in *state. */
int io_kind_blocks(int fd, enum fmt_wall_state *state);

/* The descriptor may be another one from now on. */
void io_kind_forget(int fd);

/* Something is about to be remembered of this descriptor, 0 or more; and the number above all for
 * which that was said: to forget all others is not needed. */
void io_fd_is_used(int fd);
unsigned io_fds_end(void);

#endif
