/* Copies: complete or not made at all, readable by no more users than the original, and never
 * through a link. */
#include "experiment/archive/copy.h"

#include "tests/unit/experiment/make_experiment.h"
#include "tests/unit/refused.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct maker maker;
static int directory;

static void set_up(void)
{
	maker_create(&maker);
	umask(0022);
	directory = open(maker.directory, O_RDONLY | O_DIRECTORY);
	fchmod(directory, 0755);
}

static void tear_down(void)
{
	close(directory);
	maker_destroy(&maker);
}

TestSuite(copy, .init = set_up, .fini = tear_down);

static int put(const char *name, const void *bytes, size_t size)
{
	int fd = openat(directory, name, O_RDWR | O_CREAT | O_TRUNC, 0644);

	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

/* The contents of a file; its size in *size. */
static const char *contents(const char *name, size_t *size)
{
	static char bytes[5 << 20];
	int fd = openat(directory, name, O_RDONLY);
	ssize_t got = read(fd, bytes, sizeof(bytes));

	cr_assert_geq(got, 0, "%s", name);
	close(fd);
	*size = (size_t)got;
	return bytes;
}

/* How many entries does the directory have, but for "." and ".."? */
static unsigned count_entries(void)
{
	char command[256];
	unsigned count = 0;
	FILE *list;

	snprintf(command, sizeof(command), "ls -A '%s'", maker.directory);
	list = popen(command, "r");
	for (int c = fgetc(list); c != EOF; c = fgetc(list))
		count += c == '\n';
	pclose(list);
	return count;
}

static void copy_any_size(void)
{
	static const size_t sizes[] = {
		1, 2, 4095, 4096, 4097, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (4 << 20) + 5};
	char *bytes = malloc(5 << 20);

	for (size_t i = 0; i < 5 << 20; i++)
		bytes[i] = (char)(i * 7 + i / 251 + 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int from = put("from", bytes, sizes[i]);
		size_t size;
		const char *got;

		cr_assert_eq(exp_copy(from, directory, "to", 1), 0);
		got = contents("to", &size);
		cr_assert_eq(size, sizes[i]);
		cr_assert_eq(memcmp(got, bytes, size), 0, "%zu bytes", size);
		close(from);
	}
	cr_expect_eq(count_entries(), 3, "test.1.er, from, to: nothing else is left");
	free(bytes);
}

Test(copy, files_of_any_size_are_copied_whole)
{
	copy_any_size();
}

Test(copy, also_where_the_kernel_cannot_copy_between_the_two)
{
	refuse_call(SYS_copy_file_range, EXDEV);
	copy_any_size();
}

/* A hole, data, a hole, data, and a hole up to the end. */
static void copy_holes(void)
{
	enum { STEP = 1 << 20 };
	int from = openat(directory, "holes", O_RDWR | O_CREAT, 0644), to;
	struct stat st;
	char byte = 0;

	cr_assert_eq(pwrite(from, "one", 3, STEP), 3);
	cr_assert_eq(pwrite(from, "two", 3, 3 * STEP), 3);
	cr_assert_eq(ftruncate(from, 5 * STEP + 1), 0);
	cr_assert_eq(exp_copy(from, directory, "copied", 1), 0);
	to = openat(directory, "copied", O_RDONLY);
	cr_assert_eq(fstat(to, &st), 0);
	cr_expect_eq(st.st_size, 5 * STEP + 1);
	cr_expect_leq(st.st_blocks * 512, STEP, "the holes take no room");
	for (off_t at = 0; at <= 5 * STEP; at += STEP) {
		cr_assert_eq(pread(to, &byte, 1, at), 1);
		cr_expect_eq(byte,
		             at == STEP       ? 'o'
		             : at == 3 * STEP ? 't'
		                              : 0,
		             "%lld", (long long)at);
	}
	cr_assert_eq(pread(to, &byte, 1, STEP + 2), 1);
	cr_expect_eq(byte, 'e');
	close(to);
	close(from);
}

Test(copy, holes_stay_holes)
{
	copy_holes();
}

Test(copy, by_hand_too)
{
	refuse_call(SYS_copy_file_range, ENOSYS);
	copy_holes();
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	cr_assert_eq(fstatat(directory, name, &st, 0), 0);
	return st.st_mode & 07777;
}

Test(copy, who_may_not_read_the_original_may_not_read_the_copy)
{
	int from = put("from", "secret", 6);

	cr_assert_eq(exp_copy(from, directory, "open", 0), 0);
	cr_expect_eq(mode_of("open"), 0644);
	cr_assert_eq(fchmod(directory, 0750), 0);
	cr_assert_eq(exp_copy(from, directory, "group", 0), 0);
	cr_expect_eq(mode_of("group"), 0640, "others may not read the directory");
	cr_assert_eq(fchmod(directory, 0700), 0);
	cr_assert_eq(exp_copy(from, directory, "private", 0), 0);
	cr_expect_eq(mode_of("private"), 0600);
	cr_assert_eq(fchmod(from, 0640), 0);
	cr_assert_eq(exp_copy(from, directory, "closed", 0), 0);
	cr_expect_eq(mode_of("closed"), 0600);
	close(from);
}

Test(copy, what_is_added_has_the_rights_and_the_owner_of_the_directory)
{
	struct stat st;
	int made;

	cr_assert_eq(fchmod(directory, 0750), 0);
	cr_assert_eq(exp_copy_text("text", directory, "text"), 0);
	cr_expect_eq(mode_of("text"), 0640);
	made = exp_copy_subdirectory(directory, "archives");
	cr_assert_geq(made, 0);
	close(made);
	cr_expect_eq(mode_of("archives"), 0750);
	if (geteuid() != 0)
		return; /* nobody else can give files away */
	cr_assert_eq(fchown(directory, 4711, 4712), 0);
	cr_assert_eq(exp_copy_text("text", directory, "theirs"), 0);
	cr_assert_eq(fstatat(directory, "theirs", &st, 0), 0);
	cr_expect(st.st_uid == 4711 && st.st_gid == 4712);
	made = put("private", "secret", 6);
	cr_assert_eq(fchmod(made, 0600), 0);
	cr_assert_eq(exp_copy(made, directory, "secret", 0), 0);
	close(made);
	cr_assert_eq(fstatat(directory, "secret", &st, 0), 0);
	cr_expect(st.st_uid == 0 && (st.st_mode & 0777) == 0600);
}

Test(copy, what_is_there_is_kept_unless_it_is_to_be_replaced)
{
	int from = put("from", "new", 3);
	size_t size;

	close(put("to", "old", 3));
	cr_assert_eq(exp_copy(from, directory, "to", 0), 0);
	cr_expect_eq(memcmp(contents("to", &size), "old", 3), 0);
	cr_assert_eq(exp_copy(from, directory, "to", 1), 0);
	cr_expect_eq(memcmp(contents("to", &size), "new", 3), 0);
	cr_expect_eq(size, 3);
	cr_expect_eq(count_entries(), 3);
	close(from);
}

Test(copy, what_is_no_file_is_not_taken_for_one)
{
	int from = put("from", "new", 3);

	cr_assert_eq(mkdirat(directory, "to", 0755), 0);
	cr_expect_eq(exp_copy(from, directory, "to", 0), -EEXIST);
	cr_expect_not(exp_copy_exists(directory, "to"));
	cr_assert_eq(symlinkat("from", directory, "link"), 0);
	cr_expect_not(exp_copy_exists(directory, "link"));
	cr_expect_eq(exp_copy(from, directory, "link", 0), -EEXIST);
	cr_expect(exp_copy_exists(directory, "from"));
	cr_expect_not(exp_copy_exists(directory, "none"));
	close(from);
}

Test(copy, texts_are_written_whole)
{
	char text[70000];
	size_t size;

	memset(text, 't', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	close(put("name", "before", 6));
	cr_assert_eq(exp_copy_text("a text", directory, "name"), 0);
	cr_expect_eq(memcmp(contents("name", &size), "a text", 6), 0);
	cr_expect_eq(size, 6);
	cr_expect_eq(mode_of("name"), 0644);
	cr_assert_eq(exp_copy_text(text, directory, "name"), 0);
	cr_expect_eq(memcmp(contents("name", &size), text, sizeof(text) - 1), 0);
	cr_expect_eq(size, sizeof(text) - 1);
	cr_expect_eq(exp_copy_text("x", directory, "none/name"), -ENOENT);
	cr_expect_eq(count_entries(), 2);
}

/* Write, and let the lowest descriptor be free, as another thread might. */
static int write_and_free_0(void *context, int to)
{
	(void)context;
	cr_expect_eq(write(to, "new", 3), 3);
	close(0);
	errno = EIO;
	return 0;
}

Test(copy, any_descriptor_may_hold_the_lock)
{
	size_t size;
	int from;

	/* The directory is not what is closed. */
	directory = dup(directory);
	close(0);
	input_open();
	from = put("from", "new", 3);
	cr_assert_eq(exp_copy_with(from, directory, "to", 1, write_and_free_0, NULL), 0);
	cr_expect_eq(memcmp(contents("to", &size), "new", 3), 0);
	cr_assert_eq(open("/dev/null", O_RDONLY), 0);
	cr_expect_eq(count_entries(), 3, "nothing else is left");
	close(0);
	close(from);
}

Test(copy, a_place_that_cannot_be_written_to_is_told)
{
	int from = put("from", "new", 3);

	cr_expect_eq(exp_copy(from, -1, "to", 0), -EBADF);
	cr_expect_eq(exp_copy(from, directory, "none/to", 0), -ENOENT);
	close(from);
	cr_expect_eq(exp_copy(-1, directory, "to", 0), -EBADF);
	cr_expect_not(exp_copy_exists(directory, "to"));
	cr_expect_eq(count_entries(), 2, "nothing is left of it");
}

Test(copy, a_subdirectory_is_made_once_and_is_none_behind_a_link)
{
	int first, second;

	first = exp_copy_subdirectory(directory, "sub");
	cr_assert_geq(first, 0);
	close(openat(first, ".tmp.12.3", O_WRONLY | O_CREAT, 0600));
	close(openat(first, "kept", O_WRONLY | O_CREAT, 0600));
	second = exp_copy_subdirectory(directory, "sub");
	cr_assert_geq(second, 0);
	cr_expect_not(exp_copy_exists(second, ".tmp.12.3"), "it is swept");
	cr_expect(exp_copy_exists(second, "kept"));
	cr_expect_eq(mode_of("sub"), 0755);
	close(first);
	close(second);
	cr_assert_eq(symlinkat("sub", directory, "link"), 0);
	cr_expect_eq(exp_copy_subdirectory(directory, "link"), -ENOTDIR);
	cr_expect_eq(exp_copy_subdirectory(directory, "none/sub"), -ENOENT);
	close(put("file", "x", 1));
	cr_expect_eq(exp_copy_subdirectory(directory, "file"), -ENOTDIR);
}

/* An archiver holds a lock on the file that it writes. */
Test(copy, what_is_being_written_is_not_swept)
{
	int held = openat(directory, ".tmp.12.3", O_WRONLY | O_CREAT, 0600);

	cr_assert_eq(flock(held, LOCK_EX), 0);
	cr_assert_eq(symlinkat("elsewhere", directory, ".tmp.12.4"), 0);
	cr_assert_eq(mkdirat(directory, ".tmp.12.5", 0755), 0);
	exp_copy_sweep(directory);
	cr_expect(exp_copy_exists(directory, ".tmp.12.3"));
	cr_expect_eq(faccessat(directory, ".tmp.12.5", F_OK, 0), 0);
	cr_assert_eq(flock(held, LOCK_UN), 0);
	exp_copy_sweep(directory);
	cr_expect_not(exp_copy_exists(directory, ".tmp.12.3"));
	cr_expect_eq(count_entries(), 3);
	close(held);
}
