/* Wrappers of calls that open files, and of those on names and directories. */
#include "libcollector/io/io_files.h"
#include "libcollector/io/io_record.h"

#include "tests/unit/libcollector/io/calls.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

#define WRAPPED(name) extern __typeof__(name) wrapped_##name
WRAPPED(open);
WRAPPED(open64);
WRAPPED(openat);
WRAPPED(creat);
WRAPPED(stat);
WRAPPED(fstat);
WRAPPED(fstatat);
WRAPPED(access);
WRAPPED(unlink);
WRAPPED(rename);
WRAPPED(mkdir);
WRAPPED(rmdir);
WRAPPED(symlink);
WRAPPED(symlinkat);
WRAPPED(readlink);
WRAPPED(truncate);
WRAPPED(ftruncate);
WRAPPED(posix_fallocate);
WRAPPED(opendir);
WRAPPED(fdopendir);
WRAPPED(readdir);
WRAPPED(closedir);
WRAPPED(chmod);
WRAPPED(fchmod);
WRAPPED(getxattr);
WRAPPED(flistxattr);

static char directory[] = "/tmp/xer-names-XXXXXX";

static void setup(void)
{
	calls_setup();
	cr_assert_not_null(mkdtemp(directory));
}

static void teardown(void)
{
	rmdir(directory);
	scratch_remove();
}

TestSuite(io_path, .init = setup, .fini = teardown, .timeout = 30);

/* A path in the directory, in one of several places. */
static const char *path_of(const char *name)
{
	static char paths[4][64];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

Test(io_path, files_are_opened_with_their_mode)
{
	const char *path = path_of("file");
	struct stat status;
	int fd = open("/dev/null", O_RDONLY), other;
	uint32_t null;

	cr_assert_neq(io_file_now(fd), 0);
	null = io_file_known(fd);
	close(fd);
	umask(022);
	cr_expect_eq(wrapped_open(path, O_RDWR | O_CREAT, 0640), fd);
	EXPECT_CALL(OPEN, fd, 0, 0);
	cr_expect_neq(io_file_known(fd), null, "it has the number of another file");
	cr_expect_eq(wrapped_fstat(fd, &status), 0);
	EXPECT_CALL(STAT, fd, 0, 0);
	cr_expect_eq(status.st_mode & 0777, 0640);
	other = wrapped_open64(path, O_RDONLY);
	EXPECT_CALL(OPEN, other, 0, 0);
	cr_expect_eq(io_file_known(other), io_file_known(fd));
	close(other);
	other = wrapped_openat(AT_FDCWD, path, O_RDONLY);
	EXPECT_CALL(OPEN, other, 0, 0);
	close(other);
	other = wrapped_creat(path, 0600);
	EXPECT_CALL(OPEN, other, 0, 0);
	close(other);
	cr_expect_eq(wrapped_open(path_of("none"), O_RDONLY), -1);
	EXPECT_CALL(OPEN, -1, 0, ENOENT);
	cr_expect_eq(wrapped_ftruncate(fd, 10) | wrapped_truncate(path, 4), 0);
	EXPECT_CALL(METADATA, fd, 0, 0);
	EXPECT_CALL(METADATA, -1, 0, 0);
	cr_expect_eq(wrapped_posix_fallocate(fd, -1, 4), EINVAL);
	EXPECT_CALL(METADATA, fd, 0, EINVAL);
	cr_expect_eq(wrapped_fchmod(fd, 0600) | wrapped_chmod(path, 0644), 0);
	EXPECT_CALL(METADATA, fd, 0, 0);
	EXPECT_CALL(METADATA, -1, 0, 0);
	cr_expect_eq(wrapped_getxattr(path, "user.none", NULL, 0), -1);
	cr_expect_eq(calls_next()->func, FMT_io_func_STAT);
	cr_expect_geq(wrapped_flistxattr(fd, NULL, 0), 0);
	EXPECT_CALL(STAT, fd, 0, 0);
	cr_expect_eq(wrapped_unlink(path), 0);
	EXPECT_CALL(METADATA, -1, 0, 0);
	cr_expect_eq(wrapped_stat(path, &status), -1);
	EXPECT_CALL(STAT, -1, 0, ENOENT);
	cr_expect_eq(wrapped_access(path, R_OK), -1);
	EXPECT_CALL(STAT, -1, 0, ENOENT);
	/* Of a descriptor, if there is no path. */
	cr_expect_eq(wrapped_fstatat(fd, "", &status, AT_EMPTY_PATH), 0);
	EXPECT_CALL(STAT, fd, 0, 0);
}

Test(io_path, names_are_those_of_their_paths)
{
	const char *path = path_of("link");
	const struct fmt_io *call;
	uint32_t file;
	char to[8];

	cr_expect_eq(wrapped_symlink("text", path), 0);
	call = calls_next();
	cr_expect_eq(call->func, FMT_io_func_METADATA);
	file = call->file;
	cr_expect_neq(file, 0);
	cr_expect_eq(wrapped_symlink("text", path), -1);
	call = calls_next();
	cr_expect_eq(call->error, EEXIST);
	cr_expect_eq(call->file, file);
	cr_expect_eq(wrapped_readlink(path, to, sizeof(to)), 4);
	call = calls_next();
	cr_expect_eq(call->func, FMT_io_func_STAT);
	cr_expect_eq(call->file, file);
	cr_expect_eq(wrapped_rename(path, path_of("other")), 0);
	cr_expect_eq(calls_next()->file, file);
	cr_expect_eq(wrapped_mkdir(path, 0700), 0);
	cr_expect_eq(calls_next()->file, file);
	cr_expect_eq(wrapped_rmdir(path), 0);
	cr_expect_eq(calls_next()->file, file);
	unlink(path_of("other"));
	EXPECT_NO_CALL();
}

/* The kernel looks at the text first, and not at the name, which may be no pointer then. */
Test(io_path, an_empty_link_has_no_name)
{
	const char *nowhere = (const char *)(uintptr_t)16;
	const struct fmt_io *call;

	cr_expect_eq(wrapped_symlink("", nowhere), -1);
	call = calls_next();
	cr_expect_eq(call->error, ENOENT);
	cr_expect_eq(call->file, 0);
	cr_expect_eq(wrapped_symlinkat("", AT_FDCWD, nowhere), -1);
	cr_expect_eq(calls_next()->file, 0);
}

Test(io_path, directories_are_read)
{
	DIR *list = wrapped_opendir(directory), *other;
	uint32_t file;
	int fd, count = 0;

	cr_assert_not_null(list);
	fd = dirfd(list);
	EXPECT_CALL(DIRECTORY, fd, 0, 0);
	file = io_file_known(fd);
	cr_expect_neq(file, 0);
	while (wrapped_readdir(list)) {
		EXPECT_CALL(DIRECTORY, fd, 0, 0);
		count++;
	}
	EXPECT_CALL(DIRECTORY, fd, 0, 0);
	cr_expect_eq(count, 2, ". and ..");
	cr_expect_eq(wrapped_closedir(list), 0);
	cr_expect_eq(calls_next()->file, file);
	cr_expect_eq(io_file_known(fd), 0);
	cr_expect_null(wrapped_opendir(path_of("none")));
	EXPECT_CALL(DIRECTORY, -1, 0, ENOENT);
	other = wrapped_fdopendir(open(directory, O_RDONLY | O_DIRECTORY));
	EXPECT_CALL(DIRECTORY, dirfd(other), 0, 0);
	closedir(other);
	cr_expect_null(wrapped_fdopendir(-1));
	EXPECT_CALL(DIRECTORY, -1, 0, EBADF);
}
