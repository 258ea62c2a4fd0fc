/* xraylog.c: the file of a foreign XRay log and its header. See xraylog.h. */
#include "experiment/xraylog_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSIONS = 5 };
#define SIZE_MAX_READ ((size_t)4 << 30)

static int has_header(const uint8_t *at, int is_big_endian)
{
	unsigned version = is_big_endian ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	unsigned type = is_big_endian ? at[2] << 8 | at[3] : at[3] << 8 | at[2];

	/* Of the bits, the lowest two or, on big-endian machines, the highest two count; some runtimes leave others set. */
	return version >= 1 && version <= VERSIONS && type <= 1 && at[5] == 0 && at[6] == 0 && (is_big_endian || at[7] == 0);
}

int xraylog_is_header(const uint8_t *at)
{
	return has_header(at, 0) || has_header(at, 1);
}

static void read_header(struct xraylog *log)
{
	uint32_t bits;

	log->is_big_endian = !has_header(log->bytes, 0);
	log->version = (unsigned)xraylog_get(log, 0, 2);
	log->type = (unsigned)xraylog_get(log, 2, 2);
	bits = (uint32_t)xraylog_get(log, 4, 4);
	if (log->is_big_endian && bits >> 30 != 0)
		bits = (bits >> 31 & 1) | (bits >> 29 & 2);
	log->constant_tsc = bits & 1;
	log->nonstop_tsc = bits >> 1 & 1;
	log->cycle_frequency = xraylog_get(log, 8, 8);
	log->buffer_size = xraylog_get(log, 16, 8);
}

static int read_file(int fd, struct xraylog *log)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size < XRAYLOG_HEADER)
		return -EBADMSG;
	if ((uint64_t)status.st_size > SIZE_MAX_READ)
		return -EFBIG;
	log->bytes = malloc((size_t)status.st_size);
	if (log->bytes == NULL)
		return -ENOMEM;
	while (log->size < (size_t)status.st_size) {
		ssize_t got = pread(fd, log->bytes + log->size, (size_t)status.st_size - log->size, (off_t)log->size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		log->size += (size_t)got;
	}
	return log->size >= XRAYLOG_HEADER && xraylog_is_header(log->bytes) ? 0 : -EBADMSG;
}

int xraylog_read(int fd, struct xraylog *out)
{
	struct xraylog log = {.size = 0};
	struct xraylog_reader reader = {.log = &log, .at = XRAYLOG_HEADER, .last = SIZE_MAX};

	reader.rc = read_file(fd, &log);
	if (reader.rc == 0) {
		read_header(&log);
		if (log.type == 0)
			xraylog_read_naive(&reader);
		else
			xraylog_read_buffers(&reader);
	}
	free(reader.spans);
	if (reader.rc != 0) {
		xraylog_fini(&log);
		return reader.rc;
	}
	*out = log;
	return 0;
}

void xraylog_fini(struct xraylog *log)
{
	free(log->bytes);
	free(log->records);
	free(log->arguments);
	*log = (struct xraylog){.size = 0};
}
