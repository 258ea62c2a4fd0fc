/* clone: a child with memory of its own is a forked one; one that shares it cannot be recorded. */
#include "libcollector/process/child.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern __typeof__(clone) wrapped_clone;

static char stack[256 * 1024] __attribute__((aligned(16)));
static int argument = 7;

static void setup(void)
{
	scratch_open();
	col.is_recorded = col.is_followed = 1;
}

TestSuite(clone, .init = setup, .fini = scratch_remove, .timeout = 30);

static int run(void *got)
{
	int *number = got;

	(*number)++;
	return *number;
}

static int status_of(int pid)
{
	int status = -1;

	cr_assert_eq(waitpid(pid, &status, __WALL), pid);
	cr_assert(WIFEXITED(status), "%x", (unsigned)status);
	return WEXITSTATUS(status);
}

static int notes(const char *kind, int pid)
{
	char text[64];

	snprintf(text, sizeof(text), " pid=\"%d\"", pid);
	return scratch_count("log.xml", kind) == 1 && scratch_count("log.xml", text) == 1;
}

Test(clone, a_child_with_memory_of_its_own_is_noted)
{
	pid_t told = 0;
	int pid = wrapped_clone(run, stack + sizeof(stack), SIGCHLD | CLONE_PARENT_SETTID,
	                        &argument, &told, NULL, NULL);

	cr_assert_gt(pid, 0);
	cr_expect_eq(told, pid);
	cr_expect_eq(status_of(pid), 8);
	cr_expect_eq(argument, 7, "the child's is another one");
	cr_expect(notes("kind=\"clone\"", pid));
	cr_expect(scratch_count("log.xml", "lineage=\"_f1\"") == 1);
}

Test(clone, one_that_shares_memory_is_noted_as_not_recorded)
{
	int pid = wrapped_clone(run, stack + sizeof(stack), CLONE_VM | SIGCHLD, &argument);

	cr_assert_gt(pid, 0);
	cr_expect_eq(status_of(pid), 8);
	cr_expect_eq(argument, 8);
	cr_expect(notes("kind=\"unrecorded\"", pid));
	cr_expect_eq(scratch_count("log.xml", "kind=\"clone\""), 0);
}

/* It will execute a program, as posix_spawn's does. */
Test(clone, one_for_which_the_parent_waits_is_not_noted)
{
	int pid = wrapped_clone(run, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
	                        &argument);

	cr_assert_gt(pid, 0);
	cr_expect_eq(status_of(pid), 8);
	cr_expect_eq(scratch_count("log.xml", " pid="), 0);
}

Test(clone, what_is_not_recorded_or_wrong_is_passed_on)
{
	int pid;

	cr_expect_eq(wrapped_clone(NULL, stack + sizeof(stack), SIGCHLD, NULL), -1);
	cr_expect_eq(errno, EINVAL);
	cr_expect_eq(wrapped_clone(run, stack + sizeof(stack), CLONE_THREAD, &argument), -1);
	cr_expect_eq(wrapped_clone(run, stack + sizeof(stack), CLONE_THREAD | CLONE_VM, &argument),
	             -1);
	col.is_recorded = 0;
	pid = wrapped_clone(run, stack + sizeof(stack), SIGCHLD, &argument);
	cr_assert_gt(pid, 0);
	cr_expect_eq(status_of(pid), 8);
	cr_expect_eq(scratch_count("log.xml", " pid="), 0);
}
