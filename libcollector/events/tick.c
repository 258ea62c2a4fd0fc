/* tick.c: take clock samples in the signals of timers and perf events. See tick.h.
 * See doc/decisions/01-sample-weights.md, doc/decisions/05-processor-state.md,
 * doc/decisions/06-unannounced-threads.md and doc/decisions/85-clock.md. */
#include "libcollector/events/tick.h"

#include "libcollector/events/tick_perf.h"
#include "libcollector/events/tick_timer.h"
#include "libcollector/hook/got.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/write/log.h"
#include "libcollector/thread/signals.h"
#include "libcollector/events/usage.h"
#include "libcollector/unwind/walk.h"
#include "libcollector/base/host.h"
#include "libcollector/thread/memo.h"

#include <errno.h>

/* Why a thread ticks. */
enum reason {
	TICK_TIMER,  /* its timer */
	TICK_FULL,   /* its perf event; as before, all time since the last sample is this one's */
	TICK_USER,   /* its perf event, which tells user time alone */
	TICK_SYSTEM, /* its timer beside such an event */
	TICK_WATCH   /* a timer that sees whether the events are still there */
};

enum { USAGE_PERIOD_US = 100000, WATCH_PERIOD_US = 100000, RESTS = 4 };

static int is_deaf; /* the signal has no handler of ours, and would kill the program */
static int is_without_perf, is_user_only;

static void handle_trap(int signal, siginfo_t *info, void *context);

static uint64_t period_us(void)
{
	return col.descriptor.profile_us ? col.descriptor.profile_us : USAGE_PERIOD_US;
}

static int is_wanted(void)
{
	return !is_deaf && (col.descriptor.profile_us || col.descriptor.sample_ms ||
	                    col.descriptor.from_ms || col.descriptor.to_ms);
}

/* ---- who ticks, and how */

/* In the first thread of a process, before there are others. A process in which the recorder was
 * loaded later has other threads already, and they may block the signal. */
static void open_perf(uint32_t tid)
{
	if (is_without_perf || tick_perf_is_open() || !col.descriptor.profile_us ||
	    !got_is_preloaded() || tid != sys_tid())
		return;
	is_without_perf = col.descriptor.without_perf || !tick_perf_is_possible() ||
	                  signals_install(SIGTRAP, handle_trap) < 0 ||
	                  tick_perf_open(period_us() * 1000, !is_user_only) < 0;
	/* Otherwise with the first event: a sample before that would be lost. But ticks also tell
	 * when events begin. */
	if (col.descriptor.from_ms || col.descriptor.step.paused)
		tick_perf_run();
}

static void find_event(struct col_thread *thread, uint32_t tid)
{
	if (tick_perf_is_opener(tid)) {
		thread->perf = thread->perf_of_children = COL_PERF_OWN;
		return;
	}
	if (thread->perf == COL_PERF_UNKNOWN)
		thread->perf = tick_perf_is_everywhere() ? COL_PERF_SHARED : COL_PERF_NONE;
	thread->perf_of_children = thread->perf == COL_PERF_NONE ? COL_PERF_NONE : COL_PERF_SHARED;
}

static int has_event(const struct col_thread *thread)
{
	return tick_perf_is_open() && thread->perf != COL_PERF_NONE;
}

/* The life of threads in CPU time: a mean in which the last ones count most. 0: none has ended. */
static atomic_uint_fast64_t life_ns;
static atomic_uint short_lives;

enum { SHORT_LIFE_NS = 150000, FEW = 16, MEMORY = 8 };

static void note_life(uint64_t ns)
{
	uint64_t mean = atomic_load_explicit(&life_ns, memory_order_relaxed);

	atomic_store_explicit(&life_ns, mean ? mean - mean / MEMORY + ns / MEMORY : ns + 1,
	                      memory_order_relaxed);
}

/* A thread that lives shorter than a period has a sample all the same: at any moment of its life,
 * as far as those before it tell. It costs some 20 us, so of very short ones few have one. */
