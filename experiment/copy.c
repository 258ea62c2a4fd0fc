/* copy.c: copies files into archives: under a temporary name first, then linked to its own, so
 * that other processes that archive the same file at the same moment do no harm. */
#include "experiment/copy.h"

#include "format/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, KERNEL_CHUNK = 1 << 30 };

static int write_all(int fd, const char *bytes, size_t len)
{
	unsigned tries = 0;

	while (len > 0) {
		ssize_t put = write(fd, bytes, len);

		if (retry(put < 0 && errno == EINTR, &tries))
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		len -= (size_t)put;
	}
	return 0;
}

static int copy_by_hand(int from, int to)
{
	char *buffer = malloc(CHUNK);
	int rc = buffer == NULL ? -ENOMEM : 0;
	unsigned tries = 0;
	ssize_t got = 0;

	while (rc == 0) {
		got = read(from, buffer, CHUNK);
		if (retry(got < 0 && errno == EINTR, &tries))
			continue;
		if (got <= 0)
			break;
		rc = write_all(to, buffer, (size_t)got);
	}
	if (rc == 0 && got < 0)
		rc = -errno;
	free(buffer);
	return rc;
}

static int copy_bytes(int from, int to)
{
	ssize_t got;

	if (lseek(from, 0, SEEK_SET) != 0)
		return -errno;
	while ((got = copy_file_range(from, NULL, to, NULL, KERNEL_CHUNK, 0)) > 0)
		;
	/* Between some file systems the kernel refuses, or copies nothing; what is left goes by
	 * hand. */
	if (got < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
		return -errno;
	return copy_by_hand(from, to);
}

static int publish(int directory, const char *temporary, const char *name, int rewrite)
{
	if (rewrite)
		return renameat(directory, temporary, directory, name) == 0 ? 0 : -errno;
	if (linkat(directory, temporary, directory, name, 0) == 0 || errno == EEXIST)
		return 0;
	/* No hard links here: then the last one of several archivers wins, with the same
	 * contents. */
	return renameat(directory, temporary, directory, name) == 0 ? 0 : -errno;
}

/* Open a temporary file. Returns its descriptor, or -errno. */
static int open_temporary(int directory, char *name, size_t size, mode_t mode)
{
	static unsigned serial;
	int fd;

	snprintf(name, size, ".tmp.%ld.%u", (long)getpid(), ++serial);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	return fd < 0 ? -errno : fd;
}

/* An archive may be for more eyes than what is copied into it, and made by somebody who may read everything. */
static mode_t mode_of_copy(int from)
{
	struct stat st;

	return fstat(from, &st) == 0 && st.st_mode & S_IROTH ? 0644 : 0600;
}

int exp_copy(int from, int directory, const char *name, int rewrite)
{
	char temporary[64];
	int to = open_temporary(directory, temporary, sizeof(temporary), mode_of_copy(from));
	int rc;

	if (to < 0)
		return to;
	rc = copy_bytes(from, to);
	if (close(to) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0)
		rc = publish(directory, temporary, name, rewrite);
	unlinkat(directory, temporary, 0);
	return rc;
}

int exp_copy_text(const char *text, int directory, const char *name)
{
	char temporary[64];
	int to = open_temporary(directory, temporary, sizeof(temporary), 0644);
	int rc;

	if (to < 0)
		return to;
	rc = write_all(to, text, strlen(text));
	if (close(to) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0)
		rc = publish(directory, temporary, name, 1);
	unlinkat(directory, temporary, 0);
	return rc;
}

int exp_copy_exists(int directory, const char *name)
{
	struct stat st;

	return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

int exp_copy_subdirectory(int directory, const char *name)
{
	int fd;

	if (mkdirat(directory, name, 0755) != 0 && errno != EEXIST)
		return -errno;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
