/* xcollect --snapshot for the process itself: a script takes its place and reports its arguments.
 */
#include "libcollector/process/snapshot.h"
#include "libcollector/process/snapshot_wait.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/thread/signals.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int children_told;

static void on_child(int signal)
{
	children_told += signal == SIGCHLD;
}

/* What the script does after it has written down its arguments. */
static void put_script(const char *then)
{
	int fd = openat(col_directory_get(), "xcollect", O_CREAT | O_WRONLY | O_TRUNC, 0700);

	cr_assert_gt(dprintf(fd, "#!/bin/sh\necho \"$* PATH=$PATH\" >>'%s/run'\n%s\n",
	                     col.descriptor.directory, then),
	             0);
	close(fd);
}

static void setup(void)
{
	scratch_open();
	strcat(strcpy(col.descriptor.collect, col.descriptor.directory), "/xcollect");
	put_script("");
	signal(SIGCHLD, on_child);
}

TestSuite(snapshot, .init = setup, .fini = scratch_remove, .timeout = 30);

static int was_run_with(const char *format, const char *value)
{
	char wanted[9000];

	snprintf(wanted, sizeof(wanted), format, (int)col.pid, value);
	return scratch_count("run", wanted);
}

Test(snapshot, xcollect_is_told_the_process_and_the_name)
{
	strcpy(col.descriptor.archive_mode, "src");
	errno = 77;
	cr_assert_eq(snapshot_take("a b.er"), 0);
	cr_assert_eq(errno, 77);
	cr_expect_eq(was_run_with("--snapshot %d -A src -o %s PATH=/usr/bin:/bin\n", "a b.er"), 1);
	cr_expect_eq(children_told, 0, "the program sees no child");
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
}

Test(snapshot, without_a_name_it_is_beside_the_experiment)
{
	char place[5000], *slash;

	strcpy(place, col.descriptor.directory);
	slash = strrchr(place, '/');
	*slash = '\0';
	cr_assert_eq(snapshot_take(NULL), 0);
	cr_expect_eq(was_run_with("--snapshot %d -A off -d %s PATH", place), 1);
}

/* The script goes on writing to where it was. */
Test(snapshot, beside_an_experiment_of_the_root_directory_is_the_root_directory)
{
	static const char *const directories[] = {"/name.er", "name.er"};

	for (int i = 0; i < 2; i++) {
		char own[sizeof(col.descriptor.directory)];
		int status;

		strcpy(own, col.descriptor.directory);
		strcpy(col.descriptor.directory, directories[i]);
		status = snapshot_take(NULL);
		strcpy(col.descriptor.directory, own);
		cr_assert_eq(status, 0);
		cr_expect_eq(was_run_with("--snapshot %d -A off -d %s PATH", "/"), i + 1);
	}
}

Test(snapshot, what_failed_is_in_the_log)
{
	put_script("exit 125");
	cr_expect_eq(snapshot_take("a.er"), -1);
	cr_expect_eq(scratch_count("log.xml", "no snapshot was made: xcollect --snapshot failed"),
	             1);
	put_script("kill -9 $$");
	cr_expect_eq(snapshot_take("a.er"), -1);
	put_script("");
	cr_expect_eq(snapshot_take("a.er"), 0, "the next one may succeed");
}

Test(snapshot, a_name_that_is_too_long_is_none)
{
	static char name[10000];

	memset(name, 'a', sizeof(name) - 1);
	cr_expect_eq(snapshot_take(name), -1);
	cr_expect_eq(scratch_count("log.xml", "its name is too long"), 1);
}

Test(snapshot, where_xcollect_is_unknown_there_is_none)
{
	col.descriptor.collect[0] = '\0';
	cr_expect_eq(snapshot_take("a.er"), -1);
}

static void *take_one(void *result)
{
	*(int *)result = snapshot_take("a.er");
	return NULL;
}

Test(snapshot, there_is_one_at_a_time)
{
	int first = 7;
	pthread_t thread;

	put_script("sleep 1");
	cr_assert_eq(pthread_create(&thread, NULL, take_one, &first), 0);
	for (int i = 0; i < 5000 && was_run_with("--snapshot %d%s", "") == 0; i++)
		usleep(1000);
	cr_expect_eq(snapshot_take("b.er"), -1);
	snapshot_forget();
	put_script("");
	cr_expect_eq(snapshot_take("c.er"), 0, "a forked child has none under way");
	pthread_join(thread, NULL);
	cr_expect_eq(first, 0);
}

static int has_run(const char *why)
{
	for (int i = 0; i < 5000 && scratch_count("run", why) == 0; i++)
		usleep(1000);
	return scratch_count("run", why);
}

Test(snapshot, a_crash_makes_one_but_not_each_crash)
{
	snapshot_after_crash(77, SIGSEGV);
	cr_expect_eq(has_run("-C Process 77 was killed by signal 11 PATH"), 1);
	snapshot_after_crash(78, SIGSEGV);
	usleep(100000);
	cr_expect_eq(was_run_with("--snapshot %d%s", ""), 1, "a minute is not over");
	snapshot_forget();
	snapshot_after_crash(79, SIGABRT);
	cr_expect_eq(has_run("-C Process 79 was killed by signal 6 PATH"), 1);
}

