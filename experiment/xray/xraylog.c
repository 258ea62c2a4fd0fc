/* xraylog.c: the file of a foreign XRay log and its header. See xraylog.h.
 * See doc/decisions/29-xray-logs.md. */
#include "experiment/xray/xraylog_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSIONS = 5 };

static int has_header(const uint8_t *at, int is_big_endian)
{
	unsigned version = is_big_endian ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	unsigned type = is_big_endian ? at[2] << 8 | at[3] : at[3] << 8 | at[2];

	return version >= 1 && version <= VERSIONS && type <= 1;
}

/* Is this the beginning of such a log? at[32]. */
static int is_header(const uint8_t *at)
{
	return has_header(at, 0) || has_header(at, 1);
}

static int read_header(struct xraylog_reader *reader, struct xraylog *log)
{
	const uint8_t *bytes = xraylog_look(reader, 0, XRAYLOG_HEADER);
	uint32_t bits;

	if (!bytes || !is_header(bytes))
		return -EBADMSG;
	log->is_big_endian = !has_header(bytes, 0);
	log->version = (unsigned)xraylog_get(reader, 0, 2);
	log->type = (unsigned)xraylog_get(reader, 2, 2);
	/* The lowest two or, on big-endian machines, the highest two count; the others mean
	 * nothing, and some runtimes leave them set. */
	bits = (uint32_t)xraylog_get(reader, 4, 4);
	if (log->is_big_endian && bits >> 30 != 0)
		bits = (bits >> 31 & 1) | (bits >> 29 & 2);
	log->constant_tsc = bits & 1;
	log->nonstop_tsc = bits >> 1 & 1;
	log->cycle_frequency = xraylog_get(reader, 8, 8);
	log->buffer_size = xraylog_get(reader, 16, 8);
	return 0;
}

int xraylog_open(int fd, struct xraylog *out)
{
	struct xraylog log = {.fd = fd, .first_tsc = UINT64_MAX};
	struct xraylog_reader reader;
	struct stat status;

	if (fstat(fd, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size < XRAYLOG_HEADER)
		return -EBADMSG;
	log.size = (uint64_t)status.st_size;
	xraylog_reader_init(&reader, &log);
	reader.rc = read_header(&reader, &log);
	if (reader.rc == 0)
		xraylog_find_buffers(&reader, &log);
	xraylog_reader_fini(&reader);
	if (log.record_count == 0)
		log.first_tsc = 0;
	if (reader.rc != 0) {
		free(log.spans);
		return reader.rc;
	}
	*out = log;
	return 0;
}

void xraylog_close(struct xraylog *log)
{
	free(log->spans);
	close(log->fd);
	*log = (struct xraylog){.fd = -1};
}

int xraylog_each(const struct xraylog *log,
                 int (*record)(void *context, const struct xraylog_record *record), void *context)
{
	struct xraylog_reader reader;

	xraylog_reader_init(&reader, log);
	reader.record = record;
	reader.context = context;
	for (size_t i = 0; i < log->span_count && reader.rc == 0; i++)
		xraylog_read_span(&reader, &log->spans[i]);
	xraylog_reader_fini(&reader);
	return reader.rc;
}
