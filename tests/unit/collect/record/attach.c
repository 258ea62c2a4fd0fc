/* Tests of recording a running process: when its helper is called, and when that ends. Scripts take
 * the place of the helper and the archiver, and write down their arguments. */
#include "collect/record/attach.h"
#include "tests/unit/capture.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct installation installation;
static struct request request;
static struct experiment_directory experiment;
static struct target target;
static const struct clock_source clock_source = {.is_tsc = 0, .hz = 1000000000};
static const struct clock_moment start = {.ticks = 5};
static struct cause cause;

static void enter(void)
{
	char here[PATH_MAX];

	scratch_enter();
	cr_assert_not_null(getcwd(here, sizeof(here)));
	cr_assert_eq(mkdir("test.1.er", 0755), 0);
	snprintf(experiment.path, sizeof(experiment.path), "%.3000s/test.1.er", here);
	experiment.fd = open("test.1.er", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(installation.helper, sizeof(installation.helper), "%.3000s/helper", here);
	snprintf(installation.archive, sizeof(installation.archive), "%.3000s/archiver", here);
	strcpy(installation.library, "/x/libcollector.so");
	request = (struct request){
		.archive = "src", .follow = "on", .mpi_launcher = "off", .to_ms = 50, .heap = 1};
	target = (struct target){.pid = fork(), .path = "/x/program"};
	if (target.pid == 0) {
		sleep(60);
		_exit(0);
	}
}

static void leave(void)
{
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
	close(experiment.fd);
	scratch_leave();
}

TestSuite(attach, .init = enter, .fini = leave, .timeout = 60);

/* Each writes down its arguments; `body`: what it does then. */
static void put_scripts(const char *body)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "#!/bin/sh\necho \"$*|${XER_RECORD%%%%;*}\" >>%.200s/log\n%s\n", experiment.path,
	         body);
	scratch_put("helper", text, strlen(text), 0755);
	snprintf(text, sizeof(text), "#!/bin/sh\necho \"archive $*\" >>%.200s/log\n",
	         experiment.path);
	scratch_put("archiver", text, strlen(text), 0755);
}

static void expect_log(const char *expected)
{
	char text[1024] = "";
	FILE *file = fopen("test.1.er/log", "r");

	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	cr_expect_str_eq(text, expected, "%s", text);
}

static int record(int *begun, const char *said)
{
	struct capture messages;
	char *text;
	int status;

	*begun = 0;
	capture_begin(&messages, stderr);
	status = attach_record(&installation, &request, &clock_source, &start, &target, &experiment,
	                       begun, &cause);
	text = capture_end(&messages);
	cr_expect_str_eq(text, said, "%s", text);
	free(text);
	return status;
}

static const char *attached(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "Attached to process %d\n", (int)target.pid);
	return text;
}

Test(attach, it_goes_in_stays_and_goes_out)
{
	char expected[1024];
	int begun;

	put_scripts("");
	cr_expect_eq(record(&begun, attached()), 0, "%s", cause.text);
	cr_expect_eq(begun, 1);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\ndetach %d /x/libcollector.so|\n"
	         "archive -a src -z off -q %.200s\n",
	         (int)target.pid, (int)target.pid, experiment.path);
	expect_log(expected);
}

Test(attach, nothing_is_archived_where_nothing_is_to_be)
{
	char expected[256];
	int begun;

	put_scripts("");
	request.archive = "off";
	cr_expect_eq(record(&begun, attached()), 0);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\ndetach %d /x/libcollector.so|\n",
	         (int)target.pid, (int)target.pid);
	expect_log(expected);
}

Test(attach, data_files_are_compressed_where_that_is_wanted)
{
	char expected[512];
	int begun;

	put_scripts("");
	request.archive = "off";
	request.compress = COMPRESS_ON;
	cr_expect_eq(record(&begun, attached()), 0);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\ndetach %d /x/libcollector.so|\n"
	         "archive -a off -z on -q %.200s\n",
	         (int)target.pid, (int)target.pid, experiment.path);
	expect_log(expected);
}

Test(attach, what_cannot_be_entered_is_not_begun)
{
	int begun;

	put_scripts("exit 126");
	cr_expect_eq(record(&begun, ""), 126);
	cr_expect_eq(begun, 0);
	installation.helper[0] = '\0';
	cr_expect_eq(record(&begun, ""), 125);
	cr_expect_eq(begun, 0);
}

Test(attach, leaving_is_tried_three_times)
{
	char expected[1024];
	int begun;

	put_scripts("[ \"$1\" = attach ] || exit 9");
	cr_expect_eq(record(&begun, attached()), 9);
	cr_expect_eq(begun, 1);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\n"
	         "detach %d /x/libcollector.so|\n"
	         "detach %d /x/libcollector.so|\n"
	         "detach %d /x/libcollector.so|\n"
	         "archive -a src -z off -q %.200s\n",
	         (int)target.pid, (int)target.pid, (int)target.pid, (int)target.pid,
	         experiment.path);
	expect_log(expected);
}

Test(attach, the_end_of_the_process_is_that_of_the_recording)
{
	char expected[1024];
	int begun;

	put_scripts("kill -KILL $2");
	request.to_ms = 0;
	cr_expect_eq(record(&begun, attached()), 0);
	cr_expect_eq(begun, 1);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\narchive -a src -z off -q %.200s\n",
	         (int)target.pid, experiment.path);
	expect_log(expected);
}

Test(attach, a_signal_ends_the_recording)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char expected[256];
	int begun;

	put_scripts("");
	request.to_ms = 0;
	request.archive = "off";
	for (size_t i = 0; i < 3; i++) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, signals[i]);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(signals[i]);
		cr_expect_eq(record(&begun, attached()), 0);
		/* It is still there, as nothing has read it. */
		sigwaitinfo(&set, NULL);
		unlink("test.1.er/log");
	}
	raise(SIGTERM);
	cr_expect_eq(record(&begun, attached()), 0);
	snprintf(expected, sizeof(expected),
	         "attach %d /x/libcollector.so|v=1\ndetach %d /x/libcollector.so|\n",
	         (int)target.pid, (int)target.pid);
	expect_log(expected);
}

Test(attach, a_process_that_is_gone_is_told)
{
	struct target gone = target;
	int begun;

	put_scripts("");
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
	cr_expect_eq(record(&begun, ""), 127);
	cr_expect_eq(begun, 0);
	cr_expect(strstr(cause.text, ": No such process") != NULL, "%s", cause.text);
	target = gone;
}

Test(attach, from_outside_nothing_goes_in)
{
	int begun;

	put_scripts("");
	strcpy(target.outside, "it is statically linked");
	cr_expect_eq(record(&begun, ""), 125);
	cr_expect_eq(begun, 0);
	cr_expect(strstr(cause.text, " cannot be sampled") != NULL, "%s", cause.text);
	expect_log("");
}
