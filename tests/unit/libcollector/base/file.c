/* Descriptors that survive a program that closes or replaces descriptors, and the files behind
 * them. */
#include "libcollector/base/file.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(file, .init = scratch_open, .fini = scratch_remove);

Test(file, replaced_descriptor_is_noticed_and_opened_again)
{
	struct col_file file = {.fd = -1};
	int fd = openat(col_directory_get(), "data", O_CREAT | O_RDWR, 0600);
	int other = open("/dev/null", O_RDWR);
	int again;

	cr_assert(col_file_take(&file, "data", fd) == 0);
	cr_assert_geq(file.fd, 100);
	cr_assert_eq(col_file_get(&file, "data"), file.fd);
	cr_expect_neq(file.tag, 0, "a file has a tag");
	lseek(file.fd, 7, SEEK_SET); /* this position must not count */
	cr_assert_eq(col_file_get(&file, "data"), file.fd);
	cr_expect_eq(file.reopened, 0);
	cr_expect_eq(lseek(file.fd, 0, SEEK_CUR), file.tag);
	dup2(other, file.fd);
	again = col_file_get(&file, "data");
	cr_assert_geq(again, 0);
	cr_assert(write(again, "x", 1) == 1);
	close(again);
	cr_assert_geq(col_file_get(&file, "data"), 0);
	unlinkat(col_directory_get(), "data", 0);
	close(file.fd);
	cr_assert_eq(col_file_get(&file, "data"), -ENOENT);
}

/* A file of the directory, whose descriptor the program has taken. */
static struct col_file take(const char *name)
{
	struct col_file file = {.fd = -1};
	int directory = col_directory_get();
	int fd = openat(directory, name, O_CREAT | O_RDWR, 0600);

	col_place_done(directory);
	cr_assert_eq(col_file_take(&file, name, fd), 0);
	cr_assert_eq(fcntl(fd, F_GETFD), -1, "it has another number");
	return file;
}

Test(file, it_has_a_high_number_that_programs_do_not_inherit)
{
	struct col_file file = take("data"), second = take("data");
	struct stat status;

	cr_assert_geq(file.fd, 960);
	cr_assert_lt(file.fd, 1024);
	cr_assert_eq(fcntl(file.fd, F_GETFD), FD_CLOEXEC);
	cr_assert_eq(fstat(file.fd, &status), 0);
	cr_assert(file.device == status.st_dev && file.inode == status.st_ino);
	cr_assert_geq(file.tag, 1 << 30, "far from where programs' files are");
	cr_assert_eq(second.tag, file.tag, "it is that of the file");
	cr_assert_neq(second.fd, file.fd);
}

static int number_with_limit(rlim_t limit)
{
	struct rlimit limits = {limit, limit};
	struct col_file file;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limits), 0);
	file = take("data");
	close(file.fd);
	return file.fd;
}

/* 960 if that is allowed, else 64 below the limit, or half of it. */
Test(file, where_few_descriptors_are_allowed_it_has_one_of_the_highest)
{
	int least = number_with_limit(1100);

	cr_assert(least >= 960 && least < 1024);
	cr_assert_eq(number_with_limit(1024), least);
	cr_assert_geq(number_with_limit(1000), 960);
	cr_assert_eq(number_with_limit(960), 960 - 64);
	cr_assert_eq(number_with_limit(200), 200 - 64);
	cr_assert_eq(number_with_limit(129), 129 - 64);
	cr_assert_eq(number_with_limit(128), 64);
	cr_assert_eq(number_with_limit(100), 50);
}

/* The number that a file gets if all numbers from `least` on but one are taken. In a child, as the
 * test's own descriptors are among them. */
static int number_with_all_taken_from(int least)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct rlimit limits = {100, 100};
		struct col_file file = {.fd = -1};
		int fd = open("/dev/null", O_RDWR);

		setrlimit(RLIMIT_NOFILE, &limits);
		dup2(fd, least - 1);
		for (int at = least; at < 100; at++)
			dup2(least - 1, at);
		close(1);
		fd = col_file_take(&file, "none", least - 1);
		_exit(fd < 0 ? -fd : file.fd);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* All descriptors that are allowed are taken. With a thread more nothing is changed, as others
 * could see it. */
static void *open_with_all_taken(void *hard)
{
	struct rlimit limits = {100, *(rlim_t *)hard};
	int taken = open("/dev/null", O_RDWR);

	setrlimit(RLIMIT_NOFILE, &limits);
	for (int at = taken + 1; at < 100; at++)
		dup2(taken, at);
	return (void *)col_file_open(AT_FDCWD, "/dev/zero", O_RDONLY, 0);
}

