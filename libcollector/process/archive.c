/* archive.c: run xer_archive at the end, as a child that the program cannot notice: it sends no
 * SIGCHLD, and only a wait for such children finds it. A process that executes a program sends
 * SIGCHLD from then on, however it was cloned; so our child waits for a child of its own, which
 * executes xer_archive.
 *
 * xer_archive archives the whole tree, so one run at the end of the founder serves all processes
 * that ended before. A process that outlives its recorded ancestors runs it for itself and those
 * that come after. A process releases the lock that shows that it lives before it archives, so that
 * a process which ends later knows that it has to archive for itself.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/process/archive.h"

#include "libcollector/base/file.h"
#include "libcollector/hook/hook.h"
#include "libcollector/write/log.h"

#include "format/lineage.h"

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024 }; /* of the child and of its child, half each */

static char what[sizeof(col.descriptor.directory) + LINEAGE_MAX +
                 sizeof(FMT_EXPERIMENT_SUFFIX)]; /* is archived */

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

/* In the child's child, while that waits. */
static int execute(void *terminal)
{
	char *const quiet[] = {col.descriptor.archive,      "-q", "-a",
	                       col.descriptor.archive_mode, what, NULL};
	char *const closing[] = {col.descriptor.archive,
	                         "-s",
	                         col.descriptor.directory + col.descriptor.name_at,
	                         "-a",
	                         col.descriptor.archive_mode,
	                         what,
	                         NULL};
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	sys_sigset none = 0;

	sys_sigmask(SIG_SETMASK, &none, NULL);
	SYS3(SYS_execve, col.descriptor.archive, terminal ? closing : quiet, environment);
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
 * that the parent has open are not kept open, but for the terminal that gets the closing line. */
static int run(void *inner_stack)
{
	long null = above_standard(sys_openat(AT_FDCWD, "/dev/null", O_RDWR, 0));
	long terminal = above_standard(open_terminal());
	int child, status;

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		SYS3(SYS_dup3, fd == STDERR_FILENO && terminal >= 0 ? terminal : null, fd, 0);
	drop_handlers();
	child = REAL(clone)(execute, inner_stack, CLONE_VM | CLONE_VFORK,
	                    terminal >= 0 ? &terminal : NULL);
	SYS3(SYS_close_range, 0, UINT32_MAX, 0);
	while (child > 0 && SYS4(SYS_wait4, child, &status, __WALL, NULL) == -EINTR)
		continue;
	SYS1(SYS_exit_group, 0);
	return 0;
}

/* Does the process with this lineage live? If so, it holds a lock on its log. */
static int is_alive(const char *lineage)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	char path[LINEAGE_MAX + sizeof(FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG)];
	char *end = stpcpy(path, lineage);
	int directory = col_founder_get();
	long fd;
	int locked;

	strcpy(end, *lineage ? FMT_EXPERIMENT_SUFFIX "/" FMT_FILE_LOG : FMT_FILE_LOG);
	fd = col_file_open(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	col_place_done(directory);
	if (fd < 0)
		return 0;
	locked = SYS3(SYS_fcntl, fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	sys_close((int)fd);
	return locked;
}

/* Is there a recorded ancestor that will archive for us? */
static int has_ancestor(void)
{
	char lineage[LINEAGE_MAX];

	strcpy(lineage, col.descriptor.step.lineage);
	while (*lineage) {
		*strrchr(lineage, '_') = '\0';
		if (is_alive(lineage))
			return 1;
	}
	return 0;
}

/* Was the program's file deleted or replaced? It can be read until this process has ended. */
static int is_file_gone(void)
{
	static const char mark[] = " (deleted)";
	const long mark_len = sizeof(mark) - 1;
	char *path = col_text_borrow();
	long len = path ? SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, COL_TEXT_SIZE) : 0;
	int is_gone = len > mark_len && memcmp(path + len - mark_len, mark, (size_t)mark_len) == 0;

	if (path)
		col_text_return(path);
	return is_gone;
}

/* The whole tree, or this process alone, which has an ancestor that archives the tree. */
static void choose(int is_whole)
{
	char *end = stpcpy(what, col.descriptor.directory);

	if (!is_whole)
		strcpy(stpcpy(stpcpy(end, "/"), col.descriptor.step.lineage),
		       FMT_EXPERIMENT_SUFFIX);
}

static int start(char *stack)
{
	sys_sigset mask;
	int child;

	sys_block_signals(&mask);
	child = REAL(clone)(run, stack + STACK_SIZE, CLONE_VM, stack + STACK_SIZE / 2);
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

void archive_run(int is_last)
{
	char *stack;
	int saved_errno = errno;
	long ended = 0;
	int child, status, is_whole;

	if (!col.descriptor.archive[0])
		return;
	is_whole = !has_ancestor();
	if (!is_whole && !is_file_gone())
		return;
	choose(is_whole);
	col_log_let_go();
	stack = sys_mmap_anonymous(STACK_SIZE);
	if (!stack)
		return;
	child = start(stack);
	if (child < 0 && is_last) {
		return_to_namespace();
		child = start(stack);
	}
	if (child < 0)
		col_log_warning(
			"nothing is archived: no process could be made for it; xer_archive does it later");
	while (child > 0 && (ended = SYS4(SYS_wait4, child, &status, __WALL, NULL)) == -EINTR)
		continue;
	if (child < 0 ||
	    ended == child) /* otherwise another thread has waited for it, and it may be running */
		sys_munmap(stack, STACK_SIZE);
	errno = saved_errno;
}
