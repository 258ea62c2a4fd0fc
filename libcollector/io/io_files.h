/* io_files.h: the files of descriptors and paths: file numbers, each explained by one io_file
 * record.
 *
 * A descriptor is looked up at its first use, and again after a call that makes it refer to another
 * file. Numbers are multiples of 16; 0 is "unknown". All functions are signal-safe and take no
 * locks. */
#ifndef XER_COLLECTOR_IO_FILES_H
#define XER_COLLECTOR_IO_FILES_H

#include "libcollector/thread/thread.h"

/* Create the tables, or forget all descriptors if they exist. Returns 0 or -ENOMEM. */
int io_files_open(void);

/* The file of a descriptor. In a scope of `thread`, the calling one, which writes the name if it is
 * new. */
uint32_t io_file_of(struct col_thread *thread, int fd, uint64_t ticks);

/* The file of a path as a program gave it, which must be readable. In a scope, as above. */
uint32_t io_file_named(struct col_thread *thread, const char *path, uint64_t ticks);

/* The two ends of a new pair of sockets, which have names of their own only together. As above. */
void io_files_pair(struct col_thread *thread, const int fds[2], uint64_t ticks);

/* The file of a descriptor that is about to be closed, if it has been looked up. Any context. */
uint32_t io_file_known(int fd);

/* A descriptor, or all from `first` to `last`, may refer to another file from now on. Any
 * context. */
void io_file_forget(int fd);
void io_files_forget(unsigned first, unsigned last);

/* In a forked child: its file has no names yet. Signal-safe. */
void io_files_restart(void);

#endif
