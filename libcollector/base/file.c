/* file.c: descriptors that survive whatever the target does to descriptors. See file.h.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/file.h"

#include "libcollector/base/aside.h"
#include "libcollector/base/collector.h"
#include "libcollector/base/kernel.h"

#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { HIGH_FD = 960, HIGH_FD_MARGIN = 64, AWAY_FD = 512 };

/* A directory, known by device and inode: a path may lead elsewhere by now. */
struct place {
	dev_t device;
	ino_t inode;
	int is_known;
};

static struct place founder, own;

/* The path of the directory of this process, and its name in that. */
struct own_path {
	char path[sizeof(col.descriptor.directory) + 1 + NAME_MAX];
	const char *name;
};
static const struct own_path *_Atomic own_now; /* NULL: it has no directory */

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

/* Open it above the limit of descriptors, all of which the program has taken. Only while nobody
 * sees for a moment what limit the process has. */
static long open_above(int directory, const char *name, int access, mode_t mode)
{
	struct rlimit limit, more;
	long fd = -EMFILE;
	sys_sigset old;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0 ||
	    limit.rlim_cur >= limit.rlim_max || !kernel_sees_one_thread())
		return fd;
	more = limit;
	more.rlim_cur += HIGH_FD_MARGIN;
	if (more.rlim_cur > limit.rlim_max)
		more.rlim_cur = limit.rlim_max;
	sys_block_signals(&old);
	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, NULL) == 0) {
		fd = sys_openat(directory, name, access, mode);
		SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return fd;
}

long col_file_open(int directory, const char *name, int access, mode_t mode)
{
	long fd = sys_openat(directory, name, access, mode);

	return unlikely(fd == -EMFILE) ? open_above(directory, name, access, mode) : fd;
}

static int is_above(int fd)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	       (uint64_t)fd >= limit.rlim_cur;
}

int col_file_are_few(void)
{
	struct rlimit limit;

	return SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	       limit.rlim_cur <= COL_FILE_FEW;
}

/* Where few descriptors are allowed. Where it is closed at once, it may have any number. Returns
 * the number or -errno. */
static long move_up_few(int fd)
{
	long high = -EMFILE;

	if (is_above(fd))
		return fd;
	for (int least = high_fd(); high < 0 && least > STDERR_FILENO; least /= 2)
		high = SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
	if (high < 0 && col_file_are_few())
		return fd;
	sys_close(fd);
	return high;
}

/* Give the file a high number instead of `fd`. The program may have taken all of the highest. A low
 * number would change the numbers that the program gets, so the file is given up instead. Returns
 * the number or -errno. */
int col_file_move_up(int fd)
{
	long high;

	if (fd >= HIGH_FD)
		return fd;
	high = SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (unlikely(high < 0))
		return (int)move_up_few(fd);
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

const char *col_file_path(const char *name, char *out)
{
	const struct own_path *now = atomic_load(&own_now);

	if (!now || strlen(now->path) + 1 + strlen(name) >= COL_FILE_PATH)
		return NULL;
	strcpy(stpcpy(stpcpy(out, now->path), "/"), name);
	return out;
}

int col_file_is_at(const struct col_file *file, const char *path, uint64_t *size)
{
	struct statx status;
	long error = SYS5(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_SIZE,
	                  &status);

	if (error < 0)
		return (int)error;
	*size = status.stx_size;
	return status.stx_ino == file->inode &&
	       makedev(status.stx_dev_major, status.stx_dev_minor) == file->device;
}

/* Has another thread put a file of the program's at the number before it was looked at? */
static int is_of_program(const struct col_file *file, const char *name)
{
	char path[COL_FILE_PATH];
	uint64_t size;

	return col_file_path(name, path) && col_file_is_at(file, path, &size) == 0;
}

int col_file_take(struct col_file *file, const char *name, int fd)
{
	struct stat status;
	long error;

	fd = col_file_move_up(fd);
	if (fd < 0)
		return fd;
	error = sys_fstat(fd, &status);
	if (error < 0) {
		sys_close(fd);
		return (int)error;
	}
	*file = (struct col_file){.fd = fd, .device = status.st_dev, .inode = status.st_ino};
	if (is_of_program(file, name)) { /* who closes it, too */
		file->fd = -1;
		return -EMFILE;
	}
	set_tag(file, &status);
	file->is_brief = col_is_aside() || (fd < HIGH_FD && col_file_are_few() && !is_above(fd));
	return 0;
}

void col_file_make_usable(int fd)
{
	const mode_t needed = S_IRUSR | S_IWUSR;
	struct stat status;

	if (sys_fstat(fd, &status) == 0 && (status.st_mode & needed) != needed)
		SYS2(SYS_fchmod, fd, (status.st_mode & 0777) | needed);
}

int col_file_is_ours(struct col_file *file)
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
	int directory, error;
	long fd;

	if (col_file_is_ours(file))
		return file->fd;
	directory = col_directory_get();
	fd = directory < 0 ? directory : col_file_open(directory, name, O_RDWR | O_NOFOLLOW, 0);
	col_place_done(directory);
	if (fd < 0)
		return (int)fd;
	error = col_file_take(&again, name, (int)fd);
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
	if (col_file_is_ours(file))
		sys_close(file->fd);
	file->fd = -1;
}

/* Below 1024, where the kernel's table of descriptors does not grow: select(2) looks at as many
 * bits of the program's sets as the table has places. */
