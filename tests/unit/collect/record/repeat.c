/* Runs of --repeat and --versus. In place of a program, each run writes a line of what it was asked
 * for. */
#include "collect/record/repeat.h"

#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 8 };

static char directory[] = "/tmp/xer-repeat-XXXXXX";
static char *words[WORDS_MAX];
static struct request request;
static struct cause cause;
static char *said; /* on stderr */

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	request = (struct request){.target = words};
	words[0] = "old";
	words[1] = "1";
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
	free(said);
}

TestSuite(repeat, .init = set_up, .fini = tear_down);

static void put(const char *name)
{
	fclose(fopen(name, "w"));
}

/* A run: a line "group word word", and an exit status for each program. */
static void be_a_run(int old_status, int new_status)
{
	FILE *out = fopen("runs", "a");

	fprintf(out, "%s%s", request.is_warmup ? "warm-up " : "", request.experiment_group);
	for (char **word = request.target; *word; word++)
		fprintf(out, " %s", *word);
	fputc('\n', out);
	fclose(out);
	_exit(strcmp(request.target[0], "new") == 0 ? new_status : old_status);
}

/* Run all. Returns what xcollect would end with. */
static int run(int old_status, int new_status)
{
	struct capture messages;
	int is_run, status;

	capture_begin(&messages, stderr);
	status = repeat_runs(&request, &is_run, &cause);
	if (is_run)
		be_a_run(old_status, new_status);
	free(said);
	said = capture_end(&messages);
	return status;
}

static void expect_runs(const char *expected)
{
	char text[1024] = "";
	FILE *file = fopen("runs", "r");

	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		unlink("runs");
	}
	cr_expect_str_eq(text, expected, "%s", text);
}

static void compare_old_with_new(void)
{
	request.versus = "--";
	words[2] = "--";
	words[3] = "new";
	words[4] = "2";
}

Test(repeat, a_program_runs_so_often_into_a_free_group)
{
	request.repeat = 3;
	put("test.1.erg");
	cr_expect_eq(run(0, 0), 0);
	expect_runs("test.2.erg old 1\ntest.2.erg old 1\ntest.2.erg old 1\n");
	cr_expect_str_eq(
		said, "3 runs are in test.2.erg; to read them: xer_print -functions test.2.erg\n");
}

Test(repeat, warm_ups_come_first)
{
	request.repeat = 2;
	request.warmup = 2;
	request.groups[0] = "mine.erg";
	request.group_count = 1;
	cr_expect_eq(run(0, 0), 0);
	expect_runs("warm-up mine.erg old 1\nwarm-up mine.erg old 1\nmine.erg old 1\nmine.erg old "
	            "1\n");
	cr_expect_str_eq(said,
	                 "2 runs are in mine.erg; to read them: xer_print -functions mine.erg\n");
}

Test(repeat, two_programs_take_turns)
{
	request.repeat = 3;
	compare_old_with_new();
	cr_expect_eq(run(0, 0), 0);
	expect_runs("test.1.a.erg old 1\ntest.1.b.erg new 2\n"
	            "test.1.b.erg new 2\ntest.1.a.erg old 1\n"
	            "test.1.a.erg old 1\ntest.1.b.erg new 2\n");
	cr_expect_str_eq(said, "3 runs each are in test.1.a.erg and test.1.b.erg; to compare them: "
	                       "xer_print -changes test.1.a.erg test.1.b.erg\n");
}

/* Both are free, or the number is not taken. */
Test(repeat, two_programs_without_a_number_run_once_each)
{
	put("test.1.b.erg");
	compare_old_with_new();
	cr_expect_eq(run(0, 0), 0);
	expect_runs("test.2.a.erg old 1\ntest.2.b.erg new 2\n");
}

Test(repeat, groups_that_are_named)
{
	request.groups[0] = "a.erg";
	request.groups[1] = "b.erg";
	request.group_count = 2;
	compare_old_with_new();
	cr_expect_eq(run(0, 0), 0);
	expect_runs("a.erg old 1\nb.erg new 2\n");
}

static void expect_refused(const char *separator)
{
	static const char expected[] =
		"--versus needs two programs with %s between them: xcollect --versus old ARGUMENTS "
		"%s new ARGUMENTS";
	char text[256];

	snprintf(text, sizeof(text), expected, separator, separator);
	request.versus = separator;
	cr_expect_eq(run(0, 0), CAUSE_FAILED);
	cr_expect_str_eq(cause.text, text);
	expect_runs("");
}

Test(repeat, each_side_needs_a_program)
{
	expect_refused("--"); /* there is none */
	words[2] = "--";
	expect_refused("--"); /* nothing behind it */
	words[0] = "--";
	words[1] = "new";
	words[2] = NULL;
	expect_refused("--"); /* nothing before it */
}

