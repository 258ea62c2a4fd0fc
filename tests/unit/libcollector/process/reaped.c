/* How children ended is in the log of who waits for them. */
#include "libcollector/process/reaped.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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
