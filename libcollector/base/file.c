/* file.c: descriptors that survive whatever the target does to descriptors. See file.h.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/file.h"

#include "libcollector/base/collector.h"

#include "format/retry.h"

#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <unistd.h>

enum { HIGH_FD = 960, HIGH_FD_MARGIN = 64 };

/* A directory, and where it is found again. */
struct place {
	struct col_file file;
	const char *name;
};

static struct place founder = {.file = {.fd = -1}};
static struct place own = {.file = {.fd = -1}};
static char own_name[NAME_MAX + 1];

/* High numbers do not disturb what the program expects, and up to 1024 the kernel's table does not
 * grow. If few descriptors are allowed, ours count among them: but at least the first ones that the
 * program opens have the numbers that it may expect. */
static int high_fd(void)
{
	struct rlimit limit;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0 ||
	    limit.rlim_cur >= HIGH_FD + HIGH_FD_MARGIN)
		return HIGH_FD;
	return (int)(limit.rlim_cur > 2 * HIGH_FD_MARGIN ? limit.rlim_cur - HIGH_FD_MARGIN
	                                                 : limit.rlim_cur / 2);
}

/* Give the file a high number instead of `fd`. The program may have taken all of the highest. A low
 * number would change the numbers that the program gets, so the file is given up instead. Returns
 * the number or -errno. */
static int move_up(int fd)
{
	long high = -EMFILE;

	for (int least = high_fd(); high < 0 && least > STDERR_FILENO; least /= 2)
		high = SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
	sys_close(fd);
	return (int)high;
}

/* Far from where programs' files are. */
static int32_t tag_of(const struct stat *status)
{
	uint64_t hash = ((uint64_t)status->st_ino ^ (uint64_t)status->st_dev << 32) *
	                0x9e3779b97f4a7c15u;

	return (int32_t)(1u << 30 | hash >> 34);
}

static void set_tag(struct col_file *file, const struct stat *status)
{
	int32_t tag = tag_of(status);

	if (S_ISREG(status->st_mode))
		file->tag = sys_seek(file->fd, tag, SEEK_SET) == tag ? tag : 0;
}

int col_file_take(struct col_file *file, int fd)
{
	struct stat status;
	long error;

	fd = move_up(fd);
	if (fd < 0)
		return fd;
	error = sys_fstat(fd, &status);
	if (error < 0) {
		sys_close(fd);
		return (int)error;
	}
	*file = (struct col_file){.fd = fd, .device = status.st_dev, .inode = status.st_ino};
	set_tag(file, &status);
	return 0;
}

void col_file_make_usable(int fd)
{
	const mode_t needed = S_IRUSR | S_IWUSR;
	struct stat status;

	if (sys_fstat(fd, &status) == 0 && (status.st_mode & needed) != needed)
		SYS2(SYS_fchmod, fd, (status.st_mode & 0777) | needed);
}

static int is_ours(struct col_file *file)
{
	struct stat status;

	if (file->fd < 0)
		return 0;
	if (file->tag && sys_seek(file->fd, 0, SEEK_CUR) == file->tag)
		return 1;
	if (sys_fstat(file->fd, &status) < 0 || status.st_dev != file->device ||
	    status.st_ino != file->inode)
		return 0;
	set_tag(file, &status);
	return 1;
}

int col_file_get(struct col_file *file, const char *name)
{
	struct col_file again;
	long fd;
	int error;

	if (is_ours(file))
		return file->fd;
	fd = sys_openat(col_directory_get(), name, O_RDWR | O_NOFOLLOW, 0);
	if (fd < 0)
		return (int)fd;
	error = col_file_take(&again, (int)fd);
	if (error < 0)
		return error;
	if (again.device != file->device || again.inode != file->inode) {
		sys_close(again.fd);
		return -ESTALE;
	}
	again.reopened = file->reopened + 1;
	*file = again;
	return file->fd;
}

void col_file_close(struct col_file *file)
{
	if (is_ours(file))
		sys_close(file->fd);
	file->fd = -1;
}

static int open_place(struct place *place, int directory)
{
	long fd = sys_openat(directory, place->name, O_RDONLY | O_DIRECTORY, 0);

	return fd < 0 ? (int)fd : col_file_take(&place->file, (int)fd);
}

/* The number may now be a directory of the program, and the path may lead elsewhere. */
static int open_again(struct place *place, int directory)
{
	struct col_file before = place->file;

	if (open_place(place, directory) < 0)
		return -EBADF;
	if (place->file.device == before.device && place->file.inode == before.inode)
		return place->file.fd;
	sys_close(place->file.fd);
	place->file = before;
	return -EBADF;
}

int col_founder_open(void)
{
	founder.name = col.descriptor.directory;
	return open_place(&founder, AT_FDCWD);
}

int col_founder_get(void)
{
	return is_ours(&founder.file) ? founder.file.fd : open_again(&founder, AT_FDCWD);
}

void col_founder_close(void)
{
	col_file_close(&founder.file);
}

int col_directory_open(const char *name)
{
	strcpy(own_name, name);
	own.name = own_name;
	return open_place(&own, col_founder_get());
}

int col_directory_get(void)
{
	if (is_ours(&own.file))
		return own.file.fd;
	return own.name ? open_again(&own, col_founder_get()) : -EBADF;
}

int col_directory_rename(const char *name)
{
	static char names[NAME_MAX + 1]; /* another thread may be reading the old one */
	int error;

	if (!own.name || strcmp(own.name, ".") == 0)
		return -EPERM;
	error = (int)SYS5(SYS_renameat2, col_founder_get(), own.name, col_founder_get(), name,
	                  RENAME_NOREPLACE);
	if (error == 0) {
		strcpy(names, name);
		own.name = names;
	}
	return error;
}

void col_directory_close(void)
{
	col_file_close(&own.file);
	own.name = NULL;
}

/* Some file systems cannot allocate: there, writing zeros does the same. */
static int allocate_by_writing(int fd, uint64_t at, uint64_t len)
{
	static const char zeros[4096];

	while (len > 0) {
		size_t step = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);
		long done = sys_pwrite(fd, zeros, step, at);

		if (done <= 0)
			return done < 0 ? (int)done : -ENOSPC;
		at += (uint64_t)done;
		len -= (uint64_t)done;
	}
	return 0;
}

int col_file_may_grow(uint64_t size)
{
	struct rlimit limit;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && size > limit.rlim_cur)
		return -EFBIG;
	return 0;
}

int col_file_allocate(int fd, uint64_t at, uint64_t len)
{
	long error = col_file_may_grow(at + len);
	unsigned tries = 0;

	if (error < 0)
		return (int)error;
	do
		error = sys_fallocate(fd, at, len);
	while (retry(error == -EINTR, &tries));
	if (error == -EOPNOTSUPP || error == -ENOSYS)
		return allocate_by_writing(fd, at, len);
	return (int)error;
}
