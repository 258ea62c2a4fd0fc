/* What is done with descriptors of one's own while the program has none left. */
#include "libcollector/base/aside.h"

#include "libcollector/base/collector.h"

#include "tests/unit/refused.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

Test(aside, all_numbers_are_free_there, .init = needs_no_filters)
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

	input_open();
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

Test(aside, mappings_stay_and_the_thread_does_not, .init = needs_no_filters)
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

/* Past the wrappers, which would judge it. */
static void allow_all(void)
{
	struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, filter};

	cr_assert_eq(SYS5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(SYS5(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

static void need_no_filter(void)
{
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		cr_skip_test("the tests run below a filter of system calls");
}

Test(aside, a_filter_that_nobody_has_judged_might_kill)
{
	struct work work = {0};

	need_no_filter();
	allow_all();
	cr_assert_eq(do_aside(&work), -EMFILE);
	cr_assert_eq(work.opened, 0);
	col_aside_judged(1); /* of a second one: the first one is unknown all the same */
	do_aside(&work);
	cr_assert_eq(work.opened, 0);
}

Test(aside, all_filters_must_have_been_judged_to_allow_it)
{
	struct work work = {0};

	need_no_filter();
	col_aside_judged(1);
	allow_all();
	do_aside(&work);
	cr_assert_eq(work.opened, MOST);
	col_aside_judged(0);
	do_aside(&work);
	cr_assert_eq(work.opened, MOST);
}

static int look(void *argument)
{
	*(int *)argument = col_is_aside();
	return 0;
}

Test(aside, the_function_can_ask_where_it_runs, .init = needs_no_filters)
{
	int there = 0;
	sys_sigset old;

	sys_block_signals(&old);
	cr_assert_eq(col_aside(look, &there), 0);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	cr_assert_eq(there, 1);
	cr_assert_eq(col_is_aside(), 0);
}
