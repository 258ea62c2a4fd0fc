/* refused.h: tests of what a system may refuse to the tests themselves, as a container does. */
#ifndef XER_TESTS_REFUSED_H
#define XER_TESTS_REFUSED_H

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

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

#endif
