/* Files get longer and are mapped, and no file of the program is changed by that, also if another
 * thread puts it at our number all the time. */
#include "libcollector/base/extend.h"
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/refused.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(extend, .init = scratch_open, .fini = scratch_remove);

/* A file of the directory, whose descriptor the program has taken. */
static struct col_file take(const char *name)
{
	struct col_file file = {.fd = -1};
	int directory = col_directory_get();
	int fd = openat(directory, name, O_CREAT | O_RDWR, 0600);

	col_place_done(directory);
	cr_assert_eq(col_file_take(&file, name, fd), 0);
	return file;
}

static struct stat status_of(const struct col_file *file)
{
	struct stat status;

	cr_assert_eq(fstat(file->fd, &status), 0);
	return status;
}

Test(extend, room_is_on_the_disk)
{
	struct col_file file = take("data");

	cr_assert_eq(col_file_extend(&file, "data", 4096, 8192), 0);
	cr_assert_eq(status_of(&file).st_size, 12288);
	cr_assert_geq(status_of(&file).st_blocks, 8192 / 512);
	cr_assert_eq(col_file_extend(&file, "data", 0, 4096), 0);
	cr_assert_eq(status_of(&file).st_size, 12288, "it gets no shorter");
}

Test(extend, a_limit_of_files_is_kept_without_a_signal)
{
	struct rlimit limit = {10000, RLIM_INFINITY};
	struct col_file file = take("data");

	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(col_file_extend(&file, "data", 4096, 10000 - 4096), 0);
	cr_assert_eq(col_file_extend(&file, "data", 4096, 10001 - 4096), -EFBIG);
}

Test(extend, where_a_file_system_cannot_allocate_zeros_are_written)
{
	struct col_file file;
	char byte = 'x';

	file = take("data");
	cr_assert_eq(pwrite(file.fd, &byte, 1, 99), 1);
	refuse_call(SYS_fallocate, EOPNOTSUPP);
	cr_assert_eq(col_file_extend(&file, "data", 100, 2 * 4096 + 50), 0);
	cr_expect_eq(status_of(&file).st_size, 100 + 2 * 4096 + 50);
	cr_expect_geq(status_of(&file).st_blocks, 2 * 4096 / 512);
	cr_assert_eq(pread(file.fd, &byte, 1, 99), 1);
	cr_expect_eq(byte, 'x', "what was there before stays");
	cr_assert_eq(pread(file.fd, &byte, 1, 100), 1);
	cr_expect_eq(byte, 0);
	cr_assert_eq(col_file_extend(&file, "data", 100 + 2 * 4096 + 50, 1), 0);
	cr_expect_eq(status_of(&file).st_size, 100 + 2 * 4096 + 51);
	unlinkat(col_directory_get(), "data", 0);
	close(file.fd);
	cr_expect_eq(col_file_extend(&file, "data", 0, 4096), -ENOENT);
}

Test(extend, a_file_that_has_moved_gets_longer_by_its_descriptor)
{
	struct col_file file = take("data");
	int directory = col_directory_get();

	renameat(directory, "data", directory, "elsewhere");
	cr_assert_eq(col_file_extend(&file, "data", 0, 4096), 0);
	close(openat(directory, "data", O_CREAT | O_RDWR, 0600)); /* that is another one */
	cr_assert_eq(col_file_extend(&file, "data", 4096, 4096), 0);
	cr_assert_eq(status_of(&file).st_size, 8192);
	close(file.fd);
	cr_assert_eq(col_file_extend(&file, "data", 8192, 4096), -ESTALE);
	unlinkat(directory, "data", 0);
	cr_assert_eq(col_file_extend(&file, "data", 8192, 4096), -ENOENT);
}

Test(extend, what_is_written_into_a_mapping_is_in_the_file)
{
	struct col_file file = take("data");
	char byte = 0;
	uint8_t *map;
	int error;

	cr_assert_eq(col_file_extend(&file, "data", 0, 8192), 0);
	map = col_file_map(&file, "data", NULL, 4096, 1 << 20, &error);
	cr_assert_not_null(map);
	map[1] = 'x';
	cr_assert_eq(pread(file.fd, &byte, 1, 4097), 1);
	cr_assert_eq(byte, 'x');
	cr_assert_eq(col_file_map(&file, "data", map, 0, 1 << 20, &error), map, "in its place");
	cr_assert_eq(map[4097], 'x');
	munmap(map, 1 << 20);
	close(file.fd);
	unlinkat(col_directory_get(), "data", 0);
	cr_assert_null(col_file_map(&file, "data", NULL, 0, 4096, &error));
	cr_assert_eq(error, -ENOENT);
}

/* ---- another thread puts a file of its own at the number that ours has */

enum { OWN_SIZE = 4096, ROUNDS = 10000 };

static struct {
	int own;
	const volatile int *number;
	atomic_int is_over;
} taker;

static void *take_numbers(void *unused)
{
	for (unsigned round = 0; !atomic_load(&taker.is_over); round++) {
		int number = *taker.number;

		for (unsigned i = 0; i < round % 16 * 50; i++)
			__asm__ volatile("");
		dup2(taker.own, number);
		if (*taker.number != number)
			close(number);
	}
	return unused;
}

/* A file as the program may have one, with `OWN_SIZE` bytes of 'A'. */
static int make_own(void)
{
	char bytes[OWN_SIZE];
	int own = openat(col_directory_get(), "own", O_CREAT | O_RDWR, 0600);

	memset(bytes, 'A', sizeof(bytes));
	cr_assert_eq(write(own, bytes, sizeof(bytes)), OWN_SIZE);
	return own;
}

static void check_own(int own)
{
	char bytes[OWN_SIZE];
	struct stat status;

	fstat(own, &status);
	cr_assert_eq(status.st_size, OWN_SIZE, "it got %ld bytes", (long)status.st_size);
	cr_assert_eq(pread(own, bytes, sizeof(bytes), 0), OWN_SIZE);
	for (int i = 0; i < OWN_SIZE; i++)
		cr_assert_eq(bytes[i], 'A');
}

/* Returns how often there was a moment for it. */
static unsigned extend_often(struct col_file *file)
{
	unsigned done = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int error = col_file_extend(file, "data", done * 4096ul, 4096);
		uint8_t *map = error < 0 ? NULL
		                         : col_file_map(file, "data", NULL, done * 4096ul, 4096,
		                                        &error);

		if (!map)
			continue;
		map[0] = 'x';
		munmap(map, 4096);
		done++;
	}
	return done;
}

Test(extend, a_file_that_another_thread_puts_at_our_number_is_not_changed, .timeout = 60)
{
	struct col_file file = take("data");
	char path[COL_FILE_PATH];
	struct stat status;
	pthread_t thread;
	unsigned done;

	taker.own = make_own();
	taker.number = &file.fd;
	cr_assert_eq(pthread_create(&thread, NULL, take_numbers, NULL), 0);
	done = extend_often(&file);
	atomic_store(&taker.is_over, 1);
	pthread_join(thread, NULL);
	check_own(taker.own);
	cr_assert(done > 0 && file.reopened > 0, "%u, %u", done, file.reopened);
	cr_assert_eq(stat(col_file_path("data", path), &status), 0);
	cr_assert_geq(status.st_size, done * 4096L);
}
