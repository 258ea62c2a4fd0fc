/* helper.c: see helper.h.
 *
 * A process that executes a program sends SIGCHLD from then on, however it was cloned; so our child
 * waits for a child of its own, which executes the helper. Both use the memory of the process, on
 * stacks of their own.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/process/helper.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/hook/hook.h"
#include "libcollector/profile/tick_possible.h"

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024 }; /* of the child and of its child, half each */

/* What the children need, below their stacks. */
struct work {
	struct helper helper;
	int waits;    /* the child waits for its child */
	int has_told; /* there is a terminal */
	int is_quiet; /* the first three descriptors are none of the program's */
};

static atomic_uint_fast64_t judged; /* so many filters of the program let helpers be made */
static atomic_int is_forbidden;     /* one does not */

/* ---- filters of system calls ---- */

/* xcollect has run below those that it had. */
uint64_t helper_filters(void)
{
	uint64_t most = atomic_load(&judged);

	if (most < col.descriptor.step.filters)
		most = col.descriptor.step.filters;
	if (most < col.descriptor.filters)
		most = col.descriptor.filters;
	return atomic_load(&is_forbidden) ? 0 : most;
}

void helper_judged(int is_allowed)
{
	uint64_t count = tick_filters();

	if (!is_allowed)
		atomic_store(&is_forbidden, 1);
	else if (count <= helper_filters())
		atomic_store(&judged, count + 1);
}

int helper_is_allowed(void)
{
	return !atomic_load(&is_forbidden) && tick_filters() <= helper_filters();
}

/* ---- the children ---- */

/* If it is killed, it leaves no dump in the program's directory. */
static void drop_core(void)
{
	static const struct rlimit no_core;

	SYS4(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL);
}

/* In the child, which has all signals blocked: a handler of the program must not run there, since
 * it shares the memory. */
static void drop_handlers(void)
{
	struct {
		unsigned long handler, flags, restorer;
		sys_sigset mask;
	} old, none = {.handler = (unsigned long)SIG_DFL};

	for (int signal = 1; signal < _NSIG; signal++)
		if (SYS4(SYS_rt_sigaction, signal, NULL, &old, sizeof(sys_sigset)) == 0 &&
		    old.handler != (unsigned long)SIG_IGN)
			SYS4(SYS_rt_sigaction, signal, &none, NULL, sizeof(sys_sigset));
}

/* Is this the process that xcollect became, in whatever it has executed since? */
static int is_founding_process(void)
{
	return !strpbrk(col.descriptor.step.lineage, "fc");
}

/* A descriptor of the terminal that xcollect was started from, if it still controls the founder,
 * which is in its foreground: to write from the background may stop a process. A terminal that the
 * user has stopped (Ctrl-S) does not block. Many programs have closed their standard error by now.
 * -1: it is not to be had. */
static long open_terminal(void)
{
	unsigned device = 0;
	pid_t group = 0;
	long fd;

	if (!col.descriptor.terminal || !is_founding_process())
		return -1;
	fd = sys_openat(AT_FDCWD, "/dev/tty", O_WRONLY | O_NOCTTY | O_NONBLOCK, 0);
	if (fd >= 0 && SYS3(SYS_ioctl, fd, TIOCGDEV, &device) == 0 &&
	    device == col.descriptor.terminal && SYS3(SYS_ioctl, fd, TIOCGPGRP, &group) == 0 &&
	    group == SYS1(SYS_getpgid, 0))
		return fd;
	return -1;
}

/* In the child's child, while that waits. It has descriptors of its own: with the program's, a peer
 * would not notice that the program closes a file. */
static int execute(void *argument)
{
	const struct work *work = argument;
	char *const *argv = work->has_told ? work->helper.told : work->helper.argv;
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	sys_sigset none = 0;

	sys_close_from(work->is_quiet ? STDERR_FILENO + 1 : 0);
	sys_sigmask(SIG_SETMASK, &none, NULL);
	SYS3(SYS_execve, argv[0], argv, environment);
	SYS1(SYS_exit_group, 127);
	return 127;
}

