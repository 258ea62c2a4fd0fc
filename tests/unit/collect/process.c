/* process.c: which running processes can be recorded, and the reasons why others cannot. */
#include "collect/process.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
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

Test(process, traced)
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
