/* archive.c: run xer_archive at the end, as a child that the target cannot see: it sends no SIGCHLD, and only
 * a wait that asks for such children finds it. */
#include "process.h"

#include "hook.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

enum { STACK_SIZE = 64 * 1024 };

/* In the child, on a stack of its own in the parent's memory; the parent waits until exec. */
static int run(void *unused)
{
	char *const argv[] = {col.descriptor.archive, "-q", "-a", col.descriptor.archive_mode, col.descriptor.directory, NULL};
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	sys_sigset none = 0;
	long null = sys_openat(AT_FDCWD, "/dev/null", O_RDWR, 0);

	(void)unused;
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		SYS3(SYS_dup3, null, fd, 0);
	sys_sigmask(SIG_SETMASK, &none, NULL);
	SYS3(SYS_execve, col.descriptor.archive, argv, environment);
	SYS1(SYS_exit_group, 127);
	return 127;
}

void archive_run(void)
{
	char *stack;
	int saved_errno = errno;
	int child, status;

	if (!col.descriptor.archive[0])
		return;
	stack = sys_mmap_anonymous(STACK_SIZE);
	if (!stack)
		return;
	child = REAL(clone)(run, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, NULL);
	while (child > 0 && SYS4(SYS_wait4, child, &status, __WALL, NULL) == -EINTR)
		continue;
	sys_munmap(stack, STACK_SIZE);
	errno = saved_errno;
}