static void arm_young(struct col_thread *thread)
{
	uint64_t life = atomic_load_explicit(&life_ns, memory_order_relaxed);
	uint64_t period_ns = period_us() * 1000;

	if (life && life < SHORT_LIFE_NS &&
	    atomic_fetch_add_explicit(&short_lives, 1, memory_order_relaxed) % FEW)
		return;
	thread->young = (uint8_t)tick_perf_add(life && life < period_ns ? life : period_ns);
	atomic_signal_fence(memory_order_seq_cst);
	tick_perf_begin(thread->young);
}

void tick_arm(struct col_thread *thread)
{
	uint32_t tid = atomic_load(&thread->tid);
	uint64_t us = period_us();

	if (!is_wanted())
		return;
	open_perf(tid);
	find_event(thread, tid);
	if (has_event(thread) && !tick_perf_is_opener(tid) && tid == sys_tid())
		arm_young(thread);
	if (has_event(thread) && !tick_perf_is_user_only()) {
		if (!tick_perf_is_opener(tid))
			return;
		us = WATCH_PERIOD_US;
	}
	if (tick_timer_create(tid, thread, us, &thread->timer) == 0)
		thread->armed = 1;
	else
		col_count(&col.count.lost_threads, 1);
}

void tick_disarm(struct col_thread *thread)
{
	if (thread->armed)
		SYS1(SYS_timer_delete, thread->timer);
	thread->armed = 0;
	if (thread->young)
		tick_perf_drop(thread->young);
	thread->young = 0;
}

static enum reason reason_of_timer(const struct col_thread *thread)
{
	if (!has_event(thread))
		return TICK_TIMER;
	return tick_perf_is_user_only() ? TICK_SYSTEM : TICK_WATCH;
}

/* The thread's events are gone: the program has closed our descriptors, or a debugger has come,
 * which would stop at each signal. */
static void replace_events(struct col_thread *thread, int is_traced)
{
	tick_perf_close();
	is_without_perf = is_traced;
	for (struct col_thread *each = thread_first(); each; each = each->next) {
		if (!atomic_load(&each->tid))
			continue;
		tick_disarm(each);
		each->perf = COL_PERF_NONE;
	}
	tick_arm(thread);
	tick_perf_run();
	for (struct col_thread *each = thread_first(); each; each = each->next)
		if (atomic_load(&each->tid) && each != thread)
			tick_arm(each);
}

void tick_leave_perf(void)
{
	col.descriptor.without_perf = 1;
	if (tick_perf_is_open() && col_self)
		replace_events(col_self, 1);
}

static atomic_int is_watching;

/* The opening thread watches, and once a second any thread that ticks. */
static void watch(struct col_thread *thread, int for_tracer)
{
	int is_traced;

	if (!tick_perf_is_open() || atomic_exchange(&is_watching, 1))
		return;
	signals_keep(SIGTRAP);
	is_traced = for_tracer && tick_perf_is_traced();
	if (is_traced || !tick_perf_is_intact())
		replace_events(thread, is_traced);
	atomic_store(&is_watching, 0);
}

void tick_before_thread(void)
{
	tick_perf_settle();
}

void tick_depart(void)
{
	if (process_is_recorded())
		tick_perf_depart();
}

void tick_stay(void)
{
	if (process_is_recorded())
		tick_perf_run();
}

void tick_forget_events(void)
{
	atomic_store(&is_watching, 0);
	tick_perf_close();
}

void tick_tell_user_only(void)
{
	is_user_only = 1;
}

/* ---- samples */

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

/* The same, by any thread, with what no sample in the kernel has taken. */
static uint64_t take_all(struct col_thread *thread)
{
	uint64_t taken = take_cpu_time(thread, tick_timer_clock(atomic_load(&thread->tid)));

	return taken + atomic_exchange(&thread->owed_ns, 0);
}

void tick_forget_past(struct col_thread *thread)
{
	atomic_store(&thread->accounted_ns,
	             sys_clock_ns(tick_timer_clock(atomic_load(&thread->tid))) & ~(uint64_t)15);
	atomic_store(&thread->owed_ns, 0);
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
	cpu_ns = take_all(thread);
	if (cpu_ns)
		write_sample(writer, context, FMT_clock_state_RESIDUAL, thread->omp.state,
		             thread->mpi.state, thread->last_stack, cpu_ns);
	note_life(atomic_load(&thread->accounted_ns));
}

