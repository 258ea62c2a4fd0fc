/* thread.c: a state for every thread, however it was created. See thread.h. */
#include "libcollector/thread/thread_state.h"

#include "libcollector/base/source.h"
#include "libcollector/thread/memo.h"
#include "libcollector/thread/scope.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>

__thread struct col_thread *col_self;

static pthread_key_t exit_key;
static int has_exit_key;
atomic_uint thread_starting;

enum { SWEPT = 8 };
static atomic_uint swept; /* a place of the table */

void thread_begin(struct col_thread *state, uint32_t tid)
{
	state->scope = OUTSIDE;
	state->exit_rounds = 0;
	state->last_stack = 0;
	state->rest_ns = 0;
	state->is_slow = 0;
	state->epoch = atomic_load(&col.epoch);
	state->name[0] = '\0';
	state->home = state->pointer = 0;
	EACH_SOURCE(thread_prepare, state);
	atomic_store(&state->accounted_ns, 0);
	atomic_store(&state->owed_ns, 0);
	state->user_us = state->system_us = 0;
	atomic_store_explicit(&state->tid, tid, memory_order_release);
	thread_table_enter(tid, state);
	col_count(&col.count.threads, 1);
	EACH_SOURCE(thread_begin, state);
}

/* Its thread has recorded its last event. */
static void give_up(struct col_thread *state)
{
	EACH_SOURCE(thread_gone, state);
	state->perf = COL_PERF_UNKNOWN;
	atomic_store(&state->tid, 0);
	thread_release(state);
}

void thread_end(struct col_thread *state)
{
	uint32_t tid = atomic_load(&state->tid);

	if (tid)
		thread_table_leave(tid, state);
	give_up(state);
}

void thread_drop(struct col_thread *state, uint32_t tid)
{
	if (thread_table_leave(tid, state))
		give_up(state);
}

/* Threads may have gone without a word. Each new state pays for a look at some of those that there
 * are, so their number stays in proportion to that of the threads. */
static void sweep(void)
{
	uint32_t place = atomic_load(&swept);

	if (!thread_table_sweep(&place, SWEPT, thread_drop))
		place = 0;
	atomic_store(&swept, place);
}

struct col_thread *thread_take(void)
{
	struct col_thread *state = thread_take_unused();

	if (state)
		return state;
	sweep();
	state = thread_take_unused();
	return state ? state : thread_make();
}

/* The calling thread has recorded everything. */
static void end_self(struct col_thread *state)
{
	thread_table_end(atomic_load(&state->tid), state);
	give_up(state);
}

