/* filecopy.h: copies of files that somebody writes to. */
#ifndef XER_COLLECT_SNAPSHOT_FILECOPY_H
#define XER_COLLECT_SNAPSHOT_FILECOPY_H

#include <stddef.h>
#include <stdint.h>

/* Copy the regular file `name` of one open directory into another one, where it is not yet: its
 * data, from the beginning to the end, and holes as holes; where the file system can, without
 * copying. Adds the bytes of data to *bytes. Returns 0 or -errno: -ENOENT, -ELOOP (a link),
 * -EBADMSG (not a regular file), ... */
int filecopy_one(int from, int to, const char *name, uint64_t *bytes);

/* Read a text file that others only append to and write in pages, as it was at one moment. Returns
 * 0 with the text, NUL-terminated, to be freed, or -errno. */
int filecopy_read(int directory, const char *name, char **text, size_t *len);

#endif
