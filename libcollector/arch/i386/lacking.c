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

void tick_open(void)
{
}

void tick_close(void)
{
}

void tick_let_in(void)
{
}

void tick_restart(void)
{
}

void tick_arm(struct col_thread *thread)
{
	(void)thread;
}

void tick_disarm(struct col_thread *thread)
{
	(void)thread;
}

void tick_forget(struct col_thread *thread)
{
	(void)thread;
}

void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context)
{
	(void)thread;
	(void)writer;
	(void)context;
}

void signals_restart_call(void *context)
{
	(void)context;
}

int tree_open(void)
{
	return 0;
}

void tree_advise(int advice)
{
	(void)advice;
}

struct walk_memo *walk_memo_create(uint32_t capacity)
{
	(void)capacity;
	return NULL;
}

void walk_memo_destroy(struct walk_memo *memo)
{
	(void)memo;
}

void walk_memo_advise(struct walk_memo *memo, int advice)
{
	(void)memo;
	(void)advice;
}

void walk_memo_forget(struct walk_memo *memo)
{
	(void)memo;
}

void rule_cache_clear(void)
{
}

/* ---- events of other kinds */

void allocator_check(void)
{
}

void heap_start(void)
{
}

void mapping_look_at_break(struct col_thread *thread, enum col_context context, uint32_t stack)
{
	(void)thread;
	(void)context;
	(void)stack;
}

void sync_start(void)
{
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

void io_start(void)
{
}

void io_files_restart(void)
{
}

/* ---- calls of functions, functions made at run time */

int functrace_open(void)
{
	return 0;
}

void functrace_start(void)
{
}

uint64_t functrace_erased(void)
{
	return 0;
}

void functrace_thread_begin(struct col_thread *thread)
{
	(void)thread;
}

void functrace_thread_end(void)
{
}

int functrace_is_interrupted(void)
{
	return 0;
}

void functrace_keep_memory(int advice)
{
	(void)advice;
}

void functrace_let_go(int is_kept)
{
	(void)is_kept;
}

void omp_start(void)
{
}

void omp_forget(struct omp_thread *omp)
{
	(void)omp;
}

void mpi_start(void)
{
}

void mpi_open(void)
{
}

void choice_forget(void)
{
}

void loader_forget(void)
{
}

void number_forget(void)
{
}

void sleds_forget(void)
{
}

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

void dynamic_forget(void)
{
}

void perf_look(void)
{
}

void perf_forget(void)
{
}

void unmapped_forget(void)
{
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

void java_forget(void)
{
}