/* `thread` writes the record of the thread with the id `tid`. */
static void write_about(struct col_thread *thread, enum col_context context, uint32_t tid,
                        const char name[16], enum fmt_thread_origin origin, uint64_t start_ns,
                        uint64_t ticks)
{
	struct fmt_thread record = {.kind = FMT_KIND_thread,
	                            .origin = (uint8_t)origin,
	                            .tid = tid,
	                            .start_ns = start_ns};

	memcpy(record.name.text, name, sizeof(record.name.text));
	col_slot_write(&thread->slot[context][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW,
	               atomic_load(&thread->tid), &record, sizeof(record), ticks);
}

void thread_tell(struct col_thread *thread, enum col_context context, enum fmt_thread_origin origin)
{
	write_about(thread, context, atomic_load(&thread->tid), thread->name, origin,
	            sys_clock_ns(CLOCK_MONOTONIC), col_ticks());
}

void thread_tell_of(struct col_thread *thread, enum col_context context, uint32_t tid,
                    const char name[16])
{
	write_about(thread, context, tid, name, FMT_thread_origin_FOUND,
	            sys_clock_ns(CLOCK_MONOTONIC), col_ticks());
}

void thread_write_main(struct col_thread *thread, enum col_context context,
                       const struct process_moment *start)
{
	static const char gone[16];
	const struct col_thread *first = thread_find((uint32_t)col.pid);

	write_about(thread, context, (uint32_t)col.pid, first ? first->name : gone,
	            FMT_thread_origin_MAIN, start->mono_ns, start->ticks);
}

void thread_check_name(struct col_thread *thread, enum col_context context)
{
	char name[16] = "";

	if (thread->is_beginning || SYS2(SYS_prctl, PR_GET_NAME, name) < 0 ||
	    memcmp(name, thread->name, sizeof(name)) == 0)
		return;
	memcpy(thread->name, name, sizeof(name));
	thread_tell(thread, context, FMT_thread_origin_RENAMED);
}

/* Runs when a thread ends. Destructors of others may still allocate, so it waits for the last
 * round. */
static void at_thread_exit(void *value)
{
	struct col_thread *state = value;

	if (!col_is_recording())
		return;
	if (++state->exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(exit_key, state);
		return;
	}
	/* Another thread may have named it since its last sample, or it had none. */
	thread_check_name(state, COL_NORMAL);
	EACH_SOURCE(thread_gone, state);
	EACH_SOURCE(thread_account, state, state, COL_NORMAL);
	col_self = NULL;
	EACH_SOURCE(thread_exit);
	end_self(state);
}

/* A state from an earlier experiment: its thread keeps it, and is still where it was. */
static void begin_again(struct col_thread *state)
{
	uint32_t tid = atomic_load(&state->tid);
	uintptr_t scope = state->scope;
	uintptr_t pointer = state->pointer;

	if (tid && thread_is_alive(tid)) {
		thread_table_leave(tid, state);
		state->perf = COL_PERF_UNKNOWN; /* that of the earlier one is closed */
		thread_begin(state, tid);
		state->scope = scope;
		state->pointer = pointer;
	} else if (tid) {
		thread_end(state);
	}
}

/* `self`, which may be NULL, is first: the others may get events when it has opened its own. */
static void begin_all_again(struct col_thread *self)
{
	if (self)
		begin_again(self);
	for (struct col_thread *state = thread_first(); state; state = state->next)
		if (state != self)
			begin_again(state);
}

void thread_become(struct col_thread *state)
{
	col_self = state;
	state->home = (uintptr_t)__builtin_frame_address(0);
	state->pointer = arch_libc_pointer();
	memo_move(state);            /* the handler looks after its own */
	scope_begin(state, PASSING); /* the next may allocate */
	if (has_exit_key)
		pthread_setspecific(exit_key, state);
	scope_leave(state);
	SYS2(SYS_prctl, PR_GET_NAME, state->name);
}

struct col_thread *thread_adopt_self(void)
{
	uint32_t tid = sys_tid();
	struct col_thread *known = tid ? thread_find(tid) : NULL, *state = known;

	if (!known) {
		state = tid ? thread_take() : NULL;
		if (!state) {
			col_count(&col.count.lost_threads, 1);
			return NULL;
		}
		thread_begin(state, tid);
	}
	thread_become(state);
	/* One that the scan has found may have samples: it is no new thread. */
	thread_tell(state, COL_NORMAL, known ? FMT_thread_origin_RENAMED : FMT_thread_origin_FOUND);
	return state;
}

/* The only thread's: of the start, or of a forked child. */
static uint32_t first_tid(void)
{
	uint32_t tid = sys_tid();

	return tid ? tid : (uint32_t)col.pid;
}

int thread_open(void)
{
	uint32_t tid = first_tid();
	struct col_thread *state, *known;

	/* An earlier recording may have found this thread without its ever recording by itself. */
	known = col_self ? col_self : thread_find(tid);
	begin_all_again(known);
	state = known ? known : thread_take();
	if (!state)
		return -ENOMEM;
	if (!has_exit_key)
		has_exit_key = pthread_key_create(&exit_key, at_thread_exit) == 0;
	if (!known)
		thread_begin(state, tid);
	atomic_store(&state->accounted_ns, col.descriptor.step.thread_ns & ~(uint64_t)15);
	thread_become(state);
	if (!col.descriptor.step.lineage[0])
		thread_tell(state, COL_NORMAL,
		            tid == (uint32_t)col.pid ? FMT_thread_origin_MAIN
		                                     : FMT_thread_origin_FOUND);
	return 0;
}

/* The old states are not mapped here: see thread_take. */
int thread_restart(void)
{
	struct col_thread *state;

	thread_memory_restart();
	thread_table_restart();
	atomic_store(&thread_starting, 0);
	atomic_store(&swept, 0);
	state = thread_take();
	if (!state)
		return -ENOMEM;
	thread_begin(state, first_tid());
	thread_become(state);
	return 0;
}

void thread_keep_memory(struct col_thread *thread, int advice)
{
	for (int i = 0; i < COL_CONTEXTS; i++)
		for (int k = 0; k < FMT_STREAMS; k++)
			col_slot_advise(&thread->slot[i][k], advice);
	EACH_SOURCE(keep_memory, thread, advice);
	thread_memory_keep(thread, advice);
}
