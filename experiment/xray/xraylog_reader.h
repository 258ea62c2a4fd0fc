/* xraylog_reader.h: how a foreign log is read, shared by xraylog.c (the file), xraylog_chunk.c
 * (its bytes) and xraylog_buffers.c (its records). */
#ifndef XER_EXPERIMENT_XRAY_XRAYLOG_READER_H
#define XER_EXPERIMENT_XRAY_XRAYLOG_READER_H

#include "experiment/xray/xraylog.h"

enum { XRAYLOG_HEADER = 32 };

struct xraylog_reader {
	const struct xraylog *log;
	uint8_t *chunk; /* bytes [chunk_at, chunk_at + chunk_len) of the file */
	uint64_t chunk_at;
	size_t chunk_len, chunk_capacity;
	uint64_t at;
	uint32_t tid, pid;
	uint16_t cpu;
	uint64_t tsc;
	/* A function record waits for its arguments. */
	struct xraylog_record waiting;
	int is_waiting;
	uint64_t *arguments; /* arguments[waiting.argument_count] */
	size_t argument_capacity;
	int (*record)(void *context, const struct xraylog_record *record);
	void *context;
	int rc;
};

void xraylog_reader_init(struct xraylog_reader *reader, const struct xraylog *log);
void xraylog_reader_fini(struct xraylog_reader *reader);

/* The file's bytes [at, at + size); NULL, if it does not have them. Borrowed until the next call.
 */
const uint8_t *xraylog_refill(struct xraylog_reader *reader, uint64_t at, size_t size);

static inline const uint8_t *xraylog_look(struct xraylog_reader *reader, uint64_t at, size_t size)
{
	if (at >= reader->chunk_at && at - reader->chunk_at <= reader->chunk_len &&
	    size <= reader->chunk_len - (size_t)(at - reader->chunk_at))
		return reader->chunk + (at - reader->chunk_at);
	return xraylog_refill(reader, at, size);
}

/* A number of the log, in its byte order; 0 if it is not there. */
static inline uint64_t xraylog_get(struct xraylog_reader *reader, uint64_t at, unsigned size)
{
	const uint8_t *bytes = xraylog_look(reader, at, size);
	uint64_t value = 0;

	for (unsigned i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * (reader->log->is_big_endian ? size - 1 - i : i);
	return value;
}

/* Find the buffers behind the header, and put them in order of threads and times. What failed is in
 * reader->rc. */
void xraylog_find_buffers(struct xraylog_reader *reader, struct xraylog *log);

/* Give the records of a buffer to reader->record. What failed, or was returned, is in reader->rc.
 */
void xraylog_read_span(struct xraylog_reader *reader, const struct xraylog_span *span);

#endif
