/* tick.c: arm CPU-time timers and take clock samples in their signal. See tick.h.
 * See doc/decisions/01-sample-weights.md and doc/decisions/05-processor-state.md and
 * doc/decisions/06-unannounced-threads.md. */
#include "libcollector/events/tick.h"

#include "libcollector/thread/altstack.h"
#include "libcollector/write/log.h"
#include "libcollector/thread/signals.h"
#include "libcollector/events/usage.h"
#include "libcollector/unwind/walk.h"
#include "libcollector/base/host.h"
#include "libcollector/thread/memo.h"

#include <errno.h>

/* The first sample comes early, so that short processes have one: most processes of a make or a
 * script are short. */
enum { USAGE_PERIOD_US = 100000, FIRST_US = 1000, RESTS = 4 };

static int is_deaf; /* the signal has no handler of ours, and would kill the program */

/* The CPU-time clock of thread `tid` of the process. */
static clockid_t thread_clock(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

static uint64_t period_us(void)
{
	return col.descriptor.profile_us ? col.descriptor.profile_us : USAGE_PERIOD_US;
}

/* Only timers on the CPU time of single threads. With one on that of the process, the kernel would
 * answer each question for that time, clock() say, from what it counted at the last scheduler tick:
 * the program's own clock would go in steps of some ms. */
static int create_timer(uint32_t tid, void *value, uint64_t period, int *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
	struct itimerspec interval = {
		.it_interval = {.tv_sec = (time_t)(period / 1000000),
	                        .tv_nsec = (long)(period % 1000000 * 1000)},
	};
	long error;

	event.sigev_value.sival_ptr = value;
	event._sigev_un._tid = (int)tid;
	interval.it_value = interval.it_interval;
	if (period > FIRST_US)
		interval.it_value = (struct timespec){.tv_nsec = FIRST_US * 1000};
	error = SYS3(SYS_timer_create, thread_clock(tid), &event, timer);
	if (error == 0)
		error = SYS4(SYS_timer_settime, *timer, 0, &interval, NULL);
	return (int)error;
}

void tick_arm(struct col_thread *thread)
{
	uint32_t tid = atomic_load(&thread->tid);

	if (is_deaf || (!col.descriptor.profile_us && !col.descriptor.sample_ms &&
	                !col.descriptor.from_ms && !col.descriptor.to_ms))
		return;
	if (create_timer(tid, thread, period_us(), &thread->timer) == 0)
		thread->armed = 1;
	else
		col_count(&col.count.lost_threads, 1);
}

void tick_disarm(struct col_thread *thread)
{
	if (thread->armed)
		SYS1(SYS_timer_delete, thread->timer);
	thread->armed = 0;
}

/* The CPU time of the thread since its last sample, which counts as recorded from now on; in steps
 * of 16 ns (datakind.def). What a thread used before the recording of events began does not
 * count. */
static uint64_t take_cpu_time(struct col_thread *thread, clockid_t clock)
{
	uint64_t now = sys_clock_ns(clock) & ~(uint64_t)15;
	uint64_t before = atomic_load(&thread->accounted_ns);
	uint32_t epoch = atomic_load(&col.epoch);

	if (now <= before || !atomic_compare_exchange_strong(&thread->accounted_ns, &before, now))
		return 0;
	if (unlikely(thread->epoch != epoch)) {
		thread->epoch = epoch;
		return 0;
	}
	return now - before;
}

void tick_forget_past(struct col_thread *thread)
{
	atomic_store(&thread->accounted_ns,
	             sys_clock_ns(thread_clock(atomic_load(&thread->tid))) & ~(uint64_t)15);
}

static void write_sample(struct col_thread *writer, enum col_context context,
                         enum fmt_clock_state state, uint8_t omp, uint8_t mpi, uint32_t stack,
                         uint64_t cpu_ns)
{
	struct fmt_clock record = {
		.kind = FMT_KIND_clock,
		.state = (uint8_t)state,
		.omp = omp,
		.mpi = mpi,
		.stack = stack,
		.cpu_ns = cpu_ns,
	};

	if (col_slot_write(&writer->slot[context][FMT_STREAM_PROFILE], FMT_STREAM_PROFILE,
	                   atomic_load(&writer->tid), &record, sizeof(record), col_ticks()) < 0)
		return;
	col_count(&col.count.samples, 1);
	col_count(&col.count.sampled_ns, cpu_ns);
}

void tick_residual(struct col_thread *thread, struct col_thread *writer, enum col_context context)
{
	uint64_t cpu_ns;

	if (!atomic_load(&col.switches->on[SOURCE_CLOCK]))
		return;
	cpu_ns = take_cpu_time(thread, thread_clock(atomic_load(&thread->tid)));
	if (cpu_ns)
		write_sample(writer, context, FMT_clock_state_RESIDUAL, thread->omp.state,
		             thread->mpi.state, thread->last_stack, cpu_ns);
}

void tick_forget(struct col_thread *thread)
{
	take_cpu_time(thread, thread_clock(atomic_load(&thread->tid)));
}

/* Has the kernel counted more system than user time for this thread since the last sample? */
static int was_mostly_system(struct col_thread *thread)
{
	struct rusage now;
	int64_t user_us, system_us;
	int mostly;

	if (SYS2(SYS_getrusage, RUSAGE_THREAD, &now) < 0)
		return 0;
	user_us = now.ru_utime.tv_sec * 1000000 + now.ru_utime.tv_usec;
	system_us = now.ru_stime.tv_sec * 1000000 + now.ru_stime.tv_usec;
	mostly = system_us - thread->system_us > user_us - thread->user_us;
	thread->user_us = user_us;
	thread->system_us = system_us;
	return mostly;
}

/* A tick during a system call is delivered when the call returns, or is about to be restarted. A
 * tick during a page fault shows only in the kernel's own accounting. */
static enum fmt_clock_state state_of(struct col_thread *thread, const ucontext_t *context)
{
	int in_call = arch_is_in_call(arch_context_pc(context));

	return was_mostly_system(thread) || in_call ? FMT_clock_state_SYSTEM : FMT_clock_state_USER;
}

/* Walking a stack that is too deep for the memo takes longer than the time between two ticks. The
 * program, and signals for the process, would wait forever, so the program runs without ticks for
 * some time, which the next sample covers. */
static void have_rest(struct col_thread *thread, uint64_t spent_ticks)
{
	uint64_t limit_us = period_us() / 2, now_ns, spent_ns;

	if (likely(spent_ticks / (col.descriptor.clock_hz / 1000000 + 1) <= limit_us))
		return;
	/* It may have waited for a processor. */
	now_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	spent_ns = now_ns - atomic_load(&thread->accounted_ns);
	if (spent_ns > limit_us * 1000)
		thread->rest_ns = now_ns + RESTS * spent_ns;
}

static void sample(struct col_thread *thread, const ucontext_t *context)
{
	struct walk_memo *memo = thread_memo(thread, COL_HANDLER);
	uint64_t start = col_ticks(), cpu_ns;

	if (unlikely(thread->rest_ns) && sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < thread->rest_ns)
		return;
	thread->rest_ns = 0;
	cpu_ns = take_cpu_time(thread, CLOCK_THREAD_CPUTIME_ID);
	if (cpu_ns == 0)
		return;
	if (memo) {
		memo->home = thread->home;
		memo_join(thread, memo);
		thread->last_stack = walk_stack(memo, arch_context_pc(context),
		                                arch_context_sp(context), arch_context_fp(context),
		                                context);
	}
	write_sample(thread, COL_HANDLER, state_of(thread, context), thread->omp.state,
	             thread->mpi.state, thread->last_stack, cpu_ns);
	have_rest(thread, col_ticks() - start);
}

static int is_own(const struct col_thread *thread)
{
	uint32_t tid = sys_tid();

	return tid ? atomic_load(&thread->tid) == tid : thread == col_self;
}

/* The tick of the calling thread. While in_handler is set, no other thread ends the recording
 * (attach.c). */
static __attribute__((noinline)) void tick(struct col_thread *thread, const ucontext_t *context)
{
	atomic_store_explicit(&thread->in_handler, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (col_is_recording() && is_own(thread)) {
		col_check_time();
		if (atomic_load(&col.switches->on[SOURCE_CLOCK]))
			sample(thread, context);
		thread_check_name(thread, COL_HANDLER);
		if (usage_sample_if_due(thread, COL_HANDLER))
			thread_scan();
	}
	atomic_store_explicit(&thread->in_handler, 0, memory_order_release);
}

/* ---- the thread pointer
 *
 * Emulators and other runtimes set their own for a while, or create threads that libc does not
 * know. Then the handler uses the one that libc gave the thread, or, if there is none, that of the
 * thread that began the recording: the handler only reads the number of a CPU by it. */

static uintptr_t first_pointer; /* 0: processor or kernel do not let us read it */

static uintptr_t borrow_pointer(const struct col_thread *thread)
{
	uintptr_t libc, now;

	if (!first_pointer)
		return 0;
	libc = thread->pointer ? thread->pointer : first_pointer;
	now = arch_thread_pointer();
	if (unlikely(now != libc))
		arch_set_thread_pointer(libc);
	return now;
}

static void return_pointer(uintptr_t pointer)
{
	if (first_pointer && unlikely(arch_thread_pointer() != pointer))
		arch_set_thread_pointer(pointer);
}

static void handle(int signal, siginfo_t *info, void *context)
{
	struct col_thread *thread = info->si_value.sival_ptr;
	uintptr_t pointer;

	arch_allow_unaligned(context);
	if (info->si_code != SI_TIMER || !signals_is_ours(info)) {
		signals_forward(signal, info, context);
		return;
	}
	if (likely(!altstack_is_exhausted(context))) {
		pointer = borrow_pointer(thread);
		tick(thread, context);
		return_pointer(pointer);
	}
	signals_restart_call(signal, context);
}

void tick_close(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next)
		tick_disarm(state);
}

void tick_open(void)
{
	first_pointer = arch_has_thread_pointer() ? arch_libc_pointer() : 0;
	is_deaf = signals_install(TICK_SIGNAL, handle) < 0;
	if (is_deaf)
		col_log_warning("the signal for clock samples cannot be handled: there are none");
}

void tick_start(void)
{
	atomic_store(&col.switches->on[SOURCE_CLOCK], 1);
}

void tick_let_in(void)
{
	sys_sigset tick = SYS_SIGBIT(TICK_SIGNAL) & signals_ours();
	sys_sigset old;

	sys_sigmask(SIG_UNBLOCK, &tick, &old);
	signals_believe(old & tick);
}
