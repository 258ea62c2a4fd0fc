/* Tests of the sampling helpers: how they are started and told to begin, and the messages about
 * their answers. A script takes the place of the helper, and writes down its arguments. */
#include "collect/record/sampler.h"
#include "tests/unit/capture.h"
#include "tests/unit/collect/scratch.h"
#include "tests/unit/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct installation installation;
static struct request request;
static struct experiment_directory experiment;
static struct capture messages;
static pid_t program;

static void enter(void)
{
	scratch_enter();
	cr_assert_eq(mkdir("test.1.er", 0755), 0);
	experiment.fd = open("test.1.er", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	strcpy(installation.archive, "/x/xer_archive");
	cr_assert_not_null(realpath(".", installation.sampler));
	strcat(installation.sampler, "/helper");
	request = (struct request){.sampler_ns = 1000000,
	                           .sampler_bytes = 64 << 20,
	                           .sampler_stack = 8192,
	                           .archive = "src"};
}

static void leave(void)
{
	close(experiment.fd);
	scratch_leave();
}

/* As xcollect, which occupies the numbers of the standard files. */
static void enter_with_input(void)
{
	input_open();
	enter();
}

TestSuite(sampler, .init = enter_with_input, .fini = leave, .timeout = 60);

/* Run in a child, which takes the place of the program: its helpers become orphans, which this
 * process adopts, as the test runner may wait for all its children. Returns the result of
 * `body`. */
static unsigned in_program(unsigned (*body)(void))
{
	unsigned result = 0;
	int status;
	pid_t ended;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	program = fork();
	if (program == 0)
		_exit((int)body());
	while ((ended = waitpid(-1, &status, 0)) > 0)
		if (ended == program)
			result = WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 255;
	return result;
}

static unsigned begin(void)
{
	return sampler_begin(&installation, &request, &experiment);
}

/* Its answer is two 32-bit numbers; `end`: what it does then. */
static void put_helper(const char *answer, const char *end)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "#!/bin/sh\n"
	         "directory=$(readlink /proc/$$/fd/3)\n"
	         "[ ! -e /proc/$$/fd/20 ] || directory=nothing\n"
	         "echo \"$*|$PWD|$PATH\" >>\"$directory/log\"\n"
	         "head -c 1 <&4 >/dev/null\n"
	         "printf '%s' >&4\n%s\n",
	         answer, end);
	scratch_put("helper", text, strlen(text), 0755);
}

#define READY "\\000\\000\\000\\000\\001\\000\\000\\000"
#define NOT_IN_KERNEL "\\000\\000\\000\\000\\000\\000\\000\\000"
#define REFUSED "\\377\\377\\377\\377\\000\\000\\000\\000" /* -EPERM */

static void expect_log(const char *expected)
{
	char text[1024] = "";
	FILE *file = fopen("test.1.er/log", "r");

	cr_assert(file != NULL);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	cr_expect_str_eq(text, expected, "%s", text);
}

static void expect_said(const char *expected)
{
	char *said = capture_end(&messages);

	cr_expect_str_eq(said, expected, "%s", said);
	free(said);
}

static int exists(const char *path)
{
	return access(path, F_OK) == 0;
}

Test(sampler, the_helper_gets_what_is_wanted_and_nothing_else)
{
	char expected[256];

	/* Of the program's. */
	dup2(experiment.fd, 20);
	put_helper(READY, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 1);
	expect_said("");
	snprintf(expected, sizeof(expected),
	         "exec 1000000 67108864 8192 0 0 %d /x/xer_archive src|/|/usr/bin:/bin\n",
	         (int)program);
	expect_log(expected);
	cr_expect(exists("test.1.er/sampler"));
}

static unsigned begin_and_look(void)
{
	struct sigaction before, after;
	unsigned begun;

	sigaction(SIGCHLD, NULL, &before);
	begun = begin();
	sigaction(SIGCHLD, NULL, &after);
	return after.sa_handler == before.sa_handler && waitpid(-1, NULL, WNOHANG) < 0 &&
	                       errno == ECHILD
	               ? begun
	               : 255;
}

Test(sampler, it_is_no_child_of_the_program_and_no_signal_comes_of_it)
{
	put_helper(READY, "");
	cr_expect_eq(in_program(begin_and_look), 1);
}