void tick_forget(struct col_thread *thread)
{
	take_all(thread);
}

/* What the kernel has counted for this thread since the last sample: more system than user time;
 * page faults. */
struct counted {
	int is_mostly_system, has_faults;
};

static struct counted look_at_counters(struct col_thread *thread)
{
	struct rusage now;
	struct counted since = {0};
	int64_t user_us, system_us;
	uint64_t faults;

	if (SYS2(SYS_getrusage, RUSAGE_THREAD, &now) < 0)
		return since;
	user_us = now.ru_utime.tv_sec * 1000000 + now.ru_utime.tv_usec;
	system_us = now.ru_stime.tv_sec * 1000000 + now.ru_stime.tv_usec;
	faults = (uint64_t)now.ru_minflt + (uint64_t)now.ru_majflt;
	since.is_mostly_system = system_us - thread->system_us > user_us - thread->user_us;
	since.has_faults = faults != thread->faults;
	thread->user_us = user_us;
	thread->system_us = system_us;
	thread->faults = faults;
	return since;
}

/* A tick during a system call is delivered when the call returns, or is about to be restarted. A
 * tick during a page fault shows only in the kernel's own accounting, which counts scheduler ticks:
 * those of timers are the same ticks, those of perf events are others. */
static enum fmt_clock_state state_of(struct col_thread *thread, const ucontext_t *context,
                                     enum reason reason)
{
	struct counted since = look_at_counters(thread);

	if (reason == TICK_USER)
		return FMT_clock_state_USER;
	if (arch_is_in_call(arch_context_pc(context)) ||
	    (since.is_mostly_system && (since.has_faults || reason == TICK_TIMER)))
		return FMT_clock_state_SYSTEM;
	return FMT_clock_state_USER;
}

/* Walking a stack that is too deep for the memo takes longer than the time between two ticks. The
 * program, and signals for the process, would wait forever, so the program runs without ticks for
 * some time, which the next sample covers. Not for one slow sample: a virtual machine may have
 * stood still in it, which counts as CPU time. */
static void have_rest(struct col_thread *thread, uint64_t spent_ticks)
{
	uint64_t limit_us = period_us() / 2, now_ns, spent_ns;
	int was_slow = thread->is_slow;

	thread->is_slow = 0;
	if (likely(spent_ticks / (col.descriptor.clock_hz / 1000000 + 1) <= limit_us))
		return;
	/* It may have waited for a processor. */
	now_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	spent_ns = now_ns - atomic_load(&thread->accounted_ns);
	thread->is_slow = spent_ns > limit_us * 1000;
	if (thread->is_slow && was_slow)
		thread->rest_ns = now_ns + RESTS * spent_ns;
}

struct tick {
	enum reason reason;
	uint64_t period_ns; /* TICK_USER: that has ended */
};

/* The weight of a sample. Where the kernel tells periods that end in user code alone, those that
 * ended in the kernel are owed to the next sample there. */
static uint64_t take_weight(struct col_thread *thread, const struct tick *tick, int has_rested)
{
	uint64_t cpu_ns = take_cpu_time(thread, CLOCK_THREAD_CPUTIME_ID);
	uint64_t period_ns = tick->period_ns & ~(uint64_t)15;

	if (tick->reason == TICK_SYSTEM)
		return cpu_ns ? cpu_ns + atomic_exchange(&thread->owed_ns, 0) : 0;
	if (tick->reason != TICK_USER || has_rested || cpu_ns < period_ns + period_us() * 500)
		return cpu_ns;
	atomic_fetch_add(&thread->owed_ns, cpu_ns - period_ns);
	return period_ns;
}

