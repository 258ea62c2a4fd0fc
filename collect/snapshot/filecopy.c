/* filecopy.c: see filecopy.h.
 *
 * Data files are sparse: what was reserved or given back has no data. copy_file_range shares blocks
 * where the file system can, and else copies within the kernel. A mapping that others write to is
 * copied as it is at the moment. */
#include "collect/snapshot/filecopy.h"

#include "format/layout.h"
#include "format/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, TEXT_MAX = 1 << 30, READS = 20, READ_PAUSE_US = 1000 };

/* ---- data */

/* By way of memory, where the kernel cannot copy between the two. Returns bytes or -errno. */
static ssize_t copy_by_reading(int from, int to, off_t at, size_t size)
{
	static char buffer[CHUNK];
	ssize_t got = pread(from, buffer, size < sizeof(buffer) ? size : sizeof(buffer), at), put;

	if (got <= 0)
		return got < 0 ? -errno : 0;
	put = pwrite(to, buffer, (size_t)got, at);
	return put < 0 ? -errno : put;
}

static ssize_t copy_some(int from, int to, off_t at, size_t size)
{
	off_t in = at, out = at;
	ssize_t done = copy_file_range(from, &in, to, &out, size, 0);

	if (done < 0 && errno != EINTR && errno != ENOSPC && errno != EDQUOT && errno != EIO)
		return copy_by_reading(from, to, at, size);
	return done < 0 ? -errno : done;
}

/* Copy [at, end). It may be cut meanwhile. Returns 0 or -errno. */
static int copy_data(int from, int to, off_t at, off_t end)
{
	unsigned tries = 0;

	while (at < end) {
		ssize_t done = copy_some(from, to, at, (size_t)(end - at));

		if (retry(done == -EINTR, &tries))
			continue;
		if (done <= 0)
			return (int)done;
		at += done;
	}
	return 0;
}

/* Where the next data behind `at` begin and end; a file system that knows no holes has data all
 * over. Returns 0 at the end. */
static int next_data(int fd, off_t *at, off_t *end, off_t size)
{
	off_t data = lseek(fd, *at, SEEK_DATA), hole;

	if (data < 0 && errno == ENXIO)
		return 0;
	*at = data < 0 ? *at : data;
	hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
	*end = hole < 0 || hole > size ? size : hole;
	return *at < *end;
}

static int copy_all(int from, int to, off_t size, uint64_t *bytes)
{
	int status = ftruncate(to, size) < 0 ? -errno : 0;

	for (off_t at = 0, end = 0; status == 0 && next_data(from, &at, &end, size); at = end) {
		*bytes += (uint64_t)(end - at);
		status = copy_data(from, to, at, end);
	}
	return status;
}

static int open_regular(int directory, const char *name, struct stat *status)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
		return fd;
	close(fd);
	return -EBADMSG;
}

int filecopy_one(int from, int to, const char *name, uint64_t *bytes)
{
	struct stat file = {.st_size = 0};
	int in = open_regular(from, name, &file), out, status;

	if (in < 0)
		return in;
	out = openat(to, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FMT_FILE_MODE);
	status = out < 0 ? -errno : copy_all(in, out, file.st_size, bytes);
	if (out >= 0)
		close(out);
	close(in);
	return status;
}

/* ---- text */

/* All that is there now. */
static int read_once(int fd, char **text, size_t *len)
{
	struct stat file;
	ssize_t more = 1;

	*text = NULL;
	*len = 0;
	if (fstat(fd, &file) < 0)
		return -EIO;
	if (file.st_size > TEXT_MAX)
		return -EFBIG;
	*text = malloc((size_t)file.st_size + 1);
	if (!*text)
		return -ENOMEM;
	while (*len < (size_t)file.st_size &&
	       (more = pread(fd, *text + *len, (size_t)file.st_size - *len, (off_t)*len)) > 0)
		*len += (size_t)more;
	(*text)[*len] = '\0';
	return more < 0 ? -EIO : 0;
}

/* Read it until it is the same twice: then nothing was written in between. */
static int read_twice(int fd, char **text, size_t *len)
{
	int status = read_once(fd, text, len), is_same = 0;

	for (int i = 0; status == 0 && !is_same && i < READS; i++) {
		char *before = *text;
		size_t len_before = *len;

		if (i > 0)
			usleep(READ_PAUSE_US);
		status = read_once(fd, text, len);
		is_same = status == 0 && *len == len_before && memcmp(*text, before, *len) == 0;
		free(before);
	}
	if (status < 0)
		free(*text);
	return status;
}

int filecopy_read(int directory, const char *name, char **text, size_t *len)
{
	struct stat file = {.st_size = 0};
	int fd = open_regular(directory, name, &file), status;

	if (fd < 0)
		return fd;
	status = read_twice(fd, text, len);
	close(fd);
	return status;
}
