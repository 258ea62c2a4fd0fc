/* The wrapper of syscall(2): forks and programs that are made past the C library, and signals. */
#include "tests/unit/libcollector/process/executed.h"
#include "tests/unit/libcollector/thread/shared_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern __typeof__(syscall) wrapped_syscall;

static void setup(void)
{
	shared_signal_open();
	col.is_recorded = col.is_followed = 1;
}

TestSuite(syscall, .init = setup, .fini = scratch_remove, .timeout = 60);

/* In the child, end; in the parent, expect that it is noted with that number, or not at all (0). */
static void has_child(long pid, unsigned number)
{
	static int notes;
	char text[80];
	int status;

	if (pid == 0)
		_exit(9);
	cr_assert_gt(pid, 0);
	cr_assert_eq(waitpid((pid_t)pid, &status, 0), pid);
	cr_assert_eq(status, 9 << 8, "%x", (unsigned)status);
	notes += number != 0;
	cr_expect_eq(scratch_count("log.xml", "kind=\"fork\""), notes);
	snprintf(text, sizeof(text), " pid=\"%ld\" lineage=\"_f%u\"", pid, number);
	cr_expect_eq(scratch_count("log.xml", text), number != 0, "%s", text);
}

Test(syscall, forks_are_noted)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};

	has_child(wrapped_syscall(SYS_fork), 1);
	has_child(wrapped_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 2);
	has_child(wrapped_syscall(SYS_clone3, &arguments, CLONE_ARGS_SIZE_VER0), 3);
	has_child(wrapped_syscall(SYS_clone3, &arguments, sizeof(arguments)), 4);
	col.is_recorded = 0;
	has_child(wrapped_syscall(SYS_fork), 0);
}

/* A program looks in this way whether the kernel has clone3. */
Test(syscall, what_is_no_fork_is_not_noted)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};

	cr_expect_eq(wrapped_syscall(SYS_clone3, NULL, sizeof(arguments)), -1);
	cr_expect_eq(errno, EFAULT);
	cr_expect_eq(wrapped_syscall(SYS_clone3, (void *)8, CLONE_ARGS_SIZE_VER0), -1);
	cr_expect_eq(wrapped_syscall(SYS_clone3, &arguments, CLONE_ARGS_SIZE_VER0 - 1), -1);
	cr_expect_eq(errno, EINVAL);
	cr_expect_eq(wrapped_syscall(SYS_getpid), getpid());
	cr_expect_eq(wrapped_syscall(SYS_getppid), getppid());
	cr_expect_eq(scratch_count("log.xml", " pid="), 0);
}

Test(syscall, all_arguments_arrive)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	long page = wrapped_syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE, fd, 4096), other;
	char here[4], there[4];

	cr_assert(page != -1 && page % 4096 == 0);
	cr_assert_eq(pread(fd, here, 4, 4096), 4);
	memcpy(there, (void *)page, 4);
	cr_expect_eq(memcmp(here, there, 4), 0, "the place in the file is the sixth one");
	other = wrapped_syscall(SYS_close, fd);
	cr_expect_eq(other, 0);
	cr_expect_eq(wrapped_syscall(SYS_close, fd), -1);
	cr_expect_eq(errno, EBADF);
}

/* Of the recorder's signals the program sees its own handler; those of others are the kernel's. */
Test(syscall, handlers_are_exchanged_where_the_signal_is_ours)
{
	struct sys_sigaction program = {.handler = (signals_handler *)(uintptr_t)on_program,
	                                .flags = SYS_RESTORER},
			     old = {.handler = on_ours};
	const unsigned long size = sizeof(sys_sigset);

	cr_expect_eq(wrapped_syscall(SYS_rt_sigaction, OURS, &program, &old, size), 0);
	cr_expect_null(old.handler);
	cr_expect_eq(real_action(OURS).handler, on_ours);
	errno = 0;
	cr_expect_eq(wrapped_syscall(SYS_rt_sigaction, OURS, NULL, 8, size), -1);
	cr_expect_eq(errno, EFAULT);
	cr_expect_eq(wrapped_syscall(SYS_rt_sigaction, THEIRS, NULL, &old, size), 0);
	cr_expect_null(old.handler);
	cr_expect_eq(wrapped_syscall(SYS_rt_sigaction, 99, NULL, &old, size), -1);
	cr_expect_eq(errno, EINVAL);
}

/* ---- programs */

static void execute(int is_at)
{
	char *const arguments[] = {"sh", "-c", "printf %s \"$OWN\" >\"$D/out\"; " WRITE_STEP, NULL};
	int status, directory = open("/bin", O_PATH | O_CLOEXEC);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		col.pid = getpid();
		if (is_at)
			wrapped_syscall(SYS_execveat, directory, "sh", arguments, given, 0);
		else
			wrapped_syscall(SYS_execve, "/bin/sh", arguments, given);
		_exit(99);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "%x", (unsigned)status);
	wrote("out", "mine");
	steps_to("_x1", child, child);
	cr_expect_eq(logged("exec"), 1);
}

static void setup_executed(void)
{
	set_up_executed("/bin");
}

Test(syscall_exec, a_program_is_recorded, .init = setup_executed, .fini = scratch_remove)
{
	execute(0);
}

Test(syscall_exec, one_below_a_directory_too, .init = setup_executed, .fini = scratch_remove)
{
	execute(1);
}
