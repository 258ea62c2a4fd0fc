/* aside.c: a table of descriptors of one's own for a moment. See aside.h.
 * See doc/decisions/15-descriptors.md. */
#include "libcollector/base/aside.h"

#include "libcollector/base/collector.h"

#include <errno.h>
#include <sys/prctl.h>

enum { TURNS_MAX = 1000 };

_Static_assert(COL_ASIDE_FLAGS == (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK),
               "as it says");

static __thread unsigned char is_aside;
static atomic_uint is_judged; /* all filters of the process were, and allow it */

struct call {
	int (*run)(void *argument);
	void *argument;
	volatile int result; /* which the other thread writes: the compiler sees no such write on
	                        the way of the one that waits */
};

/* The table is a copy: what is closed here stays open in the program. POSIX locks stay as well,
 * because they belong to the program's table.
 * In a frame of its own, and never back: the frame of the caller is that of the thread that waits,
 * which goes on in it afterwards. */
static __attribute__((noinline, noreturn)) void run_there(struct call *call)
{
	sys_close_from(0);
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

static int is_filtered(void)
{
	return SYS5(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

void col_aside_judged(int is_allowed)
{
	atomic_store(&is_judged, is_allowed && (!is_filtered() || atomic_load(&is_judged)));
}

int col_is_aside(void)
{
	return is_aside;
}

/* Both threads have the same thread-local memory. */
int col_aside(int (*run)(void *argument), void *argument)
{
	struct call call = {run, argument, -EMFILE};
	long tid;

	if (is_aside || (is_filtered() && !atomic_load(&is_judged)))
		return -EMFILE;
	is_aside = 1;
	tid = SYS5(SYS_clone, COL_ASIDE_FLAGS, NULL, NULL, NULL, NULL);
	if (tid == 0)
		run_there(&call);
	is_aside = 0;
	if (tid > 0)
		wait_until_gone(tid);
	return call.result;
}
