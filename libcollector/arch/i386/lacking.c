/* lacking.c: stand-ins for what the library for 32-bit programs does not have. It records user
 * events, usage and descendants; calls to the modules that it leaves out end here, and act as in a
 * process in which their data are off.
 *
 * There are no ticks either: the handler of a tick would have to restart interrupted system calls
 * (restart.c), but here these are made in the vDSO, where the code does not show the number of the
 * call. So usage is sampled at the start and the end only.
 * See doc/decisions/47-32-bit.md. */
#include "libcollector/events/sync.h"
#include "libcollector/io/io.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/profile/tick.h"
#include "libcollector/thread/handler_stack.h"
#include "libcollector/thread/signals.h"
#include "libcollector/wall/wall.h"

/* ---- clock samples, call stacks */

void signals_restart_call(int signal, void *context)
{
	(void)signal;
	(void)context;
}

void tick_before_thread(void)
{
}

void tick_depart(void)
{
}

void tick_stay(void)
{
}

void tick_tell_user_only(void)
{
}

void tick_leave_perf(void)
{
}

/* ---- handlers run on the stacks of the program */

void handler_stacks_open(void)
{
}

void handler_stacks_restart(void)
{
}

int handler_stack_run(void (*function)(void *argument), void *argument, uint32_t tid)
{
	(void)tid;
	function(argument);
	return 1;
}

/* ---- events of other kinds */

int io_wants_syscall(long number)
{
	(void)number;
	return 0;
}

long io_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return SYS6(number, a, b, c, d, e, f);
}

int sync_wants_futex(long operation)
{
	(void)operation;
	return 0;
}

long sync_futex(long number, long a, long b, long c, long d, long e, long f)
{
	return SYS6(number, a, b, c, d, e, f);
}

uint64_t wall_least, wall_least_file;

struct wall_start wall_begin(const struct wall_call *call, struct caller caller)
{
	(void)call;
	(void)caller;
	return (struct wall_start){0};
}

void wall_put(const struct wall_call *call, const struct wall_start *start, uint64_t after,
              struct caller caller)
{
	(void)call;
	(void)start;
	(void)after;
	(void)caller;
}

/* ---- calls of functions, JIT functions */

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
