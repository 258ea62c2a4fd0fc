/* Perf events that tell CPU time by SIGTRAP: which are opened, what their signals say, what is left
 * when they are closed. Where the kernel refuses them, most of this is skipped. */
#include "libcollector/profile/tick_perf.h"
#include "libcollector/profile/tick_possible.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

enum { MS = 1000000 };

static volatile int due, late, foreign;
static volatile uint64_t last_period;

static void handle(int signal, siginfo_t *info, void *context)
{
	uint64_t period = 0;

	(void)signal;
	(void)context;
	switch (tick_perf_look(info, sys_tid(), &period)) {
	case TICK_PERF_FOREIGN:
		foreign++;
		return;
	case TICK_PERF_DUE:
		due++;
		break;
	case TICK_PERF_LATE:
		late++;
		break;
	}
	last_period = period;
}

/* In user code nearly all the time: users who are not root have no samples in the kernel. */
static void spin(uint64_t ms)
{
	uint64_t end = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

	while (sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 5000; i = i + 1)
			continue;
}

static void setup(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};

	due = late = foreign = 0;
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
}

static void done(void)
{
	tick_perf_close();
}

TestSuite(tick_perf, .init = setup, .fini = done, .timeout = 30);

static void open_events(uint64_t period_ns)
{
	int error = tick_perf_is_possible() ? tick_perf_open(period_ns, 1, 0) : -ENOTSUP;

	if (error < 0)
		cr_skip_test("perf events are refused here: %s", strerror(-error));
}

/* Where few are allowed, they are the program's. */
static void want_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < 1024)
		cr_skip_test("fewer than 1024 descriptors are allowed here");
}

Test(tick_perf, nothing_is_open_at_first)
{
	cr_assert_not(tick_perf_is_open());
	cr_assert_not(tick_perf_is_user_only());
	cr_assert_not(tick_perf_is_everywhere());
	cr_assert_not(tick_perf_is_opener(sys_tid()));
	cr_assert_not(tick_perf_is_intact());
	tick_perf_settle();
	tick_perf_depart();
	tick_perf_run();
	tick_perf_close();
	spin(20);
	cr_assert_eq(due + late + foreign, 0);
}

Test(tick_perf, other_traps_are_foreign)
{
	raise(SIGTRAP);
	cr_assert_eq(foreign, 1);
	cr_assert_eq(due + late, 0);
}

Test(tick_perf, events_begin_when_they_are_told_to)
{
	open_events(MS);
	cr_assert(tick_perf_is_open());
	cr_assert(tick_perf_is_intact());
	cr_assert(tick_perf_is_opener(sys_tid()));
	cr_assert_not(tick_perf_is_opener(sys_tid() + 1));
	spin(20);
	cr_assert_eq(due, 0);
	tick_perf_run();
	spin(100);
	cr_assert_geq(due, 70);
	cr_assert_leq(due, 140);
	cr_assert_eq(foreign, 0);
}

Test(tick_perf, periods_vary_around_the_one_asked_for)
{
	uint64_t least = UINT64_MAX, most = 0;

	open_events(2 * (uint64_t)MS);
	tick_perf_run();
	while (due <
	       3) /* the first sample, the first period, which may be short, and one that varied */
		spin(1);
	for (int i = 0; i < 50; i++) {
		spin(2);
		least = last_period < least ? last_period : least;
		most = last_period > most ? last_period : most;
	}
	cr_assert_lt(least, 17 * (uint64_t)MS / 10);
	cr_assert_gt(most, 23 * (uint64_t)MS / 10);
	cr_assert_gt(least, 4 * (uint64_t)MS / 10);
	cr_assert_leq(most, 3 * (uint64_t)MS);
}

Test(tick_perf, short_periods_do_not_vary)
{
	open_events(MS / 5);
	tick_perf_run();
	spin(3);
	for (int i = 0; i < 10; i++) {
		spin(1);
		cr_assert_leq(last_period, (uint64_t)MS / 5);
		cr_assert_geq(last_period, (uint64_t)MS / 10);
	}
}