static void sample(struct col_thread *thread, const ucontext_t *context, const struct tick *tick)
{
	struct walk_memo *memo = thread_memo(thread, COL_HANDLER);
	uint64_t start = col_ticks(), cpu_ns, rest_ns = thread->rest_ns;
	enum fmt_clock_state state;

	if (unlikely(rest_ns) && sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < rest_ns)
		return;
	state = state_of(thread, context, tick->reason);
	if (tick->reason == TICK_SYSTEM && state == FMT_clock_state_USER)
		return;
	thread->rest_ns = 0;
	cpu_ns = take_weight(thread, tick, rest_ns != 0);
	if (cpu_ns == 0)
		return;
	if (memo) {
		memo->home = thread->home;
		memo_join(thread, memo);
		thread->last_stack = walk_stack(memo, arch_context_pc(context),
		                                arch_context_sp(context), arch_context_fp(context),
		                                context);
	}
	write_sample(thread, COL_HANDLER, state, thread->omp.state, thread->mpi.state,
	             thread->last_stack, cpu_ns);
	if (tick->reason == TICK_FULL || tick->reason == TICK_USER)
		col_count(&col.count.perf_samples, 1);
	have_rest(thread, col_ticks() - start);
}

static int is_own(const struct col_thread *thread)
{
	uint32_t tid = sys_tid();

	return tid ? atomic_load(&thread->tid) == tid : thread == col_self;
}

/* The tick of the calling thread. While in_handler is set, no other thread ends the recording
 * (attach.c). */
static __attribute__((noinline)) void take_tick(struct col_thread *thread,
                                                const ucontext_t *context, const struct tick *tick)
{
	atomic_store_explicit(&thread->in_handler, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Behind the totals nothing more counts. */
	if (col_is_recording() && !atomic_load(&col.closing) && is_own(thread)) {
		col_check_time();
		if (tick->reason == TICK_WATCH)
			watch(thread, 0);
		else if (atomic_load(&col.switches->on[SOURCE_CLOCK]))
			sample(thread, context, tick);
		thread_check_name(thread, COL_HANDLER);
		if (usage_sample_if_due(thread, COL_HANDLER)) {
			thread_scan();
			watch(thread, 1);
		}
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
	libc = thread && thread->pointer ? thread->pointer : first_pointer;
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
	struct tick tick;
	uintptr_t pointer;

	arch_allow_unaligned(context);
	if (info->si_code != SI_TIMER || !signals_is_ours(info)) {
		signals_forward(signal, info, context);
		return;
	}
	if (likely(!altstack_is_exhausted(context))) {
		pointer = borrow_pointer(thread);
		tick.reason = reason_of_timer(thread);
		take_tick(thread, context, &tick);
		return_pointer(pointer);
	}
	signals_restart_call(signal, context);
}

/* The state of the calling thread, which may run without a call that announced it. */
static struct col_thread *find_self(uint32_t tid)
{
	/* A filter of system calls may refuse the number. */
	struct col_thread *thread = tid ? thread_find(tid) : col_self;

	if (thread || !tid || !col_is_recording())
		return thread;
	thread_listed(tid);
	return thread_find(tid);
}

static enum reason reason_of_trap(struct col_thread *thread, enum tick_perf_trap trap)
{
	if (thread->young) {
		tick_perf_drop(thread->young);
		thread->young = 0;
		if (thread->perf == COL_PERF_SHARED) /* that event was not inherited either */
			thread->perf = COL_PERF_OWN;
	} else if (thread->perf == COL_PERF_SHARED) {
		tick_perf_part();
		thread->perf = COL_PERF_OWN;
	}
	return tick_perf_is_user_only() && trap == TICK_PERF_DUE ? TICK_USER : TICK_FULL;
}

static void handle_trap(int signal, siginfo_t *info, void *context)
{
	uint32_t tid = sys_tid();
	struct tick tick;
	enum tick_perf_trap trap = tick_perf_look(info, tid, &tick.period_ns);
	struct col_thread *thread;
	uintptr_t pointer;

	arch_allow_unaligned(context);
	if (trap == TICK_PERF_FOREIGN) {
		signals_forward(signal, info, context);
		return;
	}
	if (likely(!altstack_is_exhausted(context))) {
		pointer = borrow_pointer(NULL);
		thread = find_self(tid);
		if (thread) {
			tick.reason = reason_of_trap(thread, trap);
			take_tick(thread, context, &tick);
		}
		return_pointer(pointer);
	}
	signals_restart_call(TICK_SIGNAL, context);
}

void tick_close(void)
{
	tick_perf_close();
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
