/* thread_create.c: the calls that create threads. The creator prepares the state of the new thread,
 * so that the thread's first event is its own.
 * See doc/decisions/06-unannounced-threads.md. */
#include "libcollector/thread/thread_state.h"

#include "libcollector/base/host.h"
#include "libcollector/hook/hook.h"
#include "libcollector/thread/signals.h"

/* The creator takes the state of the new thread and leaves in it what to run. */
static struct col_thread *prepare(void *(*run)(void *), int (*run_c11)(void *), void *argument)
{
	struct col_thread *state = col_is_recording() ? thread_take() : NULL;

	if (state) {
		col_thread_coming();
		state->perf = col_self ? col_self->perf_of_children : COL_PERF_UNKNOWN;
		atomic_fetch_add(&thread_starting, 1);
		state->run = run;
		state->run_c11 = run_c11;
		state->argument = argument;
		state->blocked = signals_believed();
	}
	return state;
}

/* A thread may be given another mask than its creator's. */
static void take_mask(struct col_thread *state, const pthread_attr_t *attributes)
{
	sigset_t set;

	if (attributes && pthread_attr_getsigmask_np(attributes, &set) == 0)
		state->blocked = signals_of_ours(&set);
}

static void give_up(struct col_thread *state)
{
	atomic_fetch_sub(&thread_starting, 1);
	thread_end(state);
}

static void begin_thread(struct col_thread *state)
{
	sys_sigset tick = signals_of_ticks();
	uint32_t tid = sys_tid();

	if (!col_is_recording()) {
		atomic_fetch_sub(&thread_starting, 1);
		return;
	}
	if (!tid) {
		col_count(&col.count.lost_threads, 1);
		give_up(state);
		return;
	}
	sys_sigmask(SIG_UNBLOCK, &tick, NULL);
	signals_believe(state->blocked);
	state->is_beginning = 1;
	thread_begin(state, tid);
	atomic_fetch_sub(&thread_starting, 1);
	thread_become(state);
	thread_tell(state, COL_NORMAL, FMT_thread_origin_CREATED);
	atomic_signal_fence(memory_order_seq_cst);
	state->is_beginning = 0;
}

/* Both end in a jump to the program's function, so that no frame of ours is in its stacks. By then,
 * the state may belong to another thread. */
static void *run_posix(void *argument)
{
	struct col_thread *state = argument;
	void *(*run)(void *) = state->run;

	argument = state->argument;
	begin_thread(state);
	return run(argument);
}

static int run_c11(void *argument)
{
	struct col_thread *state = argument;
	int (*run)(void *) = state->run_c11;

	argument = state->argument;
	begin_thread(state);
	return run(argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
	struct col_thread *start = prepare(run, NULL, argument);
	int error;

	if (!start)
		return REAL(pthread_create)(thread, attributes, run, argument);
	take_mask(start, attributes);
	error = REAL(pthread_create)(thread, attributes, run_posix, start);
	if (error)
		give_up(start);
	return error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	struct col_thread *start = prepare(NULL, run, argument);
	int error;

	if (!start)
		return REAL(thrd_create)(thread, run, argument);
	error = REAL(thrd_create)(thread, run_c11, start);
	if (error != thrd_success)
		give_up(start);
	return error;
}
