/* copy.c: copies files into archives: under a temporary name first, then linked to their own, so
 * that other processes that archive the same file at the same moment do no harm. The writer of a
 * temporary file holds its lock, so a file that a killed archiver has left can be recognized on any
 * machine. */
#include "experiment/archive/copy.h"

#include "experiment/base/internal.h"
#include "format/layout.h"
#include "format/retry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".tmp."

enum { NAMES_MAX = 1000 };
enum { CHUNK = 1 << 20, KERNEL_CHUNK = 1 << 30 };

/* A file that ends earlier than it did was truncated during the copy. */
static int copy_by_hand(int from, int to, off_t size)
{
	char *buffer = malloc(CHUNK);
	int rc = !buffer ? -ENOMEM : 0;
	unsigned tries = 0;

	while (rc == 0 && size > 0) {
		ssize_t got = read(from, buffer, size < CHUNK ? (size_t)size : CHUNK);

		if (retry_call(got, &tries))
			continue;
		if (got <= 0)
			rc = got < 0 ? -errno : -ESTALE;
		else
			rc = exp_bytes_write(to, buffer, (size_t)got);
		size -= got;
	}
	free(buffer);
	return rc;
}

/* Copy so many bytes from the current positions of both files. */
static int copy_part(int from, int to, off_t size)
{
	ssize_t got = 1;

	while (size > 0 &&
	       (got = copy_file_range(from, NULL, to, NULL,
	                              size < KERNEL_CHUNK ? (size_t)size : KERNEL_CHUNK, 0)) > 0)
		size -= got;
	/* Between some file systems the kernel refuses, or copies nothing; what is left goes by
	 * hand. That also finds errors of the disk again, which are then the result. */
	return copy_by_hand(from, to, size);
}

/* Holes stay holes: a file without blocks may have any size. */
static int copy_bytes(int from, int to)
{
	off_t end = lseek(from, 0, SEEK_END), hole = 0;
	int rc = end < 0 ? -errno : 0;

	while (rc == 0 && hole < end) {
		off_t data = lseek(from, hole, SEEK_DATA);

		if (data < 0 && errno == ENXIO)
			break; /* a hole up to the end */
		if (data < 0)
			data = hole; /* this file system tells of none */
		hole = lseek(from, data, SEEK_HOLE);
		if (hole <= data || hole > end)
			hole = end;
		if (lseek(from, data, SEEK_SET) != data || lseek(to, data, SEEK_SET) != data)
			rc = -errno;
		if (rc == 0)
			rc = copy_part(from, to, hole - data);
	}
	if (rc == 0 &&
	    lseek(from, 0, SEEK_END) < end) /* what was taken for a hole may have been cut off */
		rc = -ESTALE;
	return rc != 0 || ftruncate(to, end) == 0 ? rc : -errno;
}

/* An existing file of that name is the same file, if it is a regular file. */
static int publish(int directory, const char *temporary, const char *name, int rewrite)
{
	if (rewrite)
		return renameat(directory, temporary, directory, name) == 0 ? 0 : -errno;
	if (linkat(directory, temporary, directory, name, 0) == 0)
		return 0;
	if (errno == EEXIST)
		return exp_copy_exists(directory, name) ? 0 : -EEXIST;
	/* No hard links here: then the last one of several archivers wins, with the same
	 * contents. */
	return renameat(directory, temporary, directory, name) == 0 ? 0 : -errno;
}

/* Lock a file that was just created. Returns 0 if another process has deleted it before. */
static int hold(int fd)
{
	struct stat st;

	flock(fd, LOCK_EX); /* where there are no locks, nothing is swept */
	return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

mode_t exp_copy_mode(int directory)
{
	struct stat st;

	return fstat(directory, &st) == 0 ? st.st_mode & (S_IRGRP | S_IROTH) : 0;
}

void exp_copy_give(int made, int directory)
{
	struct stat st, own;

	if (fstat(directory, &st) != 0 || fstat(made, &own) != 0 || st.st_uid == own.st_uid)
		return;
	if (fchown(made, st.st_uid, st.st_gid) != 0) /* only root may: it stays ours */
		return;
}

/* Open a temporary file. Returns its descriptor, or -errno. Names with our number may be those of a
 * killed archiver, where nothing is swept, or of one in another namespace. */
static int open_temporary(int directory, char *name, size_t size, mode_t mode)
{
	static unsigned serial;

	for (int i = 0; i < NAMES_MAX; i++) {
		int fd;

		snprintf(name, size, TEMPORARY "%ld.%u", (long)getpid(), ++serial);
		fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		            mode);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -errno;
		if (hold(fd))
			return fd;
		close(fd);
	}
	return -EBUSY;
}

