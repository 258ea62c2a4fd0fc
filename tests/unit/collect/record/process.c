/* process.c: which running processes can be recorded, and the reasons why others cannot. */
#include "collect/record/process.h"

#include "tests/unit/refused.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct installation installation;
static struct target target;
static struct cause cause;

/* A child that waits until it is ended. */
static pid_t start(void)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(30);
		for (;;)
			pause();
	}
	cr_assert(child > 0);
	return child;
}

/* A child that executes another program, as a library may not be loadable into this one. */
static pid_t start_program(void)
{
	int ends[2];
	char byte;
	pid_t child;

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		execlp("sleep", "sleep", "30", (char *)NULL);
		_exit(1);
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int find(pid_t pid)
{
	cr_assert(realpath("/bin/sh", installation.library));
	return process_find(pid, &installation, &target, &cause);
}

Test(process, is_described)
{
	char path[PATH_MAX] = "", directory[PATH_MAX], words[4096] = "";
	FILE *file;
	pid_t child = start();

	cr_assert_eq(find(child), 0, "%s", cause.text);
	cr_assert(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	cr_assert_str_eq(target.path, path);
	cr_assert(getcwd(directory, sizeof(directory)));
	cr_assert_str_eq(target.directory, directory);
	cr_assert_eq(target.pid, child);
	cr_assert_eq(target.parent, getpid());
	file = fopen("/proc/self/cmdline", "r");
	cr_assert(file && fgets(words, sizeof(words), file));
	fclose(file);
	cr_assert_str_eq(target.argv[0], words);
	target_fini(&target);
	end(child);
}

Test(process, none)
{
	cr_assert_eq(find(4194303), CAUSE_NOT_FOUND);
	cr_assert(strstr(cause.text, "there is no process 4194303"));
}

Test(process, oneself)
{
	cr_assert_eq(find(getpid()), CAUSE_REFUSED);
	cr_assert(strstr(cause.text, "xcollect itself"));
}

Test(process, ended)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	usleep(100000);
	cr_assert_eq(find(child), CAUSE_NOT_FOUND);
	cr_assert(strstr(cause.text, "has ended"));
	waitpid(child, NULL, 0);
}

Test(process, stopped)
{
	pid_t child = start();

	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	cr_assert_eq(find(child), CAUSE_REFUSED);
	cr_assert(strstr(cause.text, "kill -CONT"));
	end(child);
}

Test(process, traced, .init = needs_ptrace)
{
	pid_t child = start();

	cr_assert(ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0);
	cr_assert_eq(find(child), CAUSE_REFUSED);
	cr_assert(strstr(cause.text, "is traced by process"));
	end(child);
}

Test(process, library_out_of_sight)
{
	pid_t child = start_program();

	strcpy(installation.library, "/nowhere/libcollector.so");
	cr_assert_eq(process_find(child, &installation, &target, &cause), CAUSE_REFUSED);
	cr_assert(strstr(cause.text, "does not see /nowhere/libcollector.so"));
	end(child);
}

static uid_t owner(const char *name)
{
	struct stat status;

	cr_assert_eq(lstat(name, &status), 0);
	return status.st_uid;
}

/* What root makes for a process of a user belongs to that user: the directory and all that is in
 * it, and nothing else. */
Test(process, an_experiment_is_given_to_the_user_of_the_process)
{
	enum { NOBODY = 65534 };
	char directory[] = "/tmp/xer-process-XXXXXX", made[64];
	int ends[2], error;
	pid_t child;
	char byte;

	if (geteuid() != 0)
		cr_skip_test("only root gives files away");
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chmod(directory, 0755), 0);
	cr_assert_eq(chdir(directory), 0);
	snprintf(made, sizeof(made), "%s/x.er", directory);
	cr_assert_eq(mkdir(made, 0755), 0);
	cr_assert_eq(close(open("x.er/log.xml", O_CREAT | O_WRONLY, 0644)), 0);
	cr_assert_eq(symlink("/etc/passwd", "x.er/link"), 0);
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		alarm(30);
		if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1);
		close(ends[0]);
		close(ends[1]);
		for (;;)
			pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 0);
	target.pid = child;
	error = process_hand_over(&target, made, &cause);
	end(child);
	if (error == 0) {
		cr_expect_eq(owner("x.er"), NOBODY);
		cr_expect_eq(owner("x.er/log.xml"), NOBODY);
		cr_expect_eq(owner("x.er/link"), NOBODY);
	}
	cr_expect_eq(error, 0, "%s", cause.text);
	cr_expect_eq(owner("."), 0);
	cr_expect_eq(owner("/etc/passwd"), 0);
	cr_assert_eq(
		unlink("x.er/link") | unlink("x.er/log.xml") | rmdir("x.er") | rmdir(directory), 0);
}

Test(process, a_directory_that_the_process_does_not_see_is_refused)
{
	target.pid = start();
	cr_expect_eq(process_hand_over(&target, "/none/x.er", &cause), CAUSE_REFUSED);
	cr_expect(strstr(cause.text, "does not see /none/x.er; use -d with a directory") != NULL,
	          "%s", cause.text);
	end(target.pid);
}
