/* Tests of xer_attach as a whole: it goes into a child, calls an entry, and tells what was wrong.
 */
#include "tests/unit/refused.h"
#include "tests/unit/attach/child.h"

#include "attach/thread.h"

#include "format/descriptor.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int attach_main(int argc, char **argv);

/* The path of a file of build/tests/programs. */
static char *built(const char *name)
{
	static char path[2][PATH_MAX + 64];
	static int next;
	char self[PATH_MAX] = "", *to = path[next++ % 2];

	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(to, sizeof(path[0]), "%s/../programs/%s", dirname(self), name);
	return to;
}

/* Waits for an entry, at most 10 s. Ends with 11: it was attached, 12: detached, 13: no entry was
 * called, or 14: errno has changed. */
static void wait_for_entry(void)
{
	struct timespec time = {.tv_nsec = 20000000};
	const char *entry = NULL;

	errno = ERANGE;
	for (int i = 0; !entry && i < 500; i++) {
		nanosleep(&time, NULL);
		entry = getenv("XER_ENTRY");
	}
	_exit(errno != ERANGE ? 14 : !entry ? 13 : strcmp(entry, "attached") == 0 ? 11 : 12);
}

static void sleep_long(void)
{
	for (;;)
		pause();
}

struct result {
	int status, target; /* exit statuses */
	char said[512];     /* "PID" for the process id */
};

/* "process 42" and "-CONT 42" become "process PID" and "-CONT PID". */
static void hide_number(char *text, size_t size)
{
	static const char *const before[] = {"process ", "-CONT "};

	for (size_t i = 0; i < 2; i++) {
		char *at = strstr(text, before[i]), rest[512];

		if (!at)
			continue;
		at += strlen(before[i]);
		snprintf(rest, sizeof(rest), "%s", at + strspn(at, "0123456789"));
		snprintf(at, size - (size_t)(at - text), "PID%s", rest);
	}
}

/* In a process of its own: what it holds of a target is released when it ends. The target is its
 * child, as some systems allow to trace nothing else. */
static void run_within(const char *action, const char *library, const char *text,
                       void (*work)(void), int signal, int report)
{
	char number[16], *words[] = {"xer_attach", (char *)(uintptr_t)action, number,
	                             (char *)(uintptr_t)library, NULL};
	pid_t target = child_start(work);
	struct {
		int status, target, pid;
	} result = {.pid = (int)target};

	alarm(60);
	if (signal) {
		kill(target, signal);
		waitpid(target, NULL, WUNTRACED);
	}
	snprintf(number, sizeof(number), "%d", (int)target);
	setenv(DESCRIPTOR_VARIABLE, text, 1);
	dup2(report, STDERR_FILENO);
	result.status = attach_main(4, words);
	if (signal != SIGKILL && (work != wait_for_entry || result.status != 0))
		kill(target, SIGKILL);
	result.target = child_status(target);
	if (write(report, &result, sizeof(result)) != sizeof(result))
		_exit(1);
	_exit(0);
}

static struct result run_signalled(const char *action, const char *library, const char *text,
                                   void (*work)(void), int signal)
{
	struct {
		int status, target, pid;
	} numbers = {-1, -1, 0};
	struct result result;
	char file[] = "/tmp/xer-attach-XXXXXX", bytes[1024];
	int fd = mkstemp(file);
	ssize_t got;
	pid_t runner;

	cr_assert_geq(fd, 0);
	unlink(file);
	runner = fork();
	if (runner == 0)
		run_within(action, library, text, work, signal, fd);
	cr_assert_eq(child_status(runner), 0);
	got = pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	cr_assert_geq(got, (ssize_t)sizeof(numbers));
	got -= (ssize_t)sizeof(numbers);
	memcpy(&numbers, bytes + got, sizeof(numbers));
	result = (struct result){.status = numbers.status, .target = numbers.target};
	cr_assert_lt((size_t)got, sizeof(result.said));
	memcpy(result.said, bytes, (size_t)got);
	hide_number(result.said, sizeof(result.said));
	return result;
}