Test(tick_perf, a_blocked_signal_comes_late_and_says_so)
{
	sigset_t trap, old;

	open_events(MS);
	tick_perf_run();
	spin(5);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	late = 0;
	pthread_sigmask(SIG_BLOCK, &trap, &old);
	spin(10);
	cr_assert_eq(late, 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	cr_assert_geq(late, 1); /* the handler blocks it, too */
}

Test(tick_perf, a_closed_descriptor_is_noticed)
{
	want_descriptors();
	open_events(MS);
	tick_perf_run();
	cr_assert(tick_perf_is_intact());
	cr_assert_eq(close_range(900, 1023, 0), 0);
	cr_assert_not(tick_perf_is_intact());
	cr_assert(tick_perf_is_open());
}

Test(tick_perf, nothing_comes_before_another_program_is_executed)
{
	sigset_t trap;

	open_events(MS);
	tick_perf_run();
	spin(5);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	spin(5);
	tick_perf_depart(); /* takes the pending one */
	due = late = 0;
	pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	spin(20);
	cr_assert_eq(due + late, 0);
	tick_perf_run();
	spin(20);
	cr_assert_gt(due, 5);
}

/* Since Linux 6.1, one with sigtrap obeys its limit of signals. */
static int kernel_stops_events(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	return major > 6 || (major == 6 && minor >= 1);
}

Test(tick_perf, a_young_thread_has_a_sample_of_its_own)
{
	unsigned number;

	want_descriptors();
	open_events(1000 * (uint64_t)MS);
	number = tick_perf_add(sys_tid(), 2 * (uint64_t)MS);
	cr_assert_neq(number, 0);
	spin(10);
	cr_assert_eq(due, 0);
	tick_perf_begin(number);
	spin(10);
	if (kernel_stops_events())
		cr_assert_eq(due, 1, "%d signals", due);
	else
		cr_assert_geq(due, 1);
	tick_perf_drop(number, sys_tid());
	due = 0;
	spin(10);
	cr_assert_eq(due, 0);
	tick_perf_drop(number, sys_tid()); /* again: nothing */
	tick_perf_drop(0, sys_tid());
}

/* A signal may come when the event is closed, but its thread does not know it yet. */
Test(tick_perf, the_event_of_a_thread_that_has_ended_is_another_ones_by_now)
{
	const uint32_t ended = sys_tid() + 1;
	unsigned number, again;

	want_descriptors();
	open_events(1000 * (uint64_t)MS);
	number = tick_perf_add(ended, MS);
	tick_perf_drop(number, ended);
	again = tick_perf_add(sys_tid(), 2 * (uint64_t)MS);
	cr_assert_eq(again, number);
	tick_perf_drop(number, ended);
	tick_perf_serve(number, ended);
	cr_assert_neq(tick_perf_add(ended, MS), number, "its place is still taken");
	tick_perf_begin(again);
	spin(10);
	cr_assert_geq(due, 1);
}

Test(tick_perf, a_child_closes_what_it_has_inherited_of_young_threads)
{
	int status;
	pid_t child;

	want_descriptors();
	open_events(MS);
	cr_assert_neq(tick_perf_add(sys_tid() + 1, MS), 0);
	child = fork();
	if (child == 0) {
		tick_perf_forget();
		_exit(fcntl(962, F_GETFD) != -1 || tick_perf_is_open());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_neq(fcntl(962, F_GETFD), -1);
}

Test(tick_perf, so_many_threads_are_young_at_a_time_and_no_more)
{
	unsigned numbers[TICK_PERF_YOUNG];

	want_descriptors();
	open_events(MS);
	for (int i = 0; i < TICK_PERF_YOUNG; i++) {
		numbers[i] = tick_perf_add(sys_tid(), MS);
		cr_assert_neq(numbers[i], 0);
	}
	cr_assert_eq(tick_perf_add(sys_tid(), MS), 0);
	tick_perf_drop(numbers[5], sys_tid());
	cr_assert_eq(tick_perf_add(sys_tid(), MS), numbers[5]);
	tick_perf_close();
	cr_assert_eq(fcntl(1000, F_GETFD), -1);
}

/* ---- threads that are older than the events */

static atomic_int burning, samples_of_threads, is_over;

static void *burn(void *unused)
{
	atomic_fetch_add(&burning, 1);
	while (!atomic_load(&is_over))
		continue;
	return unused;
}

static void *burn_in_another(void *unused)
{
	pthread_t thread;

	while (!atomic_load(&burning)) /* until the test has begun */
		continue;
	pthread_create(&thread, NULL, burn, NULL);
	pthread_join(thread, NULL);
	return unused;
}

/* The signal comes to the thread that has used the time. */
static void count(int signal, siginfo_t *info, void *context)
{
	uint64_t period;

	(void)signal;
	(void)context;
	if (tick_perf_look(info, sys_tid(), &period) != TICK_PERF_FOREIGN &&
	    sys_gettid() != getpid())
		atomic_fetch_add(&samples_of_threads, 1);
}

static void count_samples(void)
{
	struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGTRAP, &action, NULL);
}

/* The number of the only thread that is not this one. */
static uint32_t other_thread(void)
{
	struct dirent *entry;
	DIR *directory = opendir("/proc/self/task");
	uint32_t found = 0;

	while ((entry = readdir(directory)))
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != gettid())
			found = (uint32_t)atoi(entry->d_name);
	closedir(directory);
	return found;
}

