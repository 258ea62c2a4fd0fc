/* xer_sampler as a whole, in a child of the test: what it answers, when it ends, what it leaves in
 * the experiment, and when it archives. */
#include "format/layout.h"
#include "format/sampler.h"
#include "sampler/ring.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int perf_main(int argc, char **argv);

enum { MS = 1000000 };

static char path[64], archiver[96], text[65536];
static int directory = -1;

static void put_file(const char *name, const char *bytes, mode_t mode)
{
	int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(fd);
}

/* The archiver writes how it was called. */
static void set_up(void)
{
	char script[128];

	strcpy(path, "/tmp/xer-helper-XXXXXX");
	cr_assert_not_null(mkdtemp(path));
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(directory, 0);
	put_file(FMT_FILE_LOG, "<experiment>\n" FMT_LOG_CLOSE, 0644);
	cr_assert_eq(mkdirat(directory, FMT_DIR_SAMPLER, 0755), 0);
	snprintf(archiver, sizeof(archiver), "%s/archiver", path);
	snprintf(script, sizeof(script), "#!/bin/sh\necho \"$# $1 $2 $3 $4 $PATH\" >'%s/called'\n",
	         path);
	put_file("archiver", script, 0755);
}

static void set_up_samples(void)
{
	int fd = ring_event_open(0, -1, &(struct ring_settings){.period_ns = MS});

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
		cr_skip_test("the kernel does not let this user sample");
	close(fd);
	set_up();
}

static void tear_down(void)
{
	char command[128];

	if (directory < 0)
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	cr_assert_eq(system(command), 0);
}

TestSuite(helper, .init = set_up, .fini = tear_down, .timeout = 60);
TestSuite(helper_samples, .init = set_up_samples, .fini = tear_down, .timeout = 60);

static const char *read_file(const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[size < 0 ? 0 : size] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static int exists(const char *name)
{
	return faccessat(directory, name, F_OK, 0) == 0;
}

/* The number of a counter; UINT64_MAX: it is not in the log. */
static uint64_t counted(const char *name)
{
	char element[96];
	const char *at;

	snprintf(element, sizeof(element), "<count name=\"%s\" value=\"", name);
	at = strstr(read_file(FMT_FILE_LOG), element);
	return at ? strtoull(at + strlen(element), NULL, 10) : UINT64_MAX;
}

/* ---- the helper */

static pid_t helper;
static int to_helper;

static void start(char **words)
{
	int ends[2], count = 0;

	while (words[count])
		count++;
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	helper = fork();
	if (helper == 0) {
		int experiment = fcntl(directory, F_DUPFD_CLOEXEC, 10);
		int answer = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);

		alarm(50);
		close(directory);
		close(ends[0]);
		close(ends[1]);
		dup2(experiment, FMT_SAMPLER_EXPERIMENT);
		dup2(answer, FMT_SAMPLER_ANSWER);
		close(experiment);
		close(answer);
		_exit(perf_main(count, words));
	}
	cr_assert_gt(helper, 0);
	close(ends[1]);
	to_helper = ends[0];
}

static int end_of_helper(void)
{
	int status;

	close(to_helper);
	cr_assert_eq(waitpid(helper, &status, 0), helper);
	cr_assert(WIFEXITED(status), "%x", status);
	return WEXITSTATUS(status);
}

#define START(...) start((char *[]){"xer_sampler", __VA_ARGS__, NULL})

static struct sampler_answer let_begin(void)
{
	struct sampler_answer answer = {-1, -1};

	cr_assert_eq(write(to_helper, "", 1), 1);
	cr_assert_eq(read(to_helper, &answer, sizeof(answer)), (ssize_t)sizeof(answer));
	return answer;
}

/* ---- the program */

static int go;

/* When a byte has arrived, it executes a shell that works for some tenths of a second; or works
 * itself, as long as it is let. */
