/* tick.c: take clock samples in the signals of timers and perf events. See tick.h.
 * See doc/decisions/01-sample-weights.md, doc/decisions/05-processor-state.md,
 * doc/decisions/06-unannounced-threads.md and doc/decisions/85-clock.md. */
#include "libcollector/profile/tick.h"

#include "libcollector/base/host.h"
#include "libcollector/profile/tick_arm.h"
#include "libcollector/profile/tick_perf.h"
#include "libcollector/profile/tick_sample.h"
#include "libcollector/profile/usage.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/handler_stack.h"
#include "libcollector/thread/pointer.h"
#include "libcollector/thread/signals.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/write/log.h"

/* ---- ticks */

static int is_own(const struct col_thread *thread, uint32_t tid)
{
	return tid ? atomic_load(&thread->tid) == tid : thread == col_self;
}

/* A signal of ours. */
struct signal {
	const siginfo_t *info;
	void *context;
	uint32_t tid; /* of the calling thread; 0: a filter of system calls refuses the number */
	enum tick_perf_trap trap;
	uint64_t period_ns;
};

/* The tick of the calling thread. While in_handler is set, no other thread ends the recording
 * (attach.c). */
static __attribute__((noinline)) void take_tick(struct col_thread *thread,
                                                const struct signal *signal,
                                                const struct tick *tick)
{
	atomic_store_explicit(&thread->in_handler, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Behind the totals nothing more counts. */
	if (col_is_recording() && !atomic_load(&col.closing) && is_own(thread, signal->tid)) {
		col_check_time();
		if (tick->reason == TICK_WATCH)
			tick_watch(thread, tick_is_look_due(thread));
		else if (atomic_load(&col.switches->on[SOURCE_CLOCK]))
			tick_sample(thread, signal->context, tick);
		thread_check_name(thread, COL_HANDLER);
		if (usage_sample_if_due(thread, COL_HANDLER)) {
			thread_scan_begin();
			tick_watch(thread, 1);
			tick_look_from_here(thread);
		} else if (unlikely(!tick_has_looker(thread))) {
			tick_look_from_here(thread);
		}
		thread_scan_step();
	}
	atomic_store_explicit(&thread->in_handler, 0, memory_order_release);
}

/* ---- handlers: the part that runs on the program's stack is short */

static void enter(void (*take)(void *signal), struct signal *signal)
{
	if (unlikely(altstack_is_exhausted(signal->context, ALTSTACK_ENTRY) ||
	             !handler_stack_run(take, signal, signal->tid)))
		signals_restart_call(TICK_SIGNAL, signal->context);
}

/* A timer of the thread's real time: it has waited for a lock for long. */
static int is_alarm(const struct col_thread *thread, const struct signal *signal)
{
	return unlikely(thread->alarm > 0) && signal->info->si_timerid == thread->alarm - 1 &&
	       is_own(thread, signal->tid);
}

static void take_timer(void *argument)
{
	const struct signal *signal = argument;
	struct col_thread *thread = signal->info->si_value.sival_ptr;
	struct tick tick;
	uintptr_t pointer = 0;

	if (pointer_borrow(thread, &pointer) == 0) {
		if (is_alarm(thread, signal)) {
			col_host->waits_long(thread);
		} else {
			tick.reason = tick_reason_of_timer(thread);
			take_tick(thread, signal, &tick);
		}
		pointer_return(pointer);
	}
	signals_restart_call(TICK_SIGNAL, signal->context);
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct signal signal = {.info = info, .context = context, .tid = sys_tid()};

	arch_allow_unaligned(context);
	if (info->si_code != SI_TIMER || !signals_is_ours(info)) {
		signals_forward(number, info, context);
		return;
	}
	enter(take_timer, &signal);
}

/* The state of the calling thread, which may run without a call that announced it. */
static struct col_thread *find_unannounced(uint32_t tid)
{
	if (!col_is_recording())
		return NULL;
	thread_listed(tid);
	return thread_find(tid);
}

static enum tick_reason reason_of_trap(struct col_thread *thread, enum tick_perf_trap trap)
{
	unsigned number = atomic_exchange(&thread->event, 0);

	if (number) {
		tick_perf_serve(number, atomic_load(&thread->tid));
		if (thread->perf == COL_PERF_SHARED) /* that event was not inherited either */
			thread->perf = COL_PERF_OWN;
	} else if (thread->perf == COL_PERF_SHARED) {
		tick_perf_part();
		thread->perf = COL_PERF_OWN;
	}
	return tick_perf_is_user_only() && trap == TICK_PERF_DUE ? TICK_USER : TICK_FULL;
}

static void take_trap(void *argument)
{
	const struct signal *signal = argument;
	struct tick tick = {.period_ns = signal->period_ns};
	struct col_thread *thread = signal->tid ? thread_find(signal->tid) : col_self;
	uintptr_t pointer = 0;

	if (pointer_borrow(thread, &pointer) == 0) {
		if (!thread && signal->tid)
			thread = find_unannounced(signal->tid);
		if (thread) {
			tick.reason = reason_of_trap(thread, signal->trap);
			take_tick(thread, signal, &tick);
		}
		pointer_return(pointer);
	}
	signals_restart_call(TICK_SIGNAL, signal->context);
}

static void handle_trap(int number, siginfo_t *info, void *context)
{
	struct signal signal = {.info = info, .context = context, .tid = sys_tid()};

	signal.trap = tick_perf_look(info, signal.tid, &signal.period_ns);
	arch_allow_unaligned(context);
	if (signal.trap == TICK_PERF_FOREIGN) {
		signals_forward(number, info, context);
		return;
	}
	enter(take_trap, &signal);
}

void tick_close(void)
{
	tick_perf_close();
	for (struct col_thread *state = thread_first(); state; state = state->next)
		tick_disarm(state);
}

void tick_open(void)
{
	pointer_open();
	handler_stacks_open();
	if (signals_install(TICK_SIGNAL, handle) == 0) {
		tick_handle_trap(handle_trap);
	} else {
		tick_handle_trap(NULL);
		col_log_warning("the signal for clock samples cannot be handled: there are none");
	}
}

void tick_start(void)
{
	tick_cover_threads();
	tick_perf_run();
	atomic_store(&col.switches->on[SOURCE_CLOCK], 1);
}

void tick_let_in(void)
{
	sys_sigset tick = signals_of_ticks();
	sys_sigset old;

	sys_sigmask(SIG_UNBLOCK, &tick, &old);
	signals_believe(old & tick);
}
