/* aside.c: a table of descriptors of one's own for a moment. See aside.h.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/aside.h"

#include "libcollector/base/collector.h"

#include <errno.h>

enum { NUMBERS_MAX = 4096, TURNS_MAX = 1000 };

struct call {
	int (*run)(void *argument);
	void *argument;
	int result;
};

/* A copy of the table: what is closed here stays open in the program. POSIX locks stay as well,
 * because they belong to the program's table. */
static void close_all(void)
{
	struct rlimit limit;
	int count = NUMBERS_MAX;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	    limit.rlim_cur < NUMBERS_MAX)
		count = (int)limit.rlim_cur;
	for (int fd = 0; fd < count; fd++)
		sys_close(fd);
}

/* In a frame of its own, and never back: the frame of the caller is that of the thread that waits,
 * which goes on in it afterwards. */
static __attribute__((noinline, noreturn)) void run_there(struct call *call)
{
	close_all();
	call->result = call->run(call->argument);
	for (;;)
		SYS1(SYS_exit, 0);
}

/* It has ended, but the kernel may count it for some microseconds yet, and calls that only a
 * process of one thread may make would fail. */
static void wait_until_gone(long tid)
{
	for (int i = 0; i < TURNS_MAX && SYS3(SYS_tgkill, col.pid, tid, 0) == 0; i++)
		SYS0(SYS_sched_yield);
}

int col_aside(int (*run)(void *argument), void *argument)
{
	const long flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK;
	struct call call = {run, argument, -EMFILE};
	long tid = SYS5(SYS_clone, flags, NULL, NULL, NULL, NULL);

	if (tid == 0)
		run_there(&call);
	if (tid > 0)
		wait_until_gone(tid);
	return call.result;
}