static pid_t target(int executes)
{
	int fds[2];
	pid_t child;

	cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(fds[0], &byte, 1) == 1 && executes)
			execl("/bin/sh", "sh", "-c",
			      "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", (char *)NULL);
		for (volatile unsigned turn = 0;; turn++)
			continue;
	}
	close(fds[0]);
	go = fds[1];
	return child;
}

static void wait_for_cpu_time(pid_t child, int ms)
{
	struct timespec used = {0};
	clockid_t clock;

	cr_assert_eq(clock_getcpuclockid(child, &clock), 0);
	do {
		usleep(5000);
		cr_assert_eq(clock_gettime(clock, &used), 0);
	} while (used.tv_sec * 1000 + used.tv_nsec / MS < ms);
}

/* Does a process hold the lock by which readers see that files are being written? */
static int is_locked(void)
{
	int fd = openat(directory, FMT_DIR_SAMPLER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = flock(fd, LOCK_SH | LOCK_NB);

	close(fd);
	return status < 0;
}

static void run_program(char *archives)
{
	char process[24];
	pid_t child = target(1);
	struct sampler_answer answer;
	int status;

	snprintf(process, sizeof(process), "%d", (int)child);
	START("exec", "1000000", "1048576", "8192", "0", "0", process, archiver, archives);
	answer = let_begin();
	cr_assert_eq(answer.status, 0);
	cr_assert_eq(answer.in_kernel, ring_may_kernel());
	cr_assert(is_locked());
	cr_assert_eq(write(go, "", 1), 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(end_of_helper(), 0);
	cr_assert_not(is_locked());
}

Test(helper_samples, a_program_is_sampled_and_archived)
{
	char called[128];

	run_program("copy");
	cr_assert(exists(FMT_DIR_SAMPLER "/" FMT_FILE_SAMPLER_MAP));
	cr_assert_gt(counted("sampler_samples"), 0);
	cr_assert_neq(counted("sampler_samples"), UINT64_MAX);
	cr_assert_gt(counted("sampler_cpu_ns"), 10 * MS);
	cr_assert_eq(counted("sampler_in_kernel"), (uint64_t)ring_may_kernel());
	cr_assert_eq(counted("lost_sampler"), 0);
	/* A sample takes some us at most; the helper used some CPU time, and less than a minute. */
	cr_assert_gt(counted("sampler_cost_ns"), 0);
	cr_assert_lt(counted("sampler_cost_ns"), MS);
	cr_assert_gt(counted("sampler_beside_ns"), MS / 100);
	cr_assert_lt(counted("sampler_beside_ns"), UINT64_C(50000) * MS);
	snprintf(called, sizeof(called), "4 -q -a copy %s /usr/bin:/bin\n", path);
	cr_assert_str_eq(read_file("called"), called);
}

/* Of any length. */
Test(helper_samples, the_archiver_may_have_the_shortest_name)
{
	cr_assert_eq(symlinkat("archiver", directory, "a") | fchdir(directory), 0);
	strcpy(archiver, "a");
	run_program("on");
	cr_assert(exists("called"));
}

Test(helper_samples, nothing_is_archived_if_that_is_not_wanted)
{
	run_program("off");
	cr_assert_gt(counted("sampler_samples"), 0);
	cr_assert_not(exists("called"));
}

Test(helper_samples, without_the_archiver_all_else_is_there)
{
	archiver[0] = '\0';
	run_program("on");
	cr_assert_neq(counted("sampler_samples"), UINT64_MAX);
}

/* A counter's files are in a directory of their own, and its cost is not measured. */
Test(helper_samples, a_running_process_is_sampled_until_a_byte_comes)
{
	char process[24], type[24], config[24];
	pid_t child = target(0);

	cr_assert_eq(mkdirat(directory, "counter0", 0755), 0);
	snprintf(process, sizeof(process), "%d", (int)child);
	snprintf(type, sizeof(type), "%d", PERF_TYPE_SOFTWARE);
	snprintf(config, sizeof(config), "%d", PERF_COUNT_SW_TASK_CLOCK);
	START("attach", "1000000", "1048576", "8192", "0", "0", process, archiver, "on", "counter0",
	      type, config);
	cr_assert_eq(let_begin().status, 0);
	cr_assert_eq(write(go, "", 1), 1);
	wait_for_cpu_time(child, 100);
	cr_assert_eq(write(to_helper, "", 1), 1);
	cr_assert_eq(end_of_helper(), 0);
	cr_assert_eq(kill(child, 0), 0);
	cr_assert_eq(waitpid(child, NULL, WNOHANG), 0, "it runs still");
	cr_assert(exists("counter0/" FMT_FILE_SAMPLER_MAP));
	cr_assert_not(exists(FMT_DIR_SAMPLER "/" FMT_FILE_SAMPLER_MAP));
	cr_assert_gt(counted("counter0_samples"), 0);
	cr_assert_neq(counted("counter0_samples"), UINT64_MAX);
	cr_assert_eq(counted("counter0_cost_ns"), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* As when xcollect fails before it starts the program. */
Test(helper_samples, who_is_not_let_begin_does_nothing)
{
	START("exec", "1000000", "1048576", "8192", "0", "0", "1", archiver, "on");
	close(to_helper);
	to_helper = -1;
	cr_assert_eq(end_of_helper(), 1);
	cr_assert_not(exists(FMT_DIR_SAMPLER "/" FMT_FILE_SAMPLER_MAP));
	cr_assert_str_eq(read_file(FMT_FILE_LOG), "<experiment>\n" FMT_LOG_CLOSE);
}

Test(helper_samples, a_failure_is_answered)
{
	put_file(FMT_DIR_SAMPLER "/" FMT_FILE_SAMPLER_MAP, "", 0644);
	START("exec", "1000000", "1048576", "8192", "0", "0", "1", archiver, "on");
	cr_assert_eq(let_begin().status, -EEXIST);
	cr_assert_eq(end_of_helper(), 1);
	cr_assert_str_eq(read_file(FMT_FILE_LOG), "<experiment>\n" FMT_LOG_CLOSE);
}

static void is_wrong(void)
{
	cr_assert_eq(write(to_helper, "", 1), 1);
	cr_assert_eq(end_of_helper(), 2);
	cr_assert_not(exists(FMT_DIR_SAMPLER "/" FMT_FILE_SAMPLER_MAP));
	cr_assert_not(exists("called"));
}

Test(helper, other_arguments_are_wrong)
{
	START("exec", "1000000", "1048576", "8192", "0", "0", "1", archiver);
	is_wrong();
	START("exec", "1000000", "1048576", "8192", "0", "0", "1", archiver, "on", FMT_DIR_SAMPLER,
	      "1");
	is_wrong();
	START("exec", "1000000", "1048576", "8192", "0", "0", "1", archiver, "on", FMT_DIR_SAMPLER,
	      "1", "1", "1");
	is_wrong();
	START("other", "1000000", "1048576", "8192", "0", "0", "1", archiver, "on");
	is_wrong();
	START("timers", archiver);
	is_wrong();
	START("timer", archiver, "0");
	is_wrong();
	START("timers", archiver, "0", "0");
	is_wrong();
}

Test(helper, without_its_directory_it_tells_who_runs_it)
{
	cr_assert_eq(unlinkat(directory, FMT_DIR_SAMPLER, AT_REMOVEDIR), 0);
	START("timers", archiver, "0");
	cr_assert_eq(end_of_helper(), 2);
}

Test(helper, for_timers_the_exporter_is_run)
{
	char called[160];

	START("timers", archiver, "0");
	cr_assert_eq(let_begin().status, 0);
	cr_assert_eq(end_of_helper(), 0);
	snprintf(called, sizeof(called), "4 -export sampler %s/sampler %s ", path, path);
	cr_assert_eq(strncmp(read_file("called"), called, strlen(called)), 0, "%s", text);
}
