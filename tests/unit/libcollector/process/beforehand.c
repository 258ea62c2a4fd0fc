/* Which system calls give up what is needed to create files later. */
#include "libcollector/process/beforehand.h"

#include <criterion/criterion.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

Test(beforehand, calls_that_give_something_up_are_known)
{
	static const long numbers[] = {
		SYS_setuid,
		SYS_setreuid,
		SYS_setresuid,
		SYS_setfsuid,
		SYS_capset,
		SYS_chroot,
		SYS_pivot_root,
		SYS_unshare,
		SYS_setns,
		SYS_seccomp,
		SYS_setrlimit,
		SYS_prlimit64,
#ifdef SYS_landlock_restrict_self
		SYS_landlock_restrict_self,
#endif
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cr_expect_eq(beforehand_is_wanted(numbers[i], 0), 1, "%ld", numbers[i]);
}

Test(beforehand, of_prctl_one_does)
{
	cr_expect_eq(beforehand_is_wanted(SYS_prctl, PR_SET_SECCOMP), 1);
	cr_expect_eq(beforehand_is_wanted(SYS_prctl, PR_SET_NAME), 0);
	cr_expect_eq(beforehand_is_wanted(SYS_prctl, PR_GET_SECCOMP), 0);
}

Test(beforehand, others_do_not)
{
	static const long numbers[] = {SYS_read, SYS_getuid, SYS_getrlimit, SYS_chdir, SYS_setgid};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cr_expect_eq(beforehand_is_wanted(numbers[i], PR_SET_SECCOMP), 0, "%ld",
		             numbers[i]);
}
