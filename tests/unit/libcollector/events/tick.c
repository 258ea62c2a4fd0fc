/* Clock samples of this thread: they must have all of its CPU time, each nanosecond once. */
#include "libcollector/base/source.h"
#include "libcollector/events/tick.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
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

static void spin(uint64_t ms)
{
	uint64_t end = cpu_ns() + ms * MS;

	while (cpu_ns() < end)
		continue;
}

static void setup(void)
{
	static const struct source clock = {
		.id = SOURCE_CLOCK, .thread_begin = tick_arm, .thread_gone = tick_disarm};

	scratch_open();
	scratch_host(&clock, 1);
	col.descriptor.profile_us = PERIOD_US;
	atomic_store(&col.switches->on[SOURCE_CLOCK], 1);
	thread = thread_current();
	cr_assert(thread != NULL);
}

static void done(void)
{
	tick_close();
	scratch_remove();
}

TestSuite(tick, .init = setup, .fini = done, .timeout = 30);

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

	tick_open();
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

	tick_open();
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
	tick_open();
	tick_disarm(thread);
	cr_assert_eq(thread->armed, 0);
	tick_forget_past(thread);
	spin(20);
	cr_assert_eq(atomic_load(&col.count.samples), 0, "no timer, no samples");
	tick_forget(thread);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_lt(atomic_load(&col.count.sampled_ns), 2 * MS);
	spin(20);
	tick_arm(thread);
	cr_assert_eq(thread->armed, 1);
	tick_forget_past(thread);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_lt(atomic_load(&col.count.sampled_ns), 4 * MS);
}

Test(tick, what_was_before_an_epoch_is_nobodys)
{
	uint64_t begin;

	tick_open();
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

Test(tick, none_while_profiles_are_off)
{
	tick_open();
	atomic_store(&col.switches->on[SOURCE_CLOCK], 0);
	tick_forget_past(thread);
	spin(30);
	tick_residual(thread, thread, COL_NORMAL);
	cr_assert_eq(atomic_load(&col.count.samples), 0);
}

Test(tick, none_when_it_is_closed)
{
	tick_open();
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

Test(tick, a_signal_that_no_timer_sent_is_the_programs)
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

	tick_open();
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

	tick_open(); /* otherwise a tick finds no handler */
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
