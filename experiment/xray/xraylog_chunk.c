/* xraylog_chunk.c: the part of a foreign XRay log that is in memory. */
#include "experiment/xray/xraylog_reader.h"
#include "format/retry.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

void xraylog_reader_init(struct xraylog_reader *reader, const struct xraylog *log)
{
	*reader = (struct xraylog_reader){.log = log, .at = XRAYLOG_HEADER};
}

void xraylog_reader_fini(struct xraylog_reader *reader)
{
	free(reader->chunk);
	free(reader->arguments);
}

/* It is larger than CHUNK where an event is. */
static int grow(struct xraylog_reader *reader, size_t size)
{
	uint8_t *larger = size <= reader->chunk_capacity ? reader->chunk
	                                                 : realloc(reader->chunk, size);

	if (!larger) {
		reader->rc = -ENOMEM;
		return -ENOMEM;
	}
	reader->chunk = larger;
	reader->chunk_capacity = size > reader->chunk_capacity ? size : reader->chunk_capacity;
	return 0;
}

const uint8_t *xraylog_refill(struct xraylog_reader *reader, uint64_t at, size_t size)
{
	unsigned tries = 0;

	if (at > reader->log->size || size > reader->log->size - at ||
	    grow(reader, size > CHUNK ? size : CHUNK) != 0)
		return NULL;
	reader->chunk_at = at;
	reader->chunk_len = 0;
	while (reader->chunk_len < size) {
		ssize_t got = pread(reader->log->fd, reader->chunk + reader->chunk_len,
		                    reader->chunk_capacity - reader->chunk_len,
		                    (off_t)(at + reader->chunk_len));

		if (retry_call(got, &tries))
			continue;
		if (got <= 0) {
			if (reader->rc == 0)
				reader->rc = got < 0 ? -errno : -ESTALE; /* it has become shorter */
			return NULL;
		}
		reader->chunk_len += (size_t)got;
	}
	return reader->chunk;
}
