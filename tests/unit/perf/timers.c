/* If the kernel refuses to sample: which processes are waited for, and what is run then. */
#include "perf/timers.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[64], exporter[96];
static int directory = -1;

static void put(const char *name, const char *text, int mode)
{
	int fd = openat(directory, name, O_CREAT | O_WRONLY | O_TRUNC, mode);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(close(fd), 0);
}

/* The exporter writes its input into the experiment's directory, and ends with `status`. */
static void put_exporter(const char *end)
{
	char text[300];

	snprintf(text, sizeof(text), "#!/bin/sh\necho \"$1 $2 $3 $4 $#\" >'%s/given'\n%s\n", path,
	         end);
	put("exporter", text, 0755);
}

static void setup(void)
{
	strcpy(path, "/tmp/xer-timers-XXXXXX");
	cr_assert_not_null(mkdtemp(path));
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(directory, 0);
	put("log.xml", "<experiment>\n</experiment>\n", 0644);
	snprintf(exporter, sizeof(exporter), "%s/exporter", path);
	put_exporter("exit 0");
}

static void done(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	cr_assert_eq(system(command), 0);
}

TestSuite(timers, .init = setup, .fini = done, .timeout = 60);

static void is_text(const char *name, const char *wanted)
{
	char text[4096] = "";
	int fd = openat(directory, name, O_RDONLY);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	cr_assert_geq(len, 0);
	cr_assert_not_null(strstr(text, wanted), "%s has no %s: %s", name, wanted, text);
	close(fd);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A process that holds the lock of a log for some time. */
static pid_t record(const char *log, int ms)
{
	int ready[2];
	char byte;
	pid_t child;

	cr_assert_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = openat(directory, log, O_RDWR);

		if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		usleep((useconds_t)ms * 1000);
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void reap(pid_t child)
{
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

Test(timers, the_exporter_is_run_for_the_samplers_files)
{
	char wanted[300];

	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 0);
	snprintf(wanted, sizeof(wanted), "-export sampler %s/sampler %s 4\n", path, path);
	is_text("given", wanted);
	is_text("log.xml", "<experiment>\n</experiment>");
}

Test(timers, what_went_wrong_is_in_the_log)
{
	put_exporter("exit 3");
	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 1);
	is_text("log.xml", "exporter failed with exit status 3");
	put_exporter("kill -9 $$");
	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 1);
	is_text("log.xml", "exporter was ended by signal 9");
	strcat(exporter, "s");
	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 1);
	is_text("log.xml", "exporters cannot be run: No such file or directory");
	exporter[0] = '\0';
	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 1);
	is_text("log.xml", "xer_print cannot be run: No such file or directory");
}

static void waits_for(const char *log)
{
	long begin = now_ms();
	pid_t child = record(log, 600);

	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 0);
	cr_assert_geq(now_ms() - begin, 600, "%s", log);
	reap(child);
}

Test(timers, all_that_record_are_waited_for)
{
	cr_assert_eq(mkdirat(directory, "_f1.er", 0755), 0);
	cr_assert_eq(mkdirat(directory, "_f2_x1.er", 0755), 0);
	put("_f1.er/log.xml", "<experiment>\n</experiment>\n", 0644);
	put("_f2_x1.er/log.xml", "<experiment>\n</experiment>\n", 0644);
	waits_for("log.xml");
	waits_for("_f1.er/log.xml");
	waits_for("_f2_x1.er/log.xml");
}

Test(timers, what_is_no_descendant_is_not_waited_for)
{
	static const char *const others[] = {"f1.er", "_f1.ers", "_er", "_f3.er"};
	char log[64];
	pid_t children[3];
	long begin;

	for (int i = 0; i < 4; i++) {
		cr_assert_eq(mkdirat(directory, others[i], 0755), 0);
		snprintf(log, sizeof(log), "%s/log.xml", others[i]);
		put(log, "<experiment>\n</experiment>\n", 0644);
		if (i < 3)
			children[i] = record(log, 5000);
	}
	begin = now_ms();
	cr_assert_eq(timers_wait_and_export(directory, 0, exporter), 0);
	cr_assert_lt(now_ms() - begin, 4900, "none of them");
	for (int i = 0; i < 3; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

Test(timers, a_process_is_waited_for_until_it_has_ended)
{
	long begin = now_ms();
	pid_t child = fork();

	if (child == 0) {
		usleep(500000);
		_exit(0);
	}
	cr_assert_eq(timers_wait_and_export(directory, child, exporter), 0);
	cr_assert_geq(now_ms() - begin, 500);
	reap(child);
}
