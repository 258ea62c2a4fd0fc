/* unpack.c: see unpack.h. */
#include "experiment/packed/unpack.h"

#include "experiment/base/internal.h"
#include "experiment/packed/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_zero(const char *bytes, size_t size)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* The frame of the bytes at `at`. Returns how many bytes it has; -EBADMSG, -ENOMEM or -errno. */
static int unpack_frame(struct exp_packed *packed, int to, char *plain, uint64_t at)
{
	ssize_t got = exp_packed_read(packed, plain, EXP_FRAME, at);
	int rc;

	if (got <= 0)
		return got < 0 ? -errno : -EBADMSG;
	if (is_zero(plain, (size_t)got))
		return lseek(to, got, SEEK_CUR) < 0 ? -errno : (int)got;
	rc = exp_bytes_write(to, plain, (size_t)got);
	return rc == 0 ? (int)got : rc;
}

static int unpack_to(struct exp_packed *packed, int to)
{
	uint64_t size = exp_packed_size(packed), at = 0;
	char *plain = malloc(EXP_FRAME);
	int rc = !plain ? -ENOMEM : size > EXP_UNPACK_MOST ? -EBADMSG : 0;

	while (rc >= 0 && at < size) {
		rc = unpack_frame(packed, to, plain, at);
		at += rc > 0 ? (uint64_t)rc : 0;
	}
	if (rc >= 0)
		rc = ftruncate(to, (off_t)size) == 0 ? 0 : -errno;
	free(plain);
	return rc;
}

int exp_unpack_file(int fd)
{
	struct exp_packed *packed;
	const char *why;
	struct stat st;
	int to, rc = fstat(fd, &st) != 0 ? -errno : 0;

	if (rc == 0)
		rc = exp_packed_open(fd, (uint64_t)st.st_size, &packed, &why);
	if (rc != 0)
		return rc;
	to = memfd_create("unpacked", MFD_CLOEXEC);
	rc = to < 0 ? -errno : unpack_to(packed, to);
	exp_packed_close(packed);
	if (rc == 0)
		return to;
	if (to >= 0)
		close(to);
	return rc;
}
