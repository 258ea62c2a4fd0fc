/* remove.c: deletes experiments for -O and after failures. All steps are relative to open
 * directories, so that a path that changes meanwhile leads nowhere else. */
#include "collect/experiment/remove.h"

#include "format/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static int is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int remove_entry(int parent, const char *name)
{
	int fd, status;

	if (unlinkat(parent, name, 0) == 0)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	fd = openat(parent, name, DIRECTORY_FLAGS);
	if (fd < 0)
		return -errno;
	status = remove_contents(fd);
	close(fd);
	if (status == 0 && unlinkat(parent, name, AT_REMOVEDIR) < 0)
		status = -errno;
	return status;
}

/* Delete all but the entry `kept`, which may be NULL. */
static int remove_all_but(int fd, const char *kept)
{
	int copy = openat(fd, ".", DIRECTORY_FLAGS);
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int status = 0;

	if (!directory)
		return -errno;
	for (entry = readdir(directory); entry && status == 0; entry = readdir(directory))
		if (!is_dots(entry->d_name) && !(kept && strcmp(entry->d_name, kept) == 0))
			status = remove_entry(fd, entry->d_name);
	closedir(directory);
	return status;
}

int remove_contents(int fd)
{
	return remove_all_but(fd, NULL);
}

/* 0 if the open directory may be deleted. */
static int check_experiment(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int log = openat(fd, FMT_FILE_LOG, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int status = 0;

	if (log < 0)
		return errno == ENOENT ? -EINVAL : -errno;
	if (fcntl(log, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		status = -EBUSY;
	close(log);
	return status;
}

int remove_experiment(const char *path)
{
	int fd, status;

	if (rmdir(path) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	fd = open(path, DIRECTORY_FLAGS);
	if (fd < 0)
		return -errno;
	status = check_experiment(fd);
	/* The log goes last: what an interruption leaves can be deleted by the next attempt. */
	if (status == 0)
		status = remove_all_but(fd, FMT_FILE_LOG);
	if (status == 0)
		status = remove_contents(fd);
	close(fd);
	if (status == 0 && rmdir(path) < 0)
		status = -errno;
	return status;
}
