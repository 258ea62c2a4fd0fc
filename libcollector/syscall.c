/* syscall.c: the wrapper of syscall(2). Some libraries wait on futexes by it, and some programs
 * create processes and execute programs by it, past the C library. */
#include "libcollector/events/sync.h"
#include "libcollector/exec/exec.h"
#include "libcollector/hook/hook.h"
#include "libcollector/io/io.h"
#include "libcollector/process/beforehand.h"
#include "libcollector/process/child.h"
#include "libcollector/process/descendant.h"
#include "libcollector/process/seccomp.h"
#include "libcollector/thread/signals.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/prctl.h>

typedef long syscall_function(long number, long a, long b, long c, long d, long e, long f);

static syscall_function *real_syscall(void)
{
	return (syscall_function *)(void *)REAL(syscall);
}

/* Does the call create a forked child, which continues where its parent does? Programs pass invalid
 * pointers to find out whether the kernel has clone3. */
static int is_fork(long number, long a, long b)
{
	const struct clone_args *arguments = (const struct clone_args *)a;

	if (number == SYS_clone)
		return !(a & CLONE_VM) && b == 0;
	if (number == SYS_clone3)
		return (unsigned long)b >= CLONE_ARGS_SIZE_VER0 &&
		       sys_is_readable(arguments, CLONE_ARGS_SIZE_VER0) &&
		       !(arguments->flags & CLONE_VM) && arguments->stack == 0;
	return number == SYS_fork;
}

static __attribute__((noinline)) long fork_traced(long number, long a, long b, long c, long d,
                                                  long e, long f)
{
	uint32_t child;
	long pid;

	child_look();
	if (!child_is_told())
		return real_syscall()(number, a, b, c, d, e, f);
	child = col.is_recorded ? descendant_number('f') : 0;
	pid = real_syscall()(number, a, b, c, d, e, f);
	if (pid == 0)
		child_begin('f', child);
	else if (pid > 0)
		child_log("fork", (int)pid, child);
	return pid;
}

static __attribute__((noinline)) long exec_traced(long number, long a, long b, long c, long d,
                                                  long e, long f)
{
	struct exec_call call = {EXEC_EXECVE,      AT_FDCWD,         (const char *)a,
	                         (char *const *)b, (char *const *)c, 0};

	(void)f;
	if (number == SYS_execveat)
		call = (struct exec_call){EXEC_EXECVEAT,    (int)a,           (const char *)b,
		                          (char *const *)c, (char *const *)d, (int)e};
	return exec_run(&call);
}

/* Returns what the call returns, or 1: it is to be passed on. */
static __attribute__((noinline)) long action_exchanged(long a, long b, long c, long d)
{
	int done = signals_action_by_call((int)a, (const void *)b, (void *)c, (unsigned long)d);

	if (done == 0)
		return 1;
	if (done > 0)
		return 0;
	errno = -done;
	return -1;
}

static int is_exec(long number)
{
	return number == SYS_execve || number == SYS_execveat;
}

/* All other calls are a jump, which leaves stack and registers alone: the call may be one that
 * returns twice. */
EXPORT syscall_function syscall_passed_on __asm__("syscall");
EXPORT long syscall_passed_on(long number, long a, long b, long c, long d, long e, long f)
{
	if (unlikely(number == SYS_futex) && sync_wants_futex(b))
		return sync_futex(number, a, b, c, d, e, f);
	if (unlikely(io_wants_syscall(number)))
		return io_syscall(number, a, b, c, d, e, f);
	if (unlikely(is_exec(number)))
		return exec_traced(number, a, b, c, d, e, f);
	if (unlikely(number == SYS_rt_sigaction)) {
		long result = action_exchanged(a, b, c, d);

		if (result <= 0)
			return result;
	}
	if (unlikely(number == SYS_seccomp))
		seccomp_before_seccomp((unsigned long)a, (const void *)c);
	if (unlikely(number == SYS_prctl))
		seccomp_before_prctl((int)a, (unsigned long)b, (unsigned long)c);
	if (unlikely(beforehand_is_wanted(number, a)))
		beforehand_call(number, a, b);
	if (unlikely(is_fork(number, a, b)))
		return fork_traced(number, a, b, c, d, e, f);
	return real_syscall()(number, a, b, c, d, e, f);
}
