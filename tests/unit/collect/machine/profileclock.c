/* Tests of what xcollect says about the clock of its samples. */
#include "collect/machine/profileclock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[320];

/* expected NULL: nothing is said */
static void expect(const struct profileclock *clock, uint64_t us, const char *expected)
{
	int is_said = profileclock_explain(clock, us, text, sizeof(text));

	cr_expect_eq(is_said, expected != NULL, "%d", (int)clock->kind);
	if (is_said && expected)
		cr_expect_str_eq(text, expected, "%s", text);
}

Test(profileclock, says_why_there_are_fewer_samples)
{
	struct profileclock clock = {PROFILECLOCK_PARANOID, EACCES, 3, 4000000};

	expect(&clock, 997,
	       "clock samples come at the kernel's ticks, 250 a second, not 1003: perf events are "
	       "refused (perf_event_paranoid is 3; <= 2 mends it)");
	clock.paranoid = 2;
	expect(&clock, 100,
	       "clock samples come at the kernel's ticks, 250 a second, not 10000: perf events are "
	       "refused (perf_event_open: Permission denied)");
	clock.kind = PROFILECLOCK_REFUSED;
	clock.error = EPERM;
	expect(&clock, 3999,
	       "clock samples come at the kernel's ticks, 250 a second, not 250: perf events are "
	       "refused (perf_event_open: Operation not permitted); in a container, a seccomp "
	       "profile that passes it mends that");
	clock.kind = PROFILECLOCK_KERNEL;
	expect(&clock, 997,
	       "clock samples come at the kernel's ticks, 250 a second, not 1003: perf events with "
	       "signals need Linux 5.18");
}

Test(profileclock, says_nothing_where_all_samples_come)
{
	struct profileclock clock = {PROFILECLOCK_PARANOID, EACCES, 3, 4000000};

	expect(&clock, 10007, NULL);
	expect(&clock, 4000, NULL);
	expect(&clock, 0, NULL);
	clock.tick_ns = 0;
	expect(&clock, 997, NULL);
	clock.tick_ns = 4000000;
	clock.kind = PROFILECLOCK_PERF;
	expect(&clock, 997, NULL);
	clock.kind = PROFILECLOCK_NONE;
	expect(&clock, 997, NULL);
}

/* From now on, perf_event_open has this end. Returns 0, or -1: there are no filters here. */
static int filter(uint32_t end)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, end),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	                       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0
	               ? -1
	               : 0;
}

enum { NO_FILTERS = 100, A_CHILD_REMAINS };

/* The kind of clock behind such a filter. */
static int kind_behind(uint32_t end)
{
	struct profileclock clock;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (filter(end) < 0)
			_exit(NO_FILTERS);
		profileclock_find(&clock);
		_exit(waitpid(-1, NULL, __WALL | WNOHANG) < 0 && errno == ECHILD ? (int)clock.kind
		                                                                 : A_CHILD_REMAINS);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status), "0x%x", (unsigned)status);
	return WEXITSTATUS(status);
}

Test(profileclock, survives_filters_of_system_calls, .timeout = 60)
{
	static const struct {
		uint32_t end;
		int kind;
	} ends[] = {
		{SECCOMP_RET_ERRNO | EACCES, PROFILECLOCK_PARANOID},
		{SECCOMP_RET_ERRNO | EPERM, PROFILECLOCK_REFUSED},
		{SECCOMP_RET_ERRNO | ENOSYS, PROFILECLOCK_REFUSED},
		{SECCOMP_RET_KILL_PROCESS, PROFILECLOCK_REFUSED},
	};
	struct profileclock bare;

	profileclock_find(&bare);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int kind = kind_behind(ends[i].end);

		if (kind == NO_FILTERS)
			cr_skip_test("no seccomp filters here");
		cr_expect_eq(kind,
		             bare.kind == PROFILECLOCK_KERNEL ? PROFILECLOCK_KERNEL : ends[i].kind,
		             "%x: %d", (unsigned)ends[i].end, kind);
	}
}
