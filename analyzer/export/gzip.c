/* gzip.c: gzip files by zlib, which wants buffers of its own. */
#include "analyzer/export/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum { WINDOW_BITS = 15, GZIP_HEADER = 16, MEMORY_LEVEL = 8 };

struct gzip {
	z_stream stream;
	FILE *out;
	int failed;
	unsigned char buffer[65536];
};

struct gzip *gzip_create(FILE *out)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->out = out;
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
	                 WINDOW_BITS + GZIP_HEADER, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

/* Compress what stands in the stream, and write what comes out. */
static void run(struct gzip *gzip, int flush)
{
	int status = Z_OK;

	do {
		gzip->stream.next_out = gzip->buffer;
		gzip->stream.avail_out = sizeof(gzip->buffer);
		status = deflate(&gzip->stream, flush);
		if (status == Z_STREAM_ERROR)
			gzip->failed = 1;
		fwrite(gzip->buffer, 1, sizeof(gzip->buffer) - gzip->stream.avail_out, gzip->out);
	} while (gzip->stream.avail_out == 0 && !gzip->failed);
	if (flush == Z_FINISH && status != Z_STREAM_END)
		gzip->failed = 1;
}

void gzip_put(struct gzip *gzip, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len > 0) {
		size_t part = len < 1u << 30 ? len : 1u << 30;

		gzip->stream.next_in = (unsigned char *)at;
		gzip->stream.avail_in = (unsigned)part;
		run(gzip, Z_NO_FLUSH);
		at += part;
		len -= part;
	}
}

int gzip_destroy(struct gzip *gzip)
{
	int failed;

	gzip->stream.next_in = NULL;
	gzip->stream.avail_in = 0;
	run(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	failed = gzip->failed;
	free(gzip);
	return failed ? -EIO : 0;
}
