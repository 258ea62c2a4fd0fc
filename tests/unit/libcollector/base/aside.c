/* What is done with descriptors of one's own while the program has none left. */
#include "libcollector/base/aside.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 40 };

static void take_all(void)
{
	const struct rlimit few = {MOST, MOST};

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (open("/dev/null", O_RDONLY) >= 0)
		continue;
	col.pid = getpid();
}

TestSuite(aside, .init = take_all, .timeout = 30);

struct work {
	int opened, last;
	pid_t pid;
	const char *map;
};

static int open_some(void *argument)
{
	struct work *work = argument;
	long fd = sys_openat(AT_FDCWD, "/proc/self/exe", O_RDONLY, 0);

	work->map = sys_mmap(SYS_PAGE, PROT_READ, MAP_PRIVATE, (int)fd, 0);
	while (fd >= 0) {
		work->opened++;
		work->last = (int)fd;
		fd = sys_openat(AT_FDCWD, "/dev/zero", O_RDONLY, 0);
	}
	work->pid = sys_getpid();
	return (int)fd;
}

/* Signals are blocked, as the function wants it. */
static int do_aside(struct work *work)
{
	sys_sigset old;
	int result;

	sys_block_signals(&old);
	result = col_aside(open_some, work);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return result;
}

Test(aside, all_numbers_are_free_there)
{
	struct work work = {0};

	cr_assert_eq(do_aside(&work), -EMFILE, "what the function returns");
	cr_assert_eq(work.opened, MOST);
	cr_assert_eq(work.last, MOST - 1);
	cr_assert_eq(work.pid, getpid());
}

Test(aside, the_program_keeps_its_own)
{
	struct stat before[MOST], after;
	struct work work = {0};

	for (int fd = 0; fd < MOST; fd++)
		cr_assert_eq(fstat(fd, &before[fd]), 0);
	do_aside(&work);
	for (int fd = 0; fd < MOST; fd++) {
		cr_assert_eq(fstat(fd, &after), 0);
		cr_assert_eq(after.st_ino, before[fd].st_ino);
	}
	cr_assert_eq(open("/dev/null", O_RDONLY), -1);
}

/* A directory has two links more than directories in it. */
static nlink_t count_threads(void)
{
	struct stat status;

	cr_assert_eq(stat("/proc/self/task", &status), 0);
	return status.st_nlink;
}

Test(aside, mappings_stay_and_the_thread_does_not)
{
	const nlink_t threads = count_threads();
	struct work work = {0};

	for (int i = 0; i < 20; i++) {
		do_aside(&work);
		cr_assert_eq(count_threads(), threads);
	}
	cr_assert_arr_eq(work.map, "\177ELF", 4);
}

Test(aside, where_no_thread_can_be_made_that_is_told)
{
	const struct rlimit none = {0, 0};
	struct work work = {0};

	if (getuid() == 0)
		cr_assert_eq(setresuid(65534, 65534, 65534), 0);
	cr_assert_eq(setrlimit(RLIMIT_NPROC, &none), 0);
	cr_assert_eq(do_aside(&work), -EMFILE);
	cr_assert_eq(work.opened, 0);
}
