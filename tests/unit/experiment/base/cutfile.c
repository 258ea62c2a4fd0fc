/* A file that is truncated while it is mapped: the program ends with a message that names it; any
 * other SIGBUS has its usual effect. The tests run in children, which must not return into the test
 * runner. */
#include "experiment/base/cutfile.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/xer-unit-XXXXXX";
static char path[256];
static long page;

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	page = sysconf(_SC_PAGESIZE);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(directory);
}

TestSuite(cutfile, .init = set_up, .fini = tear_down);

/* Run `child` with its standard error in said[size]. Returns its wait status. */
static int run(void (*child)(void), char *said, size_t size)
{
	int ends[2], status;
	ssize_t got;
	size_t len = 0;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		const struct rlimit none = {0, 0};

		setrlimit(RLIMIT_CORE, &none);
		dup2(ends[1], STDERR_FILENO);
		child();
		_exit(99);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + len, size - 1 - len)) > 0)
		len += (size_t)got;
	said[len] = '\0';
	close(ends[0]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* A file of two pages, mapped twice: the second page of the second mapping is touched after it was
 * cut off. */
static void touch_cut_file(void)
{
	FILE *file = fopen(path, "w+");
	volatile char *first, *second;

	if (!file || ftruncate(fileno(file), 2 * page) != 0)
		_exit(98);
	first = mmap(NULL, (size_t)(2 * page), PROT_READ, MAP_PRIVATE, fileno(file), 0);
	second = mmap(NULL, (size_t)(2 * page), PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (first == MAP_FAILED || second == MAP_FAILED || ftruncate(fileno(file), 10) != 0)
		_exit(98);
	(void)first[0];
	(void)second[page - 1];
	(void)second[page];
}

static void end(void)
{
	if (write(STDERR_FILENO, "restored; ", 10) != 10)
		_exit(97);
}

static void watched(void)
{
	exp_cut_file_watch("prog", end);
	touch_cut_file();
}

static void watched_without_end(void)
{
	exp_cut_file_watch("xer_print", NULL);
	touch_cut_file();
}

Test(cutfile, the_program_ends_with_the_name_of_the_file)
{
	char said[512], expected[512];
	int status;

	snprintf(path, sizeof(path), "%s/file", directory);
	snprintf(expected, sizeof(expected),
	         "restored; prog: %s: the file was cut while it was read\n", path);
	status = run(watched, said, sizeof(said));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%#x", (unsigned)status);
	cr_expect_str_eq(said, expected);
	snprintf(expected, sizeof(expected), "xer_print: %s: the file was cut while it was read\n",
	         path);
	status = run(watched_without_end, said, sizeof(said));
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%#x", (unsigned)status);
	cr_expect_str_eq(said, expected);
}

Test(cutfile, names_do_not_command_the_terminal)
{
	char said[512], expected[512];

	snprintf(path, sizeof(path), "%s/two words\x1b[\x9f\x7f\xc3\xa4", directory);
	snprintf(
		expected, sizeof(expected),
		"restored; prog: %s/two words\\x1b[\\x9f\\x7f\xc3\xa4: the file was cut while it was read\n",
		directory);
	run(watched, said, sizeof(said));
	cr_expect_str_eq(said, expected);
}

static void another_bus_error(void)
{
	exp_cut_file_watch("prog", end);
	/* The first one removes the handler. */
	for (int i = 0; i < 2; i++)
		raise(SIGBUS);
}

Test(cutfile, another_bus_error_ends_the_program_as_ever)
{
	char said[512];
	int status = run(another_bus_error, said, sizeof(said));

	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS, "%#x", (unsigned)status);
	cr_expect_str_eq(said, "");
}

static int shared; /* a file that was unlinked */

static void touch_nameless(void)
{
	volatile char *at = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, shared, 0);

	exp_cut_file_watch("prog", end);
	(void)at[0];
}

/* The message has its name as the kernel knows it. */
Test(cutfile, a_file_that_is_gone_is_told_as_such)
{
	char said[512], expected[512];
	int status;

	snprintf(path, sizeof(path), "%s/gone", directory);
	shared = open(path, O_RDWR | O_CREAT, 0600);
	cr_assert_geq(shared, 0);
	unlink(path);
	status = run(touch_nameless, said, sizeof(said));
	close(shared);
	snprintf(expected, sizeof(expected),
	         "restored; prog: %s (deleted): the file was cut while it was read\n", path);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%#x", (unsigned)status);
	cr_expect_str_eq(said, expected);
}
