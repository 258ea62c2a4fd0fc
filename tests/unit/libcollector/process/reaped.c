/* How children ended is in the log of who waits for them. */
#include "libcollector/process/reaped.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/sys.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(reaped, .init = scratch_open, .fini = scratch_remove, .timeout = 30);

Test(reaped, the_process_and_the_signal_are_told)
{
	errno = 77;
	reaped_tell(4711, SIGKILL, 0);
	cr_assert_eq(errno, 77);
	cr_expect_eq(scratch_count("log.xml", "<event kind=\"killed\" time="), 1);
	cr_expect_eq(scratch_count("log.xml", " pid=\"4711\" signal=\"9\"/>"), 1);
	reaped_tell(4712, SIGSEGV, 1);
	cr_expect_eq(scratch_count("log.xml", " pid=\"4712\" signal=\"11\" core=\"1\"/>"), 1);
}

static int runs(void)
{
	return scratch_count("run", "--snapshot");
}

/* A script takes the place of xcollect. */
Test(reaped, signals_of_crashes_make_a_snapshot_if_that_was_asked_for)
{
	int directory, fd;

	strcat(strcpy(col.descriptor.collect, col.descriptor.directory), "/xcollect");
	directory = col_directory_get();
	fd = openat(directory, "xcollect", O_CREAT | O_WRONLY | O_TRUNC, 0700);
	cr_assert_gt(dprintf(fd, "#!/bin/sh\necho \"$*\" >>'%s/run'\n", col.descriptor.directory),
	             0);
	close(fd);
	col_place_done(directory);
	reaped_tell(1, SIGSEGV, 1);
	col.descriptor.snapshot_crash = 1;
	reaped_tell(2, SIGKILL, 0);
	reaped_tell(3, SIGTERM, 0);
	reaped_tell(4, SIGABRT, 0);
	for (int i = 0; i < 5000 && runs() == 0; i++)
		usleep(1000);
	cr_expect_eq(runs(), 1);
	cr_expect_eq(scratch_count("run", "Process 4 was killed by signal 6"), 1);
}

/* ---- the wrappers: a child that a signal has killed is told of, if it is gone then */

static pid_t child_that(int signal)
{
	pid_t child = fork();

	if (child == 0) {
		if (signal != 0)
			SYS2(SYS_kill, SYS0(SYS_getpid), signal);
		SYS1(SYS_exit_group, 3);
	}
	return child;
}

static int told(pid_t child, int signal)
{
	char event[64];

	snprintf(event, sizeof(event), " pid=\"%d\" signal=\"%d\"", (int)child, signal);
	return scratch_count("log.xml", event);
}

static void record(void)
{
	scratch_host(NULL, 0);
	col.is_recorded = 1;
}

Test(reaped, all_functions_that_wait_tell)
{
	struct rusage usage;
	int status = -1;

	record();
	for (int i = 0; i < 6; i++) {
		pid_t child = child_that(SIGKILL), got = child;

		switch (i) {
		case 0:
			got = wait(&status);
			break;
		case 1:
			got = waitpid(child, NULL, 0);
			break;
		case 2:
			got = wait3(&status, 0, NULL);
			break;
		case 3:
			got = wait4(-1, NULL, 0, &usage);
			break;
		case 4:
			got = waitpid(0, &status, 0);
			break;
		default:
			cr_expect_eq(waitid(P_PID, (id_t)child, NULL, WEXITED), 0);
		}
		cr_expect_eq(got, child, "%d", i);
		cr_expect_eq(told(child, SIGKILL), 1, "%d", i);
		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	cr_expect_eq(scratch_count("log.xml", "\"killed\""), 6);
}

Test(reaped, who_ended_or_stays_is_not_told_of)
{
	siginfo_t info;
	pid_t child;

	record();
	child = child_that(0);
	cr_expect_eq(waitpid(child, NULL, 0), child);
	child = child_that(0);
	cr_expect_eq(waitid(P_ALL, 0, &info, WEXITED), 0);
	cr_expect_eq(info.si_pid, child);
	cr_expect_eq(info.si_status, 3);
	child = child_that(SIGTERM);
	cr_expect_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	cr_expect_eq(info.si_pid, child);
	cr_expect_eq(scratch_count("log.xml", "\"killed\""), 0, "it can be waited for again");
	cr_expect_eq(waitid(P_PID, (id_t)child, &info, WEXITED), 0);
	cr_expect_eq(told(child, SIGTERM), 1);
	cr_expect_eq(waitpid(-1, NULL, 0), -1);
	cr_expect_eq(errno, ECHILD);
	cr_expect_eq(waitid(P_ALL, 0, &info, WEXITED), -1);
	cr_expect_eq(errno, ECHILD);
	cr_expect_eq(scratch_count("log.xml", "\"killed\""), 1);
}
