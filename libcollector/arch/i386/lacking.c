/* lacking.c: what the library for programs of 32 bits lacks. It records user events, usage and
 * descendants; what else the others of its modules would call is answered here, as in a process in
 * which it is off: process.c sees to that.
 *
 * There are no ticks either: the handler of one would have to let interrupted system calls begin
 * again (restart.c), but here they are made in the vDSO, where the code does not tell the call's
 * number. So usage is sampled at the start and the end.
 * See doc/decisions/47-32-bit.md. */
#include "libcollector/events/allocator.h"
#include "libcollector/thread/buserror.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/calls/functrace.h"
#include "libcollector/calls/functrace_choice.h"
#include "libcollector/calls/functrace_number.h"
#include "libcollector/events/heap.h"
#include "libcollector/io/io.h"
#include "libcollector/io/io_files.h"
#include "libcollector/java/java_agent.h"
#include "libcollector/object/loader.h"
#include "libcollector/events/mapping.h"
#include "libcollector/mpi/mpi.h"
#include "libcollector/jit/perf.h"
#include "libcollector/jit/unmapped.h"
#include "libcollector/unwind/rule.h"
#include "libcollector/thread/signals.h"
#include "libcollector/calls/sleds.h"
#include "libcollector/events/sync.h"
#include "libcollector/events/tick.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/hook/visible.h"

#include <dlfcn.h>
#include <errno.h>

#undef dlsym

/* ---- files whose pages are gone */

void buserror_stand(void)
{
}

void buserror_give_back(void)
{
}

void buserror_unmask(struct sigaction *now)
{
	(void)now;
}

/* ---- clock samples, call stacks */

void signals_restart_call(void *context)
{
	(void)context;
}

/* ---- events of other kinds */

int sync_wants_futex(long operation)
{
	(void)operation;
	return 0;
}

long sync_futex(long number, long a, long b, long c, long d, long e, long f)
{
	return SYS6(number, a, b, c, d, e, f);
}

/* ---- calls of functions, functions made at run time */

void dynamic_load(const char *name, const char *alias, const char *source, const void *code,
                  int size, int line_count, const Lineno *lines)
{
	(void)name;
	(void)alias;
	(void)source;
	(void)code;
	(void)size;
	(void)line_count;
	(void)lines;
}

void dynamic_unload(const void *code)
{
	(void)code;
}

/* ---- Java */

/* ---- names that nobody else has: here there are none */

visible_dlsym_function *visible_dlsym(void)
{
	return dlsym;
}

void visible_open(void)
{
}