/* ---- after waits (snapshot_wait.c) */

Test(snapshot, where_there_is_no_timer_a_wait_that_was_long_enough_makes_one)
{
	struct col_thread thread = {.alarm = 0};
	char wanted[100];

	col.descriptor.snapshot_wait_ms = 20;
	snapshot_wait_ended(&thread, col_ticks_of(19000000));
	cr_expect_eq(was_run_with("--snapshot %d%s", ""), 0);
	snapshot_wait_ended(&thread, col_ticks_of(21000000));
	snprintf(wanted, sizeof(wanted), "-C Thread %d waited 2", (int)gettid());
	cr_expect_eq(has_run(wanted), 1);
	cr_expect_eq(scratch_count("run", " ms for a lock PATH"), 1);
	snapshot_wait_ended(&thread, col_ticks_of(50000000));
	usleep(100000);
	cr_expect_eq(was_run_with("--snapshot %d%s", ""), 1, "a minute is not over");
}

static atomic_int came;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const struct col_thread *thread = info->si_value.sival_ptr;

	(void)signal;
	(void)context;
	atomic_fetch_add(&came, info->si_code == SI_TIMER && info->si_timerid == thread->alarm - 1);
}

Test(snapshot, a_wait_that_lasts_makes_one_and_its_end_none)
{
	struct col_thread thread = {.tid = (uint32_t)gettid()};
	char wanted[100];

	col.descriptor.snapshot_wait_ms = 20000;
	snapshot_wait_begins(&thread);
	cr_assert_eq(thread.alarm, 0, "nobody would handle the signal");
	cr_assert_eq(signals_install(TICK_SIGNAL, on_tick), 0);
	snapshot_wait_begins(&thread);
	cr_assert_gt(thread.alarm, 0);
	snapshot_wait_lasts(&thread);
	cr_assert_lt(thread.alarm, 0);
	snprintf(wanted, sizeof(wanted), "-C Thread %d has waited 20000 ms for a lock PATH",
	         (int)gettid());
	cr_expect_eq(has_run(wanted), 1);
	snapshot_forget();
	snapshot_wait_ended(&thread, col_ticks_of(21000000000));
	cr_expect_eq(thread.alarm, 0);
	usleep(100000);
	cr_expect_eq(was_run_with("--snapshot %d%s", ""), 1);
}

Test(snapshot, the_timer_is_for_one_wait)
{
	struct col_thread thread = {.tid = (uint32_t)gettid()};

	cr_assert_eq(signals_install(TICK_SIGNAL, on_tick), 0);
	col.descriptor.snapshot_wait_ms = 50;
	snapshot_wait_begins(&thread);
	snapshot_wait_ended(&thread, col_ticks_of(10000000));
	usleep(100000);
	cr_expect_eq(atomic_load(&came), 0);
	snapshot_wait_begins(&thread);
	for (int i = 0; i < 5000 && !atomic_load(&came); i++)
		usleep(1000);
	cr_expect_eq(atomic_load(&came), 1);
	snapshot_wait_begins(&thread);
	snapshot_wait_ended(&thread, 0);
}

static int is_written(const char *name)
{
	for (int i = 0; i < 5000 && scratch_count(name, "done") == 0; i++)
		usleep(1000);
	return scratch_count(name, "done");
}

Test(snapshot, a_handler_does_not_wait)
{
	struct timespec before, after;
	char then[5000];

	snprintf(then, sizeof(then), "sleep 2; echo done >>'%s/end'", col.descriptor.directory);
	put_script(then);
	clock_gettime(CLOCK_MONOTONIC, &before);
	snapshot_begin("Made by a test");
	clock_gettime(CLOCK_MONOTONIC, &after);
	cr_expect_lt((double)(after.tv_sec - before.tv_sec) +
	                     (double)(after.tv_nsec - before.tv_nsec) * 1e-9,
	             1.9);
	cr_expect_eq(children_told, 0);
	cr_expect_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1, "nothing is left of it");
	cr_expect_eq(is_written("end"), 1);
}

Test(snapshot, who_would_get_the_child_back_makes_none)
{
	cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	put_script("");
	snapshot_begin("Made by a test");
	usleep(100000);
	cr_expect_eq(was_run_with("--snapshot %d%s", ""), 0);
	cr_expect_eq(snapshot_take("a.er"), 0, "who waits for it can");
	cr_expect_eq(children_told, 0);
	cr_expect_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}

/* The reader of a pipe notices that the program has closed it. */
Test(snapshot, the_child_has_no_descriptor_of_the_program)
{
	int ends[2];
	struct pollfd reader = {.events = POLLIN};

	cr_assert_eq(pipe(ends), 0);
	put_script("sleep 2");
	snapshot_begin("Made by a test");
	cr_assert_eq(close(ends[1]), 0);
	reader.fd = ends[0];
	cr_expect_eq(poll(&reader, 1, 1000), 1);
	cr_expect(reader.revents & POLLHUP);
}