Test(sampler, samples_outside_of_the_kernel_alone_are_told)
{
	put_helper(NOT_IN_KERNEL, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 1);
	expect_said("xcollect: --sampler takes no samples in system calls: the system forbids that "
	            "(kernel.perf_event_paranoid is above 1)\n");
}

Test(sampler, a_helper_that_cannot_leaves_no_directory)
{
	char expected[4300];

	put_helper(REFUSED, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 0);
	snprintf(expected, sizeof(expected),
	         "xcollect: warning: --sampler: %s: Operation not permitted; the recording goes on "
	         "without\n",
	         installation.sampler);
	expect_said(expected);
	cr_expect_not(exists("test.1.er/sampler"));
}

Test(sampler, a_helper_that_is_not_there_or_ends_is_told)
{
	installation.sampler[0] = '\0';
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 0);
	expect_said("xcollect: warning: --sampler: lib/xer/xer_sampler: No such file or directory; "
	            "the recording goes on without\n");
	cr_expect_not(exists("test.1.er/sampler"));
	strcpy(installation.sampler, "/bin/true");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 0);
	expect_said("xcollect: warning: --sampler: /bin/true: Input/output error; the recording "
	            "goes on without\n");
}

Test(sampler, what_is_in_the_experiment_already_is_left_alone)
{
	mkdir("test.1.er/sampler", 0755);
	scratch_put("test.1.er/sampler/cpu0.fxt", "x", 1, 0644);
	put_helper(READY, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 0);
	free(capture_end(&messages));
	cr_expect(exists("test.1.er/sampler/cpu0.fxt"));
	cr_expect_not(exists("test.1.er/log"));
}

Test(sampler, each_counter_has_a_helper_of_its_own)
{
	char expected[512];

	request.counters.count = 2;
	request.counters.counter[0] = (struct counter){
		.name = "page-faults", .type = 1, .config = 2, .period = 10};
	request.counters.counter[1] = (struct counter){
		.name = "cycles", .type = 0, .config = 0, .period = 999};
	/* One after the other, as each waits for permission to begin. */
	request.sampler_ns = 0;
	request.kernel = 1;
	put_helper(NOT_IN_KERNEL, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 2);
	expect_said("");
	cr_expect(exists("test.1.er/counter0") && exists("test.1.er/counter1"));
	cr_assert_eq(system("sort test.1.er/log >sorted && mv sorted test.1.er/log"), 0);
	snprintf(expected, sizeof(expected),
	         "exec 10 67108864 8192 1 0 %d /x/xer_archive src counter0 1 2|/|/usr/bin:/bin\n"
	         "exec 999 67108864 8192 1 0 %d /x/xer_archive off counter1 0 0|/|/usr/bin:/bin\n",
	         (int)program, (int)program);
	expect_log(expected);
}

Test(sampler, where_timers_sample_the_helper_waits_for_the_end)
{
	char expected[256];

	request.sampler_timers = 1;
	put_helper(READY, "");
	capture_begin(&messages, stderr);
	cr_expect_eq(in_program(begin), 1);
	expect_said("xcollect: warning: xer_print is not beside xcollect: sampler/ will stay "
	            "empty; the samples of the timers are a profile all the same\n");
	snprintf(expected, sizeof(expected), "timers  %d|/|/usr/bin:/bin\n", (int)program);
	expect_log(expected);
}

/* The helper exists until it is told to end. */
static unsigned attach_and_end(void)
{
	struct samplers samplers;
	unsigned begun = sampler_attach(&installation, &request, &experiment, 4711, &samplers);
	int is_over = access("test.1.er/over", F_OK) == 0;

	sampler_end(&samplers);
	return !is_over && samplers.count == 0 && access("test.1.er/over", F_OK) == 0 ? begun : 255;
}

Test(sampler, of_a_running_process_it_goes_on_until_it_is_told)
{
	put_helper(READY, "head -c 1 <&4 >/dev/null; >\"$directory/over\"");
	cr_expect_eq(in_program(attach_and_end), 1);
	expect_log("attach 1000000 67108864 8192 0 0 4711 /x/xer_archive src|/|/usr/bin:/bin\n");
}

Test(sampler, without_a_wish_nothing_is_prepared)
{
	struct request none = {.profile_us = 10007};

	capture_begin(&messages, stderr);
	sampler_prepare(&none);
	expect_said("");
	cr_expect_eq(none.profile_us, 10007);
	cr_expect_eq(none.sampler_timers, 0);
	cr_expect_eq(sampler_begin(&installation, &none, &experiment), 0);
}