static int is_temporary(const char *name)
{
	static const char digits[] = "0123456789";
	const char *number = name + strlen(TEMPORARY), *serial;

	if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) != 0)
		return 0;
	serial = number + strspn(number, digits);
	return serial > number && serial[0] == '.' && serial[1] != '\0' &&
	       serial[1 + strspn(serial + 1, digits)] == '\0';
}

static void sweep_one(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(directory, name, 0);
	close(fd);
}

void exp_copy_sweep(int directory)
{
	int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;

	if (!entries) {
		if (own >= 0)
			close(own);
		return;
	}
	while ((entry = readdir(entries)))
		if (is_temporary(entry->d_name))
			sweep_one(directory, entry->d_name);
	closedir(entries);
}

/* If the maker can read everything, those who may read the archive may be others than those who may
 * read the file. */
static int is_for_all(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && st.st_mode & S_IROTH;
}

/* Close what has been written with the result `rc`, and give it its name. Some file systems tell of
 * a full disk only when a file is closed, so that comes first; a second descriptor holds the lock
 * meanwhile. Returns 0 or -errno. */
static int finish(int to, int rc, int directory, const char *temporary, const char *name,
                  int rewrite)
{
	int lock = fcntl(to, F_DUPFD_CLOEXEC, 0);

	if (rc == 0 && lock < 0)
		rc = -errno;
	if (close(to) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0)
		rc = publish(directory, temporary, name, rewrite);
	unlinkat(directory, temporary, 0);
	if (lock >= 0)
		close(lock);
	return rc;
}

int exp_copy_with(int from, int directory, const char *name, int rewrite,
                  int (*write)(void *context, int to), void *context)
{
	char temporary[64];
	int is_open = is_for_all(from);
	int to = open_temporary(directory, temporary, sizeof(temporary),
	                        FMT_FILE_MODE | (is_open ? exp_copy_mode(directory) : 0));

	if (to < 0)
		return to;
	if (is_open)
		exp_copy_give(to, directory);
	return finish(to, write(context, to), directory, temporary, name, rewrite);
}

static int write_plain(void *context, int to)
{
	const int *from = context;

	return copy_bytes(*from, to);
}

int exp_copy(int from, int directory, const char *name, int rewrite)
{
	return exp_copy_with(from, directory, name, rewrite, write_plain, &from);
}

int exp_copy_made(int directory, const char *name, mode_t mode, int (*write)(void *context, int to),
                  void *context)
{
	char temporary[64];
	int to = open_temporary(directory, temporary, sizeof(temporary), FMT_FILE_MODE), rc;

	if (to < 0)
		return to;
	exp_copy_give(to, directory);
	rc = fchmod(to, mode) != 0 ? -errno : 0;
	if (rc == 0)
		rc = write(context, to);
	return finish(to, rc, directory, temporary, name, 1);
}

int exp_copy_text(const char *text, int directory, const char *name)
{
	char temporary[64];
	int to = open_temporary(directory, temporary, sizeof(temporary),
	                        FMT_FILE_MODE | exp_copy_mode(directory));

	if (to < 0)
		return to;
	exp_copy_give(to, directory);
	return finish(to, exp_bytes_write(to, text, strlen(text)), directory, temporary, name, 1);
}

int exp_copy_exists(int directory, const char *name)
{
	struct stat st;

	return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

int exp_copy_subdirectory(int directory, const char *name)
{
	mode_t readers = exp_copy_mode(directory);
	int is_new = mkdirat(directory, name, FMT_DIRECTORY_MODE | readers | readers >> 2) == 0;
	int fd;

	if (!is_new && errno != EEXIST)
		return -errno;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_new)
		exp_copy_give(fd, directory);
	exp_copy_sweep(fd);
	return fd;
}
