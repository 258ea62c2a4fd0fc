/* gzip.h: a gzip file (RFC 1952) written to a stream piece by piece. */
#ifndef XER_ANALYZER_EXPORT_GZIP_H
#define XER_ANALYZER_EXPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* Begin one behind what was written to `out` (borrowed). NULL: out of memory. */
struct gzip *gzip_create(FILE *out);

/* Write bytes[len]. */
void gzip_put(struct gzip *gzip, const void *bytes, size_t len);

/* End the file. Returns 0, or -EIO if not all of it could be compressed; errors of `out` are its
 * own. */
int gzip_destroy(struct gzip *gzip);

#endif
