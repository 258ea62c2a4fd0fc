/* refused.h: tests of what a system may refuse to the tests themselves, as a container does. */
#ifndef XER_TESTS_REFUSED_H
#define XER_TESTS_REFUSED_H

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Skip the test if no process may be traced. */
static inline void needs_ptrace(void)
{
	if (ptrace(PTRACE_SEIZE, INT_MAX, NULL, NULL) < 0 && errno != ESRCH)
		cr_skip_test("ptrace is refused here");
}

/* Skip the test if there are filters of system calls already. */
static inline void needs_no_filters(void)
{
	if (prctl(PR_GET_SECCOMP) != 0)
		cr_skip_test("there are filters of system calls here");
}

/* From now on a system call of this process fails with this error. Skips the test if there are
 * filters of system calls already. */
static inline void refuse_call(unsigned number, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	needs_no_filters();
	cr_assert_eq(syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}

#endif