static int number_above(rlim_t hard, int is_threaded)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		void *number;
		pthread_t thread;
		struct rlimit now;

		if (!is_threaded)
			number = open_with_all_taken(&hard);
		else if (pthread_create(&thread, NULL, open_with_all_taken, &hard) ||
		         pthread_join(thread, &number))
			_exit(0);
		getrlimit(RLIMIT_NOFILE, &now);
		_exit(now.rlim_cur != 100 || now.rlim_max != hard ? 1
		      : (long)number < 0                          ? -(int)(long)number
		                                                  : (int)(long)number);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

Test(file, when_all_numbers_are_taken_it_has_one_above_the_limit)
{
	cr_assert_eq(number_above(200, 0), 100);
	cr_assert_eq(number_above(101, 0), 100);
	cr_assert_eq(number_above(100, 0), EMFILE, "it may not be raised");
	cr_assert_eq(number_above(200, 1), EMFILE, "the other thread could see it");
}

/* Better none than one that the program relies on. */
Test(file, when_the_high_numbers_are_taken_it_has_a_lower_one)
{
	int number = number_with_all_taken_from(50);

	cr_assert(number >= 25 && number < 49, "%d", number);
	number = number_with_all_taken_from(26);
	cr_assert(number >= 12 && number < 25, "%d", number);
	cr_assert_eq(number_with_all_taken_from(4), EMFILE, "1 is free, and stays so");
}

Test(file, another_file_under_its_name_is_not_taken_for_it)
{
	struct col_file file = take("data");
	int number = file.fd, other, directory = col_directory_get();

	renameat(directory, "data", directory, "elsewhere");
	cr_assert_eq(col_file_get(&file, "data"), number, "it is open");
	close(number);
	cr_assert_eq(col_file_get(&file, "data"), -ENOENT);
	other = openat(directory, "data", O_CREAT | O_RDWR, 0600);
	cr_assert_eq(col_file_get(&file, "data"), -ESTALE);
	cr_assert_eq(fcntl(number, F_GETFD), -1, "none stays open");
	close(other);
	cr_assert_eq(col_file_get(&file, "elsewhere"), number);
	cr_assert_eq(file.reopened, 1);
	unlinkat(directory, "data", 0);
	cr_assert_eq(symlinkat("elsewhere", directory, "data"), 0);
	close(number);
	cr_assert_eq(col_file_get(&file, "data"), -ELOOP);
}

Test(file, only_what_is_ours_is_closed)
{
	struct col_file file = take("data"), second = take("data");
	int number = file.fd, other = open("/dev/null", O_RDWR);

	col_file_close(&second);
	cr_assert_eq(second.fd, -1);
	dup2(other, number);
	col_file_close(&file);
	cr_assert_eq(file.fd, -1);
	cr_assert_eq(fcntl(number, F_GETFD), 0, "the program's");
	col_file_close(&file);
}

Test(file, its_owner_may_read_and_write_it_whatever_the_umask)
{
	struct stat status;
	int fd = openat(col_directory_get(), "data", O_CREAT | O_RDWR, 0044);

	fchmod(fd, 0044);
	col_file_make_usable(fd);
	fstat(fd, &status);
	cr_assert_eq(status.st_mode & 07777, 0644);
	fchmod(fd, 0600);
	col_file_make_usable(fd);
	fstat(fd, &status);
	cr_assert_eq(status.st_mode & 07777, 0600);
}

/* ---- directories */

/* The number of open directories. */
static int open_directories(void)
{
	struct stat status;
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
	return count;
}

Test(file, directories_are_open_for_a_moment_only)
{
	int before = open_directories(), founder = col_founder_get(), own = col_directory_get();

	cr_assert(founder >= 960 && own >= 960 && founder != own);
	cr_assert_eq(open_directories(), before + 2);
	cr_assert_eq(faccessat(own, "log.xml", F_OK, 0), 0);
	cr_assert_eq(faccessat(founder, "log.xml", F_OK, 0), 0);
	col_place_done(founder);
	dup2(open("/", O_RDONLY), own);
	before = open_directories();
	col_place_done(own);
	col_place_done(-EBADF);
	cr_assert_eq(open_directories(), before, "the program's stays open");
}