/* The same file under a number that stays when the standard ones are replaced: the program may have
 * closed those. */
static long above_standard(long fd)
{
	return fd >= 0 && fd <= STDERR_FILENO ? SYS3(SYS_fcntl, fd, F_DUPFD, STDERR_FILENO + 1)
	                                      : fd;
}

/* In the child, on a separate stack in the parent's memory, while the parent waits for it. Files
 * that the parent has open are not kept open, but for the terminal that gets messages. */
static int run(void *memory)
{
	struct work *work = memory;
	long null = above_standard(sys_openat(AT_FDCWD, "/dev/null", O_RDWR, 0));
	long terminal = work->helper.told ? above_standard(open_terminal()) : -1;
	int child, status = HELPER_UNKNOWN << 8;

	drop_core();
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		SYS3(SYS_dup3, fd == STDERR_FILENO && terminal >= 0 ? terminal : null, fd, 0);
	drop_handlers();
	work->has_told = terminal >= 0;
	work->is_quiet = null >= 0;
	child = REAL(clone)(execute, (char *)memory + STACK_SIZE / 2, CLONE_VM | CLONE_VFORK, work);
	sys_close_from(0);
	while (child > 0 && work->waits && SYS4(SYS_wait4, child, &status, __WALL, NULL) == -EINTR)
		continue;
	if (child > 0 && !work->waits)
		status = 0;
	SYS1(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : HELPER_UNKNOWN);
	return 0;
}

static int start(char *memory)
{
	sys_sigset mask;
	int child;

	sys_block_signals(&mask);
	child = REAL(clone)(run, memory + STACK_SIZE, CLONE_VM, memory);
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	return child;
}

/* After unshare(CLONE_NEWPID), a process whose first child has ended can have no more. Its last one
 * is made in its own namespace, if it may. */
static void return_to_namespace(void)
{
	long own = sys_openat(AT_FDCWD, "/proc/self/ns/pid", O_RDONLY, 0);

	if (own >= 0) {
		SYS2(SYS_setns, own, CLONE_NEWPID);
		sys_close((int)own);
	}
}

/* A first child in another name space of pids would be process 1 there, and at its end the program
 * could have no more. */
static int is_elsewhere(void)
{
	char own[64], children[64];
	long size = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", own, sizeof(own));

	return size > 0 &&
	       SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid_for_children", children,
	            sizeof(children)) == size &&
	       memcmp(own, children, (size_t)size) != 0;
}

/* Would a child's child that is left become a child of this process? */
static int adopts(void)
{
	int is_reaper = 0;

	return col.pid == 1 ||
	       (SYS2(SYS_prctl, PR_GET_CHILD_SUBREAPER, &is_reaper) == 0 && is_reaper);
}

/* Returns the status of the wait; if another thread has waited for it, it may be running. */
static int wait_for(int child, int *is_over)
{
	int status = HELPER_UNKNOWN << 8;
	long ended;

	while ((ended = SYS4(SYS_wait4, child, &status, __WALL, NULL)) == -EINTR)
		continue;
	*is_over = ended == child;
	return *is_over && WIFEXITED(status) ? WEXITSTATUS(status) : HELPER_UNKNOWN;
}

int helper_run(const struct helper *helper)
{
	int saved_errno = errno, child, is_over = 1, result;
	char *memory;

	if (!helper_is_allowed())
		return -EPERM;
	if (helper->is_left && adopts())
		return -ECHILD;
	if (!helper->is_last && is_elsewhere())
		return -EXDEV;
	memory = sys_mmap_anonymous(STACK_SIZE);
	if (!memory)
		return -ENOMEM;
	*(struct work *)(void *)memory = (struct work){.helper = *helper,
	                                               .waits = !helper->is_left};
	child = start(memory);
	if (child < 0 && helper->is_last) {
		return_to_namespace();
		child = start(memory);
	}
	result = child < 0 ? -EAGAIN : wait_for(child, &is_over);
	if (is_over)
		sys_munmap(memory, STACK_SIZE);
	errno = saved_errno;
	return result;
}