Test(repeat, failures_are_counted_and_the_last_one_is_the_status)
{
	request.repeat = 2;
	request.warmup = 1;
	compare_old_with_new();
	cr_expect_eq(run(0, 3), 3);
	cr_expect_str_eq(said, "xcollect: 3 of 6 runs failed, the last one with exit status 3\n"
	                       "2 runs each are in test.1.a.erg and test.1.b.erg; to compare them: "
	                       "xer_print -changes test.1.a.erg test.1.b.erg\n");
	compare_old_with_new();
	cr_expect_eq(run(4, 5), 4, "the order of the last turn is B A");
}

/* 125, 126 and 127: xcollect could not begin. */
Test(repeat, what_cannot_begin_is_not_tried_again)
{
	request.repeat = 5;
	for (int status = CAUSE_FAILED; status <= CAUSE_NOT_FOUND; status++) {
		cr_expect_eq(run(status, 0), status);
		expect_runs("test.1.erg old 1\n");
		cr_expect(strstr(said, "xcollect: 1 of 5 runs failed") == said, "%s", said);
		cr_expect_null(strstr(said, "to read them"), "%s", said);
	}
	cr_expect_eq(run(CAUSE_FAILED - 1, 0), CAUSE_FAILED - 1);
	cr_expect(strstr(said, "xcollect: 5 of 5 runs failed") == said, "%s", said);
	cr_expect_eq(run(CAUSE_NOT_FOUND + 1, 0), CAUSE_NOT_FOUND + 1);
	cr_expect(strstr(said, "xcollect: 5 of 5 runs failed") == said, "%s", said);
}

Test(repeat, a_dry_run_is_one)
{
	request.repeat = 3;
	request.warmup = 2;
	request.dry_run = 1;
	cr_expect_eq(run(0, 0), 0);
	expect_runs("test.1.erg old 1\n");
	cr_expect_str_eq(said, "");
}

Test(repeat, each_run_reads_the_input_from_its_beginning)
{
	int fd = open("input", O_RDWR | O_CREAT, 0600), is_run, status;
	char text[8] = "";

	cr_assert_eq(write(fd, "skipped", 7), 7);
	cr_assert_eq(write(fd, "input", 5), 5);
	cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	cr_assert_eq(lseek(STDIN_FILENO, 7, SEEK_SET), 7);
	request.repeat = 2;
	request.groups[0] = "x.erg";
	request.group_count = 1;
	status = repeat_runs(&request, &is_run, &cause);
	if (is_run)
		_exit(read(STDIN_FILENO, text, 7) != 5 || strcmp(text, "input") != 0);
	cr_expect_eq(status, 0);
}

/* It is an exit status as a shell has it. */
Test(repeat, a_run_that_is_killed_fails)
{
	int is_run, status;

	request.groups[0] = "x.erg";
	request.group_count = 1;
	status = repeat_runs(&request, &is_run, &cause);
	if (is_run)
		raise(SIGKILL);
	cr_expect_eq(status, 128 + SIGKILL);
}

/* ---- signals */

/* In a process of its own: run twice, where each run sends it a signal. Returns how it ended. */
static int end_of_runs(int signal_number, void (*handler)(int))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int is_run;
		pid_t parent = getpid();

		signal(signal_number, handler);
		request.repeat = 2;
		status = repeat_runs(&request, &is_run, &cause);
		if (is_run) {
			signal(signal_number, SIG_IGN);
			kill(parent, signal_number);
			usleep(20000);
			be_a_run(7, 7);
		}
		_exit(status);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

Test(repeat, a_signal_ends_the_runs_and_xcollect_by_it)
{
	static const int asking[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

	for (int i = 0; i < 4; i++) {
		int status = end_of_runs(asking[i], SIG_DFL);

		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == asking[i], "%d: %x", asking[i],
		          status);
		expect_runs("test.1.erg old 1\n");
	}
}

Test(repeat, what_is_ignored_stays_ignored)
{
	int status = end_of_runs(SIGINT, SIG_IGN);

	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%x", status);
	expect_runs("test.1.erg old 1\ntest.1.erg old 1\n");
}

/* Sent to xcollect alone, it reaches the run. */
Test(repeat, a_signal_is_passed_on)
{
	int status, pipes[2];
	char byte = 'r';
	pid_t pid;

	cr_assert_eq(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		int is_run;

		request.repeat = 3;
		repeat_runs(&request, &is_run, &cause);
		if (is_run) {
			if (write(pipes[1], &byte, 1) == 1)
				pause();
			_exit(0);
		}
		_exit(99);
	}
	cr_assert_eq(read(pipes[0], &byte, 1), 1);
	kill(pid, SIGTERM);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%x", status);
}
