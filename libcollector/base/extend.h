/* extend.h: make files of the experiment longer and map them.
 *
 * Another thread of the program may put a file of its own at our number at any instant, also
 * between a check of the number and the call that uses it. So nothing here would harm that file,
 * and after each call it is checked whether the number was ours. See
 * doc/decisions/15-descriptors.md. All of it is signal-safe, for one thread at a time and file,
 * with signals blocked. */
#ifndef XER_COLLECTOR_EXTEND_H
#define XER_COLLECTOR_EXTEND_H

#include "libcollector/base/file.h"

/* Make [at, at + len) of the file `name` exist on disk, so that touching a mapping of it cannot
 * fail; it is at least at + len long then. Returns 0, or -errno (ENOSPC, EDQUOT, EFBIG, ...;
 * EMFILE: not now); never raises SIGXFSZ. */
int col_file_extend(struct col_file *file, const char *name, uint64_t at, uint64_t len);

/* Map [at, at + size) of the file `name` for reading and writing; `there`, in the place of a
 * mapping of ours of that size, if it is not NULL. It may end before that. Returns the mapping, or
 * NULL with -errno in *error. */
uint8_t *col_file_map(struct col_file *file, const char *name, uint8_t *there, uint64_t at,
                      size_t size, int *error);

/* Unmap what col_file_map returned, and give its room on the disk back: zeros are read there from
 * now on. It is done by the mapping, since a number may be the program's by now. Returns 0, or
 * -errno (EOPNOTSUPP: the file system cannot do that). */
int col_file_give_back(uint8_t *map, size_t size);

/* Is `fd` the regular file of this name in the directory? */
int col_file_is_named(int fd, int directory, const char *name);

#endif
