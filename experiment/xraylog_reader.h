/* xraylog_reader.h: how a foreign log is read, shared by xraylog.c (the file) and xraylog_buffers.c (its records). */
#ifndef XER_EXPERIMENT_XRAYLOG_READER_H
#define XER_EXPERIMENT_XRAYLOG_READER_H

#include "experiment/xraylog.h"

enum { XRAYLOG_HEADER = 32 };

/* A buffer whose records are read: records[first .. end). */
struct xraylog_span {
	uint32_t tid;
	uint64_t tsc;
	size_t first, end, order;
};

struct xraylog_reader {
	struct xraylog *log;
	size_t at;
	struct xraylog_span *spans;
	size_t span_count, span_capacity;
	uint32_t tid, pid;
	uint16_t cpu;
	uint64_t tsc;
	size_t last; /* record that an argument belongs to; SIZE_MAX: none */
	int rc;
};

/* A number of the log, in its byte order; at + size lies within. */
static inline uint64_t xraylog_get(const struct xraylog *log, size_t at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)log->bytes[at + i] << 8 * (log->is_big_endian ? size - 1 - i : i);
	return value;
}

/* Read the records behind the header: naive ones, or buffer by buffer, in order of threads and times. What failed is
 * in reader->rc. */
void xraylog_read_naive(struct xraylog_reader *reader);
void xraylog_read_buffers(struct xraylog_reader *reader);

#endif