/* Wait until others have used CPU time, as far as this one sees: for at most 10 s. */
static int samples_come(int least)
{
	for (int i = 0; i < 1000 && atomic_load(&samples_of_threads) < least; i++)
		usleep(10000);
	return atomic_load(&samples_of_threads) >= least;
}

Test(tick_perf, an_older_thread_can_have_an_event)
{
	pthread_t thread;
	unsigned number;

	want_descriptors();
	count_samples();
	pthread_create(&thread, NULL, burn, NULL);
	while (!atomic_load(&burning))
		continue;
	open_events(MS);
	cr_assert_not(tick_perf_is_everywhere());
	number = tick_perf_add_for(other_thread());
	cr_assert_gt(number, TICK_PERF_YOUNG);
	tick_perf_cover();
	cr_assert(tick_perf_is_everywhere());
	usleep(20000);
	cr_assert_eq(atomic_load(&samples_of_threads), 0, "it does not run yet");
	tick_perf_run();
	cr_assert(samples_come(10));
	tick_perf_serve(number, other_thread());
	cr_assert(samples_come(atomic_load(&samples_of_threads) + 10));
	tick_perf_drop(number, sys_tid()); /* its children need it */
	cr_assert(samples_come(atomic_load(&samples_of_threads) + 10));
	tick_perf_depart();
	usleep(20000);
	atomic_store(&samples_of_threads, 0);
	usleep(50000);
	cr_assert_eq(atomic_load(&samples_of_threads), 0, "all are stopped");
	tick_perf_run();
	cr_assert(samples_come(10));
	tick_perf_close();
	usleep(20000);
	atomic_store(&samples_of_threads, 0);
	usleep(50000);
	cr_assert_eq(atomic_load(&samples_of_threads), 0, "all are closed");
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}

Test(tick_perf, the_children_of_an_older_thread_inherit_its_event)
{
	pthread_t thread;

	want_descriptors();
	count_samples();
	pthread_create(&thread, NULL, burn_in_another, NULL);
	open_events(MS);
	tick_perf_run();
	cr_assert_neq(tick_perf_add_for(other_thread()), 0); /* begins at once */
	atomic_store(&burning, 1);
	cr_assert(samples_come(50));
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}

Test(tick_perf, older_threads_have_a_part_of_the_descriptors)
{
	struct rlimit few = {.rlim_cur = 80, .rlim_max = 80};
	pthread_t thread;
	int count = 0;

	pthread_create(&thread, NULL, burn, NULL);
	while (!atomic_load(&burning))
		continue;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	open_events(MS);
	while (tick_perf_add_for(other_thread()))
		count++;
	cr_assert_eq(count, 80 / TICK_PERF_PART);
	tick_perf_close();
	cr_assert_eq(tick_perf_add_for(0), 0, "nothing is open");
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}

Test(tick_perf, a_child_closes_what_it_has_inherited)
{
	int status;
	pid_t child;

	open_events(MS);
	tick_perf_run();
	child = fork();
	if (child == 0) {
		tick_perf_close();
		due = 0;
		spin(20);
		_exit(due != 0 || tick_perf_is_open());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert(tick_perf_is_intact());
	due = 0;
	spin(20);
	cr_assert_gt(due, 5);
}

Test(tick_perf, user_time_alone_if_that_is_wanted)
{
	if (!tick_perf_is_possible() || tick_perf_open(MS, 0, 0) < 0)
		cr_skip_test("perf events are refused here");
	cr_assert(tick_perf_is_user_only());
	tick_perf_close();
	cr_assert_not(tick_perf_is_user_only());
}

Test(tick_perf, few_descriptors_are_left_to_the_program)
{
	struct rlimit few = {.rlim_cur = 40, .rlim_max = 40};

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_assert_not(tick_perf_is_possible());
}