static void expect(struct result result, int status, const char *said)
{
	cr_expect_eq(result.status, status, "exit status %d", result.status);
	cr_expect_str_eq(result.said, said, "%s", result.said);
}

static struct result run(const char *action, const char *library, const char *text)
{
	return run_signalled(action, library, text, wait_for_entry, 0);
}

TestSuite(attach, .timeout = 100);

Test(attach, calls_the_entry_and_keeps_errno, .init = needs_ptrace)
{
	struct result result = run("attach", built("late/entry.so"), "0");

	expect(result, 0, "");
	cr_expect_eq(result.target, 11, "the target ended with %d", result.target);
}

Test(attach, what_the_entry_returns_is_told, .init = needs_ptrace)
{
	static const struct {
		const char *text;
		int status;
		const char *said;
	} cases[] = {
		{"16", 126, "process PID is being recorded already"},
		{"2", 126, "process PID is not recorded"},
		{"11", 126, "process PID: a thread is still in an earlier recording; try again"},
		{"13", 126,
	         "process PID may not write into the experiment; use -d with a directory that its "
	         "user can enter"},
		{"71", 126, "process PID has another version of libcollector.so"},
		{"22", 126, "process PID has another version of libcollector.so"},
		{"5", 125, "process PID: the recording cannot begin: Input/output error"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char said[256];

		snprintf(said, sizeof(said), "xcollect: %s\n", cases[i].said);
		expect(run("attach", built("late/entry.so"), cases[i].text), cases[i].status, said);
	}
}

Test(attach, a_crash_in_the_entry_is_told_and_undone, .init = needs_ptrace)
{
	struct result result = run("attach", built("late/entry.so"), "fault");

	cr_expect_eq(result.status, 125);
	cr_expect_eq(strncmp(result.said, "xcollect: process PID: signal 11 in the call at 0x", 49),
	             0, "%s", result.said);
	cr_expect(strstr(result.said, "); the call was undone\n") != NULL, "%s", result.said);
}

Test(attach, a_library_that_cannot_be_loaded_is_told_with_the_loaders_words, .init = needs_ptrace)
{
	expect(run("attach", "/nowhere/entry.so", "0"), 126,
	       "xcollect: process PID cannot load the collector: /nowhere/entry.so: cannot open "
	       "shared object file: No such file or directory\n");
	expect(run("attach", built("late/own_malloc.so"), "0"), 126,
	       "xcollect: process PID has another version of libcollector.so\n");
}

/* The library is not loaded to be left. */
Test(attach, to_detach_it_must_be_there, .init = needs_ptrace)
{
	expect(run("detach", built("late/entry.so"), "0"), 126,
	       "xcollect: process PID is not recorded\n");
}

Test(attach, a_process_that_is_stopped_is_left_alone)
{
	expect(run_signalled("attach", built("late/entry.so"), "0", sleep_long, SIGSTOP), 126,
	       "xcollect: process PID is stopped by a signal; continue it first: kill -CONT PID\n");
}

Test(attach, a_process_that_has_gone_is_told)
{
	expect(run_signalled("attach", built("late/entry.so"), "0", sleep_long, SIGKILL), 127,
	       "xcollect: process PID cannot be read: No such file or directory\n");
}

/* ---- what a thread is doing ---- */

static void spin(void)
{
	for (;;)
		__asm__ volatile("");
}

static void expect_doing(void (*work)(void), int signal, char doing)
{
	pid_t child = child_start(work);
	int tries = 200;

	kill(child, signal);
	while (thread_doing(child) != doing && --tries > 0)
		usleep(10000);
	cr_expect_eq(thread_doing(child), doing, "%c", thread_doing(child));
	kill(child, SIGKILL);
	child_status(child);
	cr_expect_eq(thread_doing(child), 0);
}

Test(attach, the_state_of_a_thread_stands_behind_its_name)
{
	expect_doing(spin, 0, 'R');
	expect_doing(sleep_long, 0, 'S');
	expect_doing(sleep_long, SIGSTOP, 'T');
}
