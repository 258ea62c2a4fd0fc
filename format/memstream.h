/* memstream.h: a stream into memory that tells when memory is lacking.
 *
 * That of open_memstream (glibc 2.36) does not always: if the text cannot grow in the middle of a
 * fprintf, that call alone returns -1, and the text goes on behind the gap with no error set. */
#ifndef XER_FORMAT_MEMSTREAM_H
#define XER_FORMAT_MEMSTREAM_H

#include <stddef.h>
#include <stdio.h>

/* Open a stream that writes to the end of *text, which is set to NULL and belongs to the caller.
 * When the stream is flushed or closed, *text has *size bytes and a NUL behind them; then it may
 * still be NULL if ferror or fclose has told an error. The stream cannot be positioned. NULL: no
 * memory. */
FILE *memstream_open(char **text, size_t *size);

#endif
