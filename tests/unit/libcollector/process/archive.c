/* xer_archive at the end of a process: a script takes its place and reports its arguments. */
#include "libcollector/process/archive.h"
#include "format/compress.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/process/helper.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int children_told;

static void on_child(int signal)
{
	children_told += signal == SIGCHLD;
}

static void setup(void)
{
	const char *directory;
	int fd;

	scratch_open();
	directory = col.descriptor.directory;
	strcpy(col.descriptor.archive_mode, "on");
	strcat(strcpy(col.descriptor.archive, directory), "/archiver");
	fd = openat(col_directory_get(), "archiver", O_CREAT | O_WRONLY, 0700);
	cr_assert_gt(dprintf(fd,
	                     "#!/bin/sh\necho \"$1 $2 $3 $4 $5 $6 $# PATH=$PATH\" >>'%s/run'\n"
	                     "sed -n '/^SigBlk:/p' /proc/self/status >>'%s/run'\n",
	                     directory, directory),
	             0);
	close(fd);
	signal(SIGCHLD, on_child);
}

TestSuite(archive, .init = setup, .fini = scratch_remove, .timeout = 30);

static int is_locked(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = openat(col_directory_get(), "log.xml", O_RDWR);

	fcntl(fd, F_OFD_GETLK, &lock);
	close(fd);
	return lock.l_type != F_UNLCK;
}

static int runs(void)
{
	return scratch_count("run", " 6 PATH=/usr/bin:/bin\n");
}

Test(archive, it_is_run_for_the_whole_experiment_and_waited_for)
{
	char wanted[4200];

	errno = 77;
	cr_assert(is_locked());
	archive_run(1);
	cr_assert_eq(errno, 77);
	snprintf(wanted, sizeof(wanted), "-q -a on -z off %s 6 PATH=/usr/bin:/bin\n",
	         col.descriptor.directory);
	cr_assert_eq(scratch_count("run", wanted), 1);
	cr_assert_eq(scratch_count("run", "SigBlk:\t0000000000000000\n"), 1);
	cr_assert_eq(children_told, 0, "the program sees no child");
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_assert(!is_locked(), "it is not alive any more");
}

Test(archive, the_closing_line_needs_the_terminal_of_the_founder)
{
	col.descriptor.terminal = 4 << 8 | 77; /* not ours, which may be none */
	archive_run(1);
	cr_assert_eq(scratch_count("run", "-q -a on"), 1);
	cr_assert_eq(scratch_count("run", "-s -a on"), 0);
}

Test(archive, it_compresses_data_files_if_that_is_asked_for)
{
	col.descriptor.compress = COMPRESS_ON;
	archive_run(1);
	cr_assert_eq(scratch_count("run", "-q -a on -z on "), 1);
}

Test(archive, it_is_not_run_where_there_is_none)
{
	col.descriptor.archive[0] = '\0';
	archive_run(1);
	cr_assert(is_locked());
	cr_assert_eq(runs(), 0);
}

/* A process that is still recorded will do it for all. */
static pid_t live(const char *log)
{
	int ready[2];
	char byte;
	pid_t child;

	cr_assert_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = openat(col_founder_get(), log, O_RDWR);

		if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void put_log(const char *directory, const char *log)
{
	mkdirat(col_founder_get(), directory, 0700);
	close(openat(col_founder_get(), log, O_CREAT | O_RDWR, 0600));
}

Test(archive, it_is_left_to_an_ancestor_that_lives)
{
	pid_t ancestor;

	put_log("_f1.er", "_f1.er/log.xml");
	put_log("_f1_x2.er", "_f1_x2.er/log.xml");
	strcpy(col.descriptor.step.lineage, "_f1_x2_f3");
	ancestor = live("_f1.er/log.xml");
	archive_run(1);
	cr_assert_eq(runs(), 0);
	end(ancestor);
	ancestor = live("_f1_x2.er/log.xml");
	archive_run(1);
	cr_assert_eq(runs(), 0);
	cr_assert(is_locked(), "the founder's lock is another one");
	end(ancestor);
	archive_run(1);
	cr_assert_eq(runs(), 0, "the founder lives");
	strcpy(col.descriptor.step.lineage, "");
	archive_run(1);
	cr_assert_eq(runs(), 1, "who has none does it");
	strcpy(col.descriptor.step.lineage, "_f1_x2_f3");
	archive_run(1);
	cr_assert_eq(runs(), 2, "all have gone");
}

/* The archiver would be the first who makes a child below it. */
Test(archive, it_is_not_run_below_a_filter_that_may_kill)
{
	helper_judged(1);
	cr_expect(helper_is_allowed());
	archive_run(1);
	cr_assert_eq(runs(), 1);
	helper_judged(0);
	archive_run(1);
	cr_assert_eq(runs(), 1);
	cr_assert_eq(scratch_count("log.xml", "nothing is archived: a filter"), 1);
	cr_assert_eq(helper_filters(), 0, "nor by what it executes");
}

/* By a system call of its own, say. */
Test(archive, it_is_not_run_below_a_filter_that_nobody_has_judged)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};

	if (SYS5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		cr_skip_test("no system call filters here");
	helper_judged(1);
	if (SYS3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		cr_skip_test("no system call filters here");
	cr_expect(helper_is_allowed());
	SYS3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	cr_expect_not(helper_is_allowed());
	helper_judged(1);
	cr_expect_not(helper_is_allowed(), "the one before it was not");
	archive_run(1);
	cr_assert_eq(runs(), 0);
}
