/* A child of the test becomes a daemon, as with the C library alone. */
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/thread/thread.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static void setup(void)
{
	scratch_open();
	cr_assert_not_null(thread_current());
	scratch_host(NULL, 0);
	col.is_recorded = 1;
}

TestSuite(daemon, .init = setup, .fini = scratch_remove, .timeout = 60);

/* What the daemon tells. */
struct told {
	pid_t pid, session, parent;
	int result, error;
	char directory[PATH_MAX];
	struct stat files[3];
};

static struct told become_daemon(int keep_directory, int keep_files)
{
	struct told told = {.pid = 0};
	int ends[2], status;
	pid_t child;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		told.parent = getpid();
		told.result = daemon(keep_directory, keep_files);
		told.error = errno;
		told.pid = getpid();
		told.session = getsid(0);
		if (!getcwd(told.directory, sizeof(told.directory)))
			abort();
		for (int i = 0; i < 3; i++)
			fstat(i, &told.files[i]);
		if (write(ends[1], &told, sizeof(told)) != sizeof(told))
			abort();
		_exit(0);
	}
	close(ends[1]);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "its parent ends at once");
	cr_assert_eq(read(ends[0], &told, sizeof(told)), sizeof(told));
	close(ends[0]);
	cr_expect_eq(told.result, 0);
	cr_expect_eq(told.parent, child);
	cr_expect_neq(told.pid, child);
	cr_expect_eq(told.session, told.pid, "it leads a session");
	return told;
}

Test(daemon, it_is_in_the_root_directory_and_has_no_files)
{
	struct told told = become_daemon(0, 0);

	cr_expect_str_eq(told.directory, "/");
	for (int i = 0; i < 3; i++) {
		cr_expect(S_ISCHR(told.files[i].st_mode), "%d", i);
		cr_expect_eq(told.files[i].st_rdev, makedev(1, 3), "%d", i);
	}
}

Test(daemon, it_may_keep_them)
{
	char directory[PATH_MAX];
	struct stat own[3];
	struct told told;

	input_open();
	cr_assert_eq(chdir("/tmp"), 0);
	cr_assert_not_null(getcwd(directory, sizeof(directory)));
	for (int i = 0; i < 3; i++)
		fstat(i, &own[i]);
	told = become_daemon(1, 1);
	cr_expect_str_eq(told.directory, directory);
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(told.files[i].st_ino, own[i].st_ino, "%d", i);
		cr_expect_eq(told.files[i].st_dev, own[i].st_dev, "%d", i);
	}
}
