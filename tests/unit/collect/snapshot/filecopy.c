/* Copies of files, with their holes. */
#include "collect/snapshot/filecopy.h"
#include "tests/unit/collect/scratch.h"
#include "tests/unit/refused.h"

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

/* A file of some more than 3 MiB of data, of which no two parts are alike. */
static void expect_whole_copy(void)
{
	enum { NUMBERS = (3 * MIB + 12) / 4 };
	uint32_t *put = malloc(NUMBERS * sizeof(*put)), *got = calloc(NUMBERS + 1, sizeof(*got));
	int fd = openat(from, "whole", O_RDWR | O_CREAT, 0600);

	for (uint32_t i = 0; i < NUMBERS; i++)
		put[i] = i + 1;
	cr_assert_eq(write(fd, put, NUMBERS * sizeof(*put)), NUMBERS * sizeof(*put));
	close(fd);
	bytes = 5;
	cr_assert_eq(filecopy_one(from, to, "whole", &bytes), 0);
	cr_expect_eq(bytes, 5 + NUMBERS * sizeof(*put), "they are added");
	fd = openat(to, "whole", O_RDONLY);
	cr_assert_eq(read(fd, got, (NUMBERS + 1) * sizeof(*got)), NUMBERS * sizeof(*got));
	close(fd);
	cr_expect_eq(memcmp(put, got, NUMBERS * sizeof(*put)), 0);
	free(put);
	free(got);
}

Test(filecopy, all_data_are_copied)
{
	expect_whole_copy();
}

Test(filecopy, where_the_kernel_cannot_copy_between_the_two_it_goes_by_memory)
{
	refuse_call(SYS_copy_file_range, EXDEV);
	expect_whole_copy();
}

Test(filecopy, a_full_disk_is_told)
{
	close(openat(from, "a", O_RDWR | O_CREAT, 0600));
	scratch_put("from/a", "text", 4, 0600);
	refuse_call(SYS_copy_file_range, ENOSPC);
	cr_expect_eq(filecopy_one(from, to, "a", &bytes), -ENOSPC);
}

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