Test(file, another_directory_under_the_path_is_not_taken_for_it)
{
	char moved[sizeof(col.descriptor.directory) + 8];
	int fd;

	strcat(strcpy(moved, col.descriptor.directory), ".moved");
	cr_assert_eq(rename(col.descriptor.directory, moved), 0);
	mkdir(col.descriptor.directory, 0700);
	cr_assert_eq(col_founder_get(), -ESTALE);
	cr_assert_eq(col_directory_get(), -ESTALE);
	rmdir(col.descriptor.directory);
	cr_assert_eq(col_founder_get(), -ENOENT);
	cr_assert_eq(col_directory_get(), -ENOENT);
	cr_assert_eq(rename(moved, col.descriptor.directory), 0);
	cr_assert_geq(col_directory_get(), 0);
	fd = col_founder_get();
	cr_assert_geq(fd, 0);
	col_founder_close();
	cr_assert_eq(col_founder_get(), -ESTALE, "it is known no more");
	close(fd);
}

Test(file, a_path_has_an_end_within_its_room)
{
	char path[COL_FILE_PATH], name[COL_FILE_PATH + 8];
	size_t room = sizeof(path) - strlen(col.descriptor.directory) - strlen("/") - 1;

	memset(name, 'n', sizeof(name));
	name[room] = '\0';
	cr_assert_eq(col_file_path(name, path), path);
	cr_expect_eq(strlen(path), sizeof(path) - 1);
	cr_expect_eq(strncmp(path, col.descriptor.directory, strlen(col.descriptor.directory)), 0);
	cr_expect_str_eq(path + sizeof(path) - 1 - room, name);
	name[room] = 'n';
	name[room + 1] = '\0';
	cr_expect_null(col_file_path(name, path));
}

Test(file, a_descendant_has_a_directory_in_the_founders)
{
	cr_assert_eq(col_directory_rename("other"), -EPERM, "the founder's stays");
	col_directory_close();
	cr_assert_eq(col_directory_get(), -EBADF);
	cr_assert_eq(col_directory_rename("other"), -EPERM);
	cr_assert_eq(col_directory_open("one.er"), -ENOENT);
	mkdirat(col_founder_get(), "one.er", 0700);
	mkdirat(col_founder_get(), "taken.er", 0700);
	cr_assert_eq(col_directory_open("one.er"), 0);
	cr_assert_eq(col_directory_rename("taken.er"), -EEXIST);
	cr_assert_eq(col_directory_rename("two.er"), 0);
	cr_assert_eq(faccessat(col_founder_get(), "two.er", F_OK, 0), 0);
	cr_assert_eq(faccessat(col_founder_get(), "one.er", F_OK, 0), -1);
	cr_assert_geq(col_directory_get(), 0, "by its new name");
}

Test(file, a_limit_of_files_is_kept_without_a_signal)
{
	struct rlimit limit = {10000, RLIM_INFINITY};

	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(col_file_may_grow(10000), 0);
	cr_assert_eq(col_file_may_grow(10001), -EFBIG);
}

/* In a child, which has one thread: the test's process has another one. Returns the number by 4. */
static int move_and_look(struct col_file *file)
{
	struct rlimit before, after;
	int number = file->fd;

	getrlimit(RLIMIT_NOFILE, &before);
	col_file_move_away(file);
	getrlimit(RLIMIT_NOFILE, &after);
	if (after.rlim_cur != before.rlim_cur || col_file_get(file, "data") != file->fd)
		return 1;
	if (file->fd != number && fcntl(number, F_GETFD) != -1)
		return 2;
	if (fcntl(file->fd, F_GETFD) != FD_CLOEXEC)
		return 3;
	number = file->fd;
	col_file_move_away(file);
	return file->fd == number ? number / 4 : 4; /* it is there already */
}

static int number_away(rlim_t limit)
{
	struct rlimit limits = {limit, limit};
	struct col_file file;
	pid_t child;
	int status;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limits), 0);
	file = take("data");
	child = fork();
	if (child == 0)
		_exit(move_and_look(&file));
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Where nobody expects it, and below what select looks at. */
Test(file, it_can_be_moved_away)
{
	int number = number_away(1024);

	cr_expect(number >= 512 / 4 && number < 960 / 4, "%d", number);
}

Test(file, where_few_are_allowed_it_stays)
{
	cr_expect_geq(number_away(200), 136 / 4);
}

static void *move_away(void *file)
{
	col_file_move_away(file);
	return NULL;
}

/* Another thread could replace it between two calls. */
Test(file, with_other_threads_it_stays)
{
	struct col_file file = take("data");
	int before = file.fd;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, move_away, &file), 0);
	pthread_join(thread, NULL);
	cr_assert_eq(file.fd, before);
}
