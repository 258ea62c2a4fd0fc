/* Clock samples of this thread: they must have all of its CPU time, each nanosecond once. */
#include "libcollector/base/source.h"
#include "libcollector/profile/tick.h"
#include "libcollector/profile/tick_perf.h"
#include "libcollector/profile/tick_possible.h"
#include "libcollector/profile/tick_sample.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { PERIOD_US = 4000, MS = 1000000 };

static struct col_thread *thread;

static uint64_t cpu_ns(void)
{
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* In user code nearly all the time: users who are not root have no samples in the kernel. */
static void spin(uint64_t ms)
{
	uint64_t end = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

	while (sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 5000; i = i + 1)
			continue;
}

static void set_up(int without_perf)
{
	static const struct source clock = {
		.id = SOURCE_CLOCK, .thread_begin = tick_arm, .thread_gone = tick_disarm};

	scratch_open();
	scratch_host(&clock, 1);
	col.descriptor.profile_us = PERIOD_US;
	col.descriptor.without_perf = (uint64_t)without_perf;
	atomic_store(&col.switches->on[SOURCE_CLOCK], 1);
	thread = thread_current();
	cr_assert(thread != NULL);
}

static void done(void)
{
	tick_close();
	scratch_remove();
}

static void setup(void)
{
	tick_open(); /* otherwise a tick finds no handler, and kills */
	set_up(1);
}

static void setup_closed(void)
{
	set_up(1);
}

/* By perf events, where the kernel allows them. */
static void setup_perf(void)
{
	tick_open();
	set_up(0);
	if (!tick_perf_is_open()) {
		/* By the kernel, not by what is tested. */
		int is_refused = !tick_perf_is_possible() ||
		                 tick_perf_open(PERIOD_US * UINT64_C(1000), 1, 0) < 0;

		tick_perf_close();
		done();
		cr_assert(is_refused, "perf events are there, but were not opened");
		cr_skip_test("perf events are refused here");
	}
}

TestSuite(clock, .init = setup_perf, .fini = done, .timeout = 30);
TestSuite(tick, .init = setup, .fini = done, .timeout = 30);
TestSuite(tick_closed, .init = setup_closed, .fini = done, .timeout = 30);

/* The clock samples in the file, their time, and how many have a state. */
static int read_samples(uint64_t *sum, int *in_state, enum fmt_clock_state state)
{
	size_t len;
	char *bytes = scratch_read("profile", &len);
	int count = 0;

	*sum = 0;
	*in_state = 0;
	/* Each event follows its header, at a multiple of 8. */
	for (size_t at = 0; bytes && at + sizeof(struct fmt_clock) <= len; at += 8) {
		struct fmt_clock record;

		memcpy(&record, bytes + at, sizeof(record));
		if (record.kind != FMT_KIND_clock || record.cpu_ns % 16 != 0 ||
		    record.cpu_ns == 0 || record.cpu_ns > (uint64_t)10000 * MS)
			continue;
		count++;
		*sum += record.cpu_ns;
		*in_state += record.state == state;
	}
	free(bytes);
	return count;
}

/* Record the remaining time since `begin`: then samples have all of it, except the time that it
 * takes to write the last one, perhaps with files that are created for it. Returns that time. */
static uint64_t finish(uint64_t begin)
{
	uint64_t least = cpu_ns() - begin, sampled;

	tick_residual(thread, thread, COL_NORMAL);
	sampled = atomic_load(&col.count.sampled_ns);
	cr_assert_gt(sampled + MS, least);
	cr_assert_lt(sampled, cpu_ns() - begin + MS);
	return cpu_ns() - begin;
}

Test(tick, all_cpu_time_is_in_samples)
{
	uint64_t begin, used;

	tick_forget_past(thread);
	begin = cpu_ns();
	spin(100);
	cr_assert_geq(atomic_load(&col.count.samples), 4, "%lu", atomic_load(&col.count.samples));
	used = finish(begin);
	/* There cannot be more than one per period, except for the first and the last. */
	cr_assert_leq(atomic_load(&col.count.samples), used / (PERIOD_US * 1000) + 3);
	cr_assert_neq(thread->last_stack, 0);
}

Test(tick, the_file_has_what_was_counted)
{
	uint64_t sum;
	int residuals;

	tick_forget_past(thread);
	spin(50);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_eq(read_samples(&sum, &residuals, FMT_clock_state_RESIDUAL),
	             (int)atomic_load(&col.count.samples));
	cr_assert_eq(residuals, 1);
	cr_assert_eq(sum, atomic_load(&col.count.sampled_ns));
}

Test(tick, time_that_is_forgotten_is_nobodys)
{
	uint64_t before, used;

	tick_disarm(thread);
	cr_assert_eq(thread->armed, 0);
	tick_forget_past(thread);
	spin(20);
	cr_assert_eq(atomic_load(&col.count.samples), 0, "no timer, no samples");
	before = cpu_ns();
	tick_forget(thread);
	tick_residual(thread, thread, COL_NORMAL);
	used = cpu_ns() - before;
	cr_assert_leq(atomic_load(&col.count.sampled_ns), used);
	spin(20);
	tick_arm(thread);
	cr_assert_eq(thread->armed, 1);
	before = cpu_ns();
	tick_forget_past(thread);
	tick_residual(thread, thread, COL_NORMAL);
	used += cpu_ns() - before;
	cr_assert_leq(atomic_load(&col.count.sampled_ns), used);
}

Test(tick, what_was_before_an_epoch_is_nobodys)
{
	uint64_t begin;

	tick_disarm(thread);
	tick_forget_past(thread);
	spin(20);
	atomic_fetch_add(&col.epoch, 1);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_eq(atomic_load(&col.count.sampled_ns), 0);
	begin = cpu_ns();
	spin(10);
	finish(begin);
}

/* A program may be started with signals blocked. It is told that they still are. */
Test(tick, signals_that_were_blocked_at_the_start_come_in_unseen)
{
	sys_sigset ticks = signals_of_ticks(), other = SYS_SIGBIT(SIGUSR2), now = 0;

	cr_assert_neq(ticks, 0);
	tick_let_in();
	cr_expect_eq(signals_believed(), 0);
	other |= ticks;
	sys_sigmask(SIG_BLOCK, &other, &now);
	tick_let_in();
	cr_expect_eq(signals_believed(), ticks);
	other = 0;
	sys_sigmask(SIG_BLOCK, &other, &now);
	cr_expect_eq(now & ticks, 0);
	cr_expect(now & SYS_SIGBIT(SIGUSR2));
}

Test(tick, none_while_profiles_are_off)
{
	atomic_store(&col.switches->on[SOURCE_CLOCK], 0);
	tick_forget_past(thread);
	spin(30);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_eq(atomic_load(&col.count.samples), 0);
}

Test(tick, none_when_it_is_closed)
{
	tick_close();
	cr_assert_eq(thread->armed, 0);
	tick_forget_past(thread);
	spin(30);
	cr_assert_eq(atomic_load(&col.count.samples), 0);
}

/* A signal of that number that the program sends itself is not the recorder's. */
static volatile sig_atomic_t told;

static void on_own(int signal)
{
	told = signal;
}

Test(tick_closed, a_signal_that_no_timer_sent_is_the_programs)
{
	struct sigaction own = {.sa_handler = on_own};

	cr_assert_eq(sigaction(TICK_SIGNAL, &own, NULL), 0);
	tick_open();
	tick_disarm(thread);
	raise(TICK_SIGNAL);
	cr_assert_eq(told, TICK_SIGNAL);
	cr_assert_eq(atomic_load(&col.count.samples), 0);
}

/* Sandboxes may refuse the call by which a thread learns its number. */
Test(tick, a_thread_that_may_not_ask_for_its_number_is_sampled)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

	if (SYS5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    SYS3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		cr_skip_test("no system call filters here");
	cr_assert_eq(sys_tid(), 0);
	spin(100);
	cr_assert_geq(atomic_load(&col.count.samples), 4, "%lu", atomic_load(&col.count.samples));
}

/* A tick comes at the end of a long system call, and says so. */
Test(tick, time_in_calls_is_the_systems)
{
	enum { BYTES = 1 << 24 };
	uint64_t sum, end;
	int system, all;
	char *bytes;

	bytes = malloc(BYTES);
	tick_forget_past(thread);
	end = cpu_ns() + (uint64_t)100 * MS;
	while (cpu_ns() < end) {
		int fd = sys_openat(AT_FDCWD, "/dev/urandom", O_RDONLY, 0);

		cr_assert_gt(sys_pread(fd, bytes, BYTES / 8, 0), 0);
		sys_close(fd);
	}
	all = read_samples(&sum, &system, FMT_clock_state_SYSTEM);
	cr_assert_gt(all, 2);
	cr_assert_geq(2 * system, all, "%d of %d", system, all);
	free(bytes);
}

/* ---- by perf events */

/* So many samples are not of perf events; users who are not root have more, by timers: those in
 * system calls. */
static void expect_others(uint64_t count)
{
	uint64_t others = atomic_load(&col.count.samples) - atomic_load(&col.count.perf_samples);

	cr_expect_geq(others, count);
	cr_expect(others == count || tick_perf_is_user_only(), "%lu", others);
}

Test(clock, there_are_as_many_samples_as_asked_for)
{
	uint64_t begin;

	tick_start();
	tick_forget_past(thread);
	begin = cpu_ns();
	spin(200);
	cr_expect_geq(atomic_load(&col.count.perf_samples), 30);
	cr_expect_leq(atomic_load(&col.count.perf_samples), 80);
	expect_others(0);
	finish(begin);
}

static atomic_int is_over;

static void *burn(void *unused)
{
	while (!atomic_load(&is_over))
		spin(1);
	return unused;
}

/* As if the recording began again. */
static void start_again(void)
{
	tick_perf_close();
	tick_disarm(thread);
	thread->perf = COL_PERF_UNKNOWN;
	atomic_store(&col.count.perf_samples, 0);
	atomic_store(&col.count.samples, 0);
}

Test(clock, threads_that_are_older_have_their_own)
{
	pthread_t threads[3];
	struct col_thread *each;
	int count = 0;

	start_again();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, burn, NULL);
	tick_borrow();
	tick_arm(thread);
	cr_assert(tick_perf_is_open());
	cr_assert_not(tick_perf_is_everywhere());
	tick_start();
	tick_give_back();
	cr_assert(tick_perf_is_everywhere(), "each has been found, and has an event");
	for (each = thread_first(); each; each = each->next) {
		if (!atomic_load(&each->tid) || each == thread)
			continue;
		cr_expect_eq(each->perf, COL_PERF_OWN);
		cr_expect_eq(each->perf_of_children, COL_PERF_SHARED);
		cr_expect_eq(each->armed, tick_perf_is_user_only());
		count++;
	}
	cr_assert_geq(count, 3); /* Criterion may have some, too */
	spin(50);
	cr_assert_gt(atomic_load(&col.count.perf_samples), 10);
	atomic_store(&is_over, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

Test(clock, a_borrowed_thread_ticks_when_it_is_back)
{
	start_again();
	tick_borrow();
	tick_arm(thread);
	tick_start();
	cr_assert(tick_perf_is_away());
	spin(3);
	cr_expect_eq(atomic_load(&col.count.samples), 0);
	tick_give_back();
	spin(60); /* a timer comes after 5 ms, as far as the kernel looks at timers */
	cr_expect_not(tick_perf_is_away());
	cr_expect_gt(atomic_load(&col.count.perf_samples), 4);
	expect_others(1);
}

/* It would keep their signals to itself. */
Test(clock, for_a_debugger_there_are_timers)
{
	start_again();
	tick_begin_again();
	col.descriptor.step.debugged = 1;
	tick_arm(thread);
	cr_expect_not(tick_perf_is_open());
	cr_expect(thread->armed);
}

static struct col_thread *worker_state;

static void *burn_known(void *unused)
{
	worker_state = thread_current();
	spin(100);
	cr_expect(worker_state->armed, "it looks for a tracer from time to time");
	tick_disarm(worker_state);
	spin(100);
	cr_expect(worker_state->armed, "another one would now");
	return unused;
}

/* The opening thread sleeps. */
Test(clock, a_thread_that_works_looks_too)
{
	pthread_t worker;

	tick_start();
	pthread_create(&worker, NULL, burn_known, NULL);
	pthread_join(worker, NULL);
	cr_expect_neq(worker_state, thread);
	cr_expect_eq(worker_state->perf, COL_PERF_OWN);
}

Test(clock, another_recording_tries_again)
{
	start_again();
	col.descriptor.without_perf = 1;
	tick_arm(thread);
	cr_expect_not(tick_perf_is_open());
	start_again();
	col.descriptor.without_perf = 0;
	tick_arm(thread);
	cr_expect_not(tick_perf_is_open(), "in this recording it is known");
	start_again();
	tick_begin_again();
	tick_arm(thread);
	cr_expect(tick_perf_is_open());
}

Test(clock, ticks_that_are_pending_can_be_taken)
{
	sys_sigset all = ~(sys_sigset)0, old, now = 0;

	tick_start();
	sys_sigmask(SIG_BLOCK, &all, &old);
	spin(30);
	SYS2(SYS_rt_sigpending, &now, sizeof(now));
	cr_expect(now & SYS_SIGBIT(SIGTRAP));
	tick_give_back();
	SYS2(SYS_rt_sigpending, &now, sizeof(now));
	cr_expect_not(now & SYS_SIGBIT(SIGTRAP));
	sys_sigmask(SIG_SETMASK, &old, NULL);
}
