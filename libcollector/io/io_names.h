/* io_names.h: what descriptors stand for: the names of files, and of connections with both of their
 * ends. All functions are signal-safe and make raw system calls. */
#ifndef XER_COLLECTOR_IO_NAMES_H
#define XER_COLLECTOR_IO_NAMES_H

#include "format/record.h"

/* Longer names are cut, and ends, too: the path of a UNIX socket has 108 bytes. */
enum { IO_NAME_SIZE = 1024, IO_END_SIZE = 128 };

/* A name under construction, in the form in which it will be in the file: the text of the name,
 * then that of the own end. All bytes after them are zero. */
struct io_name {
	struct fmt_io_file header;
	char text[IO_NAME_SIZE + IO_END_SIZE];
	int is_end; /* what is added belongs to the own end */
} __attribute__((aligned(8)));

/* The name of a path as a program gave it, which must be readable. */
void io_name_path(struct io_name *name, const char *path);

/* What a descriptor stands for. Returns 0, or -1 if there is no such descriptor. */
int io_name_describe(struct io_name *name, int fd);

/* The same, in one system call, of a socket that is known to have no address, nor its other end. */
int io_name_describe_unnamed(struct io_name *name, int fd);

/* The own end of `name` is called as `end` is. */
void io_name_put_end(struct io_name *name, const struct io_name *end);

#endif
