/* What speaks against perf events: tracers, filters of system calls, few descriptors. */
#include "libcollector/profile/tick_possible.h"
#include "tests/unit/libcollector/scratch.h"
#include "tests/unit/refused.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/kernel.h"

#include "format/attach.h"
#include "format/clockevent.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

TestSuite(tick_possible, .timeout = 30);

/* ---- a process that traces this one, with a name of our choice */

static int to_tracer[2], from_tracer[2];
static pid_t tracer;

static void trace(pid_t who)
{
	char name[16];
	char done = (char)(ptrace(PTRACE_SEIZE, who, NULL, NULL) == 0);

	if (write(from_tracer[1], &done, 1) != 1)
		_exit(1);
	while (read(to_tracer[0], name, sizeof(name)) == sizeof(name)) {
		prctl(PR_SET_NAME, name);
		if (write(from_tracer[1], name, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void begin_tracer(void)
{
	pid_t who = getpid();
	char done = 0;

	needs_ptrace();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	cr_assert_eq(pipe2(to_tracer, O_CLOEXEC) | pipe2(from_tracer, O_CLOEXEC), 0);
	tracer = fork();
	if (tracer == 0) {
		close(to_tracer[1]);
		trace(who);
	}
	cr_assert_eq(read(from_tracer[0], &done, 1), 1);
	if (!done)
		cr_skip_test("this process may not be traced here");
}

static void name_tracer(const char *text)
{
	char name[16] = "", done;

	strncpy(name, text, sizeof(name) - 1);
	cr_assert_eq(write(to_tracer[1], name, sizeof(name)), sizeof(name));
	cr_assert_eq(read(from_tracer[0], &done, 1), 1);
}

static void end_tracer(void)
{
	close(to_tracer[1]);
	cr_assert_eq(waitpid(tracer, NULL, 0), tracer);
}

Test(tick_possible, a_tracer_counts_unless_it_is_the_helper)
{
	cr_assert_not(tick_perf_is_traced());
	begin_tracer();
	name_tracer("gdb");
	cr_expect(tick_perf_is_traced());
	name_tracer(ATTACH_HELPER);
	cr_expect_not(tick_perf_is_traced());
	name_tracer(ATTACH_HELPER "s");
	cr_expect(tick_perf_is_traced(), "its name is only the beginning of another one");
	name_tracer("xer_attac");
	cr_expect(tick_perf_is_traced(), "part of its name");
	name_tracer("yer_attach");
	cr_expect(tick_perf_is_traced(), "another first letter");
	end_tracer();
	cr_expect_not(tick_perf_is_traced());
}

static void allow_files(rlim_t count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = count;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(tick_possible, it_is_asked_until_it_is_possible_and_then_only_for_descriptors)
{
	col.descriptor.filters = tick_filters();
	if (!kernel_is_at_least(CLOCKEVENT_MAJOR, CLOCKEVENT_MINOR))
		cr_skip_test("the kernel is too old");
	allow_files(COL_FILE_FEW + 1);
	begin_tracer();
	name_tracer("gdb");
	cr_expect_not(tick_perf_is_possible());
	name_tracer(ATTACH_HELPER);
	cr_expect(tick_perf_is_possible());
	name_tracer("gdb");
	cr_expect(tick_perf_is_possible(), "it was");
	allow_files(COL_FILE_FEW);
	cr_expect_not(tick_perf_is_possible());
	allow_files(COL_FILE_FEW + 1);
	cr_expect_not(tick_perf_is_possible(), "it is asked again");
	end_tracer();
	cr_expect(tick_perf_is_possible());
}

/* ---- filters */

Test(tick_possible, filters_are_counted_and_those_of_xcollect_do_not_matter)
{
	needs_no_filters();
	allow_files(COL_FILE_FEW + 1);
	cr_assert_eq(tick_filters(), 0);
	cr_assert_not(tick_is_filtered());
	for (unsigned i = 1; i <= 12; i++) {
		struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
		struct sock_fprog program = {1, code};

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
		if (i == 1 && tick_filters() == 0)
			cr_skip_test("the kernel does not tell how many filters there are");
		cr_expect_eq(tick_filters(), i);
		col.descriptor.filters = i;
		cr_expect_not(tick_is_filtered());
		col.descriptor.filters = i - 1;
		cr_expect(tick_is_filtered());
		cr_expect_not(tick_perf_is_possible());
	}
	col.descriptor.filters = 12;
	cr_expect_eq(tick_perf_is_possible(),
	             kernel_is_at_least(CLOCKEVENT_MAJOR, CLOCKEVENT_MINOR));
}

Test(tick_possible, where_nothing_can_be_read_there_are_filters_if_the_kernel_says_so)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	needs_no_filters();
	allow_files(0);
	cr_expect_eq(tick_filters(), 0);
	cr_expect_not(tick_perf_is_traced());
	allow_files(limit.rlim_cur);
	refuse_call(SYS_openat, EACCES);
	cr_expect_eq(tick_filters(), UINT64_MAX);
	cr_expect_not(tick_perf_is_traced());
}

Test(tick_possible, the_limit_of_descriptors_is_that_of_the_process)
{
	allow_files(57);
	cr_expect_eq(tick_descriptors(), 57);
	refuse_call(SYS_prlimit64, EPERM);
	cr_expect_eq(tick_descriptors(), 0);
}
