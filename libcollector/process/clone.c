/* clone.c: the wrapper of clone, which creates children, and threads that libpthread does not know.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/hook/hook.h"
#include "libcollector/process/beforehand.h"
#include "libcollector/process/child.h"
#include "libcollector/process/descendant.h"
#include "libcollector/thread/thread_state.h"

#include <sched.h>
#include <stdarg.h>

/* A child made by clone without sharing memory is a forked one. */
struct cloned {
	int (*run)(void *);
	void *argument;
	uint32_t number;
};

static int run_cloned(void *argument)
{
	struct cloned cloned = *(struct cloned *)argument;

	child_begin('f', cloned.number);
	return cloned.run(cloned.argument);
}

static int clone_child(int (*run)(void *), void *stack, int flags, void *argument,
                       pid_t *parent_tid, void *tls, pid_t *child_tid)
{
	struct cloned cloned = {run, argument, 0};
	int pid;

	child_look();
	if (!child_is_told() || !run)
		return REAL(clone)(run, stack, flags, argument, parent_tid, tls, child_tid);
	if (col.is_recorded)
		cloned.number = descendant_number('f');
	pid = REAL(clone)(run_cloned, stack, flags, &cloned, parent_tid, tls, child_tid);
	if (pid > 0)
		child_log("clone", pid, cloned.number);
	return pid;
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	pid_t *parent_tid, *child_tid;
	void *tls;
	va_list more;
	int tid;

	va_start(more, argument);
	parent_tid = va_arg(more, pid_t *);
	tls = va_arg(more, void *);
	child_tid = va_arg(more, pid_t *);
	va_end(more);
	if (beforehand_is_wanted_by_clone((unsigned)flags))
		beforehand_make();
	if (!(flags & CLONE_VM))
		return clone_child(run, stack, flags, argument, parent_tid, tls, child_tid);
	tid = REAL(clone)(run, stack, flags, argument, parent_tid, tls, child_tid);
	if (beforehand_is_wanted_by_clone((unsigned)flags))
		beforehand_look_back();
	if (tid > 0 && flags & CLONE_THREAD && col_is_recording())
		thread_found((uint32_t)tid);
	if (tid > 0 && !(flags & (CLONE_THREAD | CLONE_VFORK)))
		child_log_sharer(tid);
	return tid;
}
