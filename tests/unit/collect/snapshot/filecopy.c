/* Copies of files, with their holes. */
#include "collect/snapshot/filecopy.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static int from, to;
static uint64_t bytes;

static void enter(void)
{
	scratch_enter();
	cr_assert_eq(mkdir("from", 0700), 0);
	cr_assert_eq(mkdir("to", 0700), 0);
	from = open("from", O_RDONLY | O_DIRECTORY);
	to = open("to", O_RDONLY | O_DIRECTORY);
	bytes = 0;
}

static void leave(void)
{
	close(from);
	close(to);
	scratch_leave();
}

TestSuite(filecopy, .init = enter, .fini = leave);

Test(filecopy, holes_stay_holes)
{
	int fd = openat(from, "a", O_RDWR | O_CREAT, 0600);
	struct stat status;
	char byte;

	cr_assert_eq(ftruncate(fd, 64 * MIB), 0);
	cr_assert_eq(pwrite(fd, "x", 1, 5 * MIB), 1);
	cr_assert_eq(pwrite(fd, "y", 1, 40 * MIB + 7), 1);
	close(fd);
	cr_assert_eq(filecopy_one(from, to, "a", &bytes), 0);
	cr_assert_leq(bytes, 2 * MIB);
	fd = openat(to, "a", O_RDONLY);
	cr_assert_eq(fstat(fd, &status), 0);
	cr_expect_eq(status.st_size, 64 * MIB);
	cr_expect_leq(status.st_blocks * 512, 2 * MIB);
	cr_expect_eq(status.st_mode & 0777, 0600);
	cr_assert_eq(pread(fd, &byte, 1, 5 * MIB), 1);
	cr_expect_eq(byte, 'x');
	cr_assert_eq(pread(fd, &byte, 1, 40 * MIB + 7), 1);
	cr_expect_eq(byte, 'y');
	cr_assert_eq(pread(fd, &byte, 1, 50 * MIB), 1);
	cr_expect_eq(byte, 0);
	close(fd);
}

Test(filecopy, an_empty_file_is_one)
{
	struct stat status;

	close(openat(from, "a", O_RDWR | O_CREAT, 0600));
	cr_assert_eq(filecopy_one(from, to, "a", &bytes), 0);
	cr_assert_eq(fstatat(to, "a", &status, 0), 0);
	cr_expect_eq(status.st_size, 0);
	cr_expect_eq(bytes, 0);
}

Test(filecopy, what_is_no_file_of_ours_is_not_copied)
{
	scratch_put("secret", "x", 1, 0600);
	cr_assert_eq(symlinkat("../secret", from, "link"), 0);
	cr_assert_eq(mkfifoat(from, "pipe", 0600), 0);
	cr_assert_eq(mkdirat(from, "dir", 0700), 0);
	cr_expect_eq(filecopy_one(from, to, "link", &bytes), -ELOOP);
	cr_expect_eq(filecopy_one(from, to, "pipe", &bytes), -EBADMSG);
	cr_expect_eq(filecopy_one(from, to, "dir", &bytes), -EBADMSG);
	cr_expect_eq(filecopy_one(from, to, "nothing", &bytes), -ENOENT);
	close(openat(from, "a", O_RDWR | O_CREAT, 0600));
	close(openat(to, "a", O_RDWR | O_CREAT, 0600));
	cr_expect_eq(filecopy_one(from, to, "a", &bytes), -EEXIST);
}

Test(filecopy, texts_are_read_whole)
{
	size_t len;
	char *text;

	scratch_put("from/a", "some text", 9, 0600);
	cr_assert_eq(filecopy_read(from, "a", &text, &len), 0);
	cr_expect_eq(len, 9);
	cr_expect_str_eq(text, "some text");
	free(text);
	cr_expect_eq(filecopy_read(from, "nothing", &text, &len), -ENOENT);
}