void col_file_move_away(struct col_file *file)
{
	long away;

	if (file->is_brief || file->fd < HIGH_FD || !kernel_sees_one_thread() ||
	    !col_file_is_ours(file))
		return;
	away = SYS3(SYS_fcntl, file->fd, F_DUPFD_CLOEXEC,
	            AWAY_FD + (int)col_any_of(HIGH_FD - AWAY_FD - 1));
	if (away < 0)
		return;
	sys_close(file->fd);
	file->fd = (int)away;
}

struct use {
	struct col_file *file;
	int (*use)(void *argument);
	void *argument;
};

static int use_and_close(void *argument)
{
	const struct use *it = argument;
	int result = it->use(it->argument);

	if (it->file->is_brief)
		col_file_close(it->file);
	return result;
}

int col_file_with_free(int (*make)(void *argument), void *argument)
{
	int are_few = col_file_are_few(), result = are_few ? -EMFILE : make(argument);
	sys_sigset old;

	if (likely(result != -EMFILE))
		return result;
	sys_block_signals(&old);
	result = col_aside(make, argument);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return result == -EMFILE && are_few ? make(argument) : result;
}

int col_file_use(struct col_file *file, const char *name, int (*use)(void *argument),
                 void *argument)
{
	const struct col_file before = *file;
	struct use it = {file, use, argument};
	int result;

	if (unlikely(col_file_get(file, name) == -EMFILE))
		return col_aside(use_and_close, &it);
	result = use_and_close(&it);
	/* Aside, it is another one, which goes with the thread; ours is still open. */
	if (unlikely(col_is_aside() && before.fd >= 0 && !before.is_brief))
		*file = before;
	return result;
}

static int is_place(const struct place *place, int fd)
{
	struct stat status;

	return place->is_known && sys_fstat(fd, &status) == 0 && status.st_dev == place->device &&
	       status.st_ino == place->inode;
}

/* Open a directory by `access`, O_RDONLY or O_PATH. Returns its descriptor, or -errno. */
static int open_directory(int directory, const char *name, int access)
{
	long fd = col_file_open(directory, name, access | O_DIRECTORY, 0);

	return fd < 0 ? (int)fd : col_file_move_up((int)fd);
}

/* Of the founder, "." for itself. */
static int open_in_founder(const char *name, int access)
{
	int directory, fd;

	if (strcmp(name, ".") == 0)
		return open_directory(AT_FDCWD, col.descriptor.directory, access);
	directory = col_founder_get();
	fd = directory < 0 ? directory : open_directory(directory, name, access);
	col_place_done(directory);
	return fd;
}

/* `fd` was just opened, or is -errno: remember which directory it is, and close it. Returns 0 or
 * -errno. */
static int learn(struct place *place, int fd)
{
	struct stat status;
	int error = fd < 0 ? fd : (int)sys_fstat(fd, &status);

	if (fd >= 0)
		sys_close(fd);
	if (error == 0)
		*place = (struct place){status.st_dev, status.st_ino, 1};
	return error;
}

/* `fd` was just opened, or is -errno: is it the directory that we know? Returns it, or -errno. */
static int check(const struct place *place, int fd)
{
	if (fd < 0 || is_place(place, fd))
		return fd;
	sys_close(fd);
	return -ESTALE;
}

int col_founder_open(void)
{
	return learn(&founder, open_in_founder(".", O_RDONLY));
}

int col_founder_get(void)
{
	return check(&founder, open_in_founder(".", O_PATH));
}

void col_founder_close(void)
{
	founder.is_known = 0;
}

void col_place_done(int fd)
{
	if (fd >= 0 && (is_place(&own, fd) || is_place(&founder, fd)))
		sys_close(fd);
}

static void set_own(struct own_path *to, const char *name)
{
	char *at = stpcpy(to->path, col.descriptor.directory);

	to->name = ".";
	if (strcmp(name, ".") != 0) {
		*at = '/';
		to->name = strcpy(at + 1, name);
	}
	atomic_store(&own_now, to);
}

int col_directory_open(const char *name)
{
	static struct own_path path;
	int error = learn(&own, open_in_founder(name, O_RDONLY));

	if (error == 0)
		set_own(&path, name);
	return error;
}

/* By its path, without its founder: whether it is the right one is seen by its inode. */
int col_directory_get(void)
{
	const struct own_path *now = atomic_load(&own_now);
	int fd = now ? open_directory(AT_FDCWD, now->path, O_PATH) : -EBADF;

	if (unlikely(fd == -ENAMETOOLONG))
		fd = open_in_founder(now->name, O_PATH);
	return check(&own, fd);
}

int col_directory_rename(const char *name)
{
	static struct own_path renamed; /* another thread may be reading the old one */
	const struct own_path *old = atomic_load(&own_now);
	int directory, error;

	if (!old || strcmp(old->name, ".") == 0)
		return -EPERM;
	directory = col_founder_get();
	error = directory < 0 ? directory
	                      : (int)SYS5(SYS_renameat2, directory, old->name, directory, name,
	                                  RENAME_NOREPLACE);
	col_place_done(directory);
	if (error == 0)
		set_own(&renamed, name);
	return error;
}

void col_directory_close(void)
{
	own.is_known = 0;
	atomic_store(&own_now, NULL);
}

int col_file_may_grow(uint64_t size)
{
	struct rlimit limit;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && size > limit.rlim_cur)
		return -EFBIG;
	return 0;
}
