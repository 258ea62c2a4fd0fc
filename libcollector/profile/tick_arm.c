/* tick_arm.c: gives threads what makes them tick: perf events, or timers. See tick.h and
 * tick_arm.h. See doc/decisions/06-unannounced-threads.md and doc/decisions/85-clock.md. */
#include "libcollector/profile/tick_arm.h"

#include "libcollector/profile/tick.h"
#include "libcollector/profile/tick_perf.h"
#include "libcollector/profile/tick_possible.h"
#include "libcollector/profile/tick_timer.h"
#include "libcollector/thread/handler_stack.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/write/log.h"

enum {
	WATCH_PERIOD_US = 100000,
	LOOK_PERIOD_US = 1000000,
	LOOKS = 10,
	SHORT_LIFE_NS = 150000,
	FEW = 16,
	SCANS = 8,
	BACK_US = 5000
};

/* Of SIGTRAP; NULL: the signal of timers has no handler of ours, and would kill the program. */
static signals_handler *trap_handler;

static int is_without_perf, is_user_only;

static int is_borrowed; /* the calling thread, by xcollect -P */
static int is_late;     /* the process may have other threads already */

/* The events are open, and threads are looked for that are older: has each of them got one? */
static int is_beginning, has_all;

/* The thread that looks for a tracer besides the opening one, 0: none does. */
static atomic_uint looker;

void tick_handle_trap(signals_handler *handler)
{
	trap_handler = handler;
}

static int is_wanted(void)
{
	return trap_handler && (col.descriptor.profile_us || col.descriptor.sample_ms ||
	                        col.descriptor.from_ms || col.descriptor.to_ms);
}

/* In the first thread of a process, before there are others; or in the one in which the recorder is
 * loaded later. */
static void open_perf(uint32_t tid)
{
	if (is_without_perf || tick_perf_is_open() || !col.descriptor.profile_us ||
	    tid != sys_tid())
		return;
	is_without_perf = col.descriptor.without_perf || col.descriptor.step.debugged ||
	                  !tick_perf_is_possible() || signals_install(SIGTRAP, trap_handler) < 0 ||
	                  tick_perf_open(tick_period_us() * 1000, !is_user_only, !is_late) < 0;
	if (is_borrowed)
		tick_perf_leave();
	is_beginning = has_all = tick_perf_is_open() && !tick_perf_is_everywhere();
	/* Otherwise with the first event: a sample before that would be lost. But ticks also tell
	 * when events begin. */
	if (col.descriptor.from_ms || col.descriptor.step.paused)
		tick_perf_run();
}

/* A thread that was not announced. If it is older than the event, it is given one of its own. */
static enum col_perf unannounced(struct col_thread *thread, uint32_t tid)
{
	unsigned number;

	if (tick_perf_is_everywhere())
		return COL_PERF_SHARED;
	if (!is_beginning || !tick_perf_is_open())
		return COL_PERF_NONE;
	number = tick_perf_add_for(tid);
	atomic_store(&thread->event, (uint16_t)number);
	has_all = has_all && number;
	return number ? COL_PERF_OWN : COL_PERF_NONE;
}

void tick_cover_threads(void)
{
	uint64_t before;

	if (!is_beginning)
		return;
	for (int i = 0; i < SCANS; i++) {
		before = atomic_load(&col.count.threads);
		thread_scan();
		if (atomic_load(&col.count.threads) == before) {
			if (has_all)
				tick_perf_cover();
			break;
		}
	}
	is_beginning = 0;
}

static void find_event(struct col_thread *thread, uint32_t tid)
{
	if (tick_perf_is_opener(tid)) {
		thread->perf = thread->perf_of_children = COL_PERF_OWN;
		return;
	}
	if (thread->perf == COL_PERF_UNKNOWN)
		thread->perf = (uint8_t)unannounced(thread, tid);
	thread->perf_of_children = thread->perf == COL_PERF_NONE ? COL_PERF_NONE : COL_PERF_SHARED;
}

static int has_event(const struct col_thread *thread)
{
	return tick_perf_is_open() && thread->perf != COL_PERF_NONE;
}

/* A thread that lives shorter than a period has a sample all the same: at any moment of its life,
 * as far as those before it tell. It costs some 20 us, so of very short ones few have one. */
static void arm_young(struct col_thread *thread)
{
	static atomic_uint short_lives;
	uint64_t life = tick_life_ns();
	uint64_t period_ns = tick_period_us() * 1000;
	unsigned number;

	if (life && life < SHORT_LIFE_NS &&
	    atomic_fetch_add_explicit(&short_lives, 1, memory_order_relaxed) % FEW)
		return;
	number = tick_perf_add(atomic_load(&thread->tid),
	                       life && life < period_ns ? life : period_ns);
	atomic_store(&thread->event, (uint16_t)number);
	tick_perf_begin(number);
}

/* A thread that was borrowed is back long before it has used so much CPU time. */
static uint64_t first_us(uint32_t tid, uint64_t period_us)
{
	return is_borrowed && tid == sys_tid() ? BACK_US : tick_timer_first_us(tid, period_us);
}

static void lack_timer(void)
{
	static atomic_uint is_told;

	col_count(&col.count.lost_threads, 1);
	if (!atomic_exchange(&is_told, 1))
		col_log_warning(
			"the system gives no timers to some threads (ulimit -i, which limits pending signals, counts them too): their CPU time is recorded, but some of it without samples");
}

void tick_arm(struct col_thread *thread)
{
	uint32_t tid = atomic_load(&thread->tid);
	uint64_t us = tick_period_us();

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
	if (tick_timer_create(tid, thread, us, first_us(tid, us), &thread->timer) == 0)
		thread->armed = 1;
	else
		lack_timer();
}

void tick_disarm(struct col_thread *thread)
{
	uint32_t tid = atomic_load(&thread->tid);

	atomic_compare_exchange_strong(&looker, &tid, 0);
	if (thread->armed)
		tick_timer_delete(thread->timer);
	thread->armed = 0;
	if (thread->alarm > 0)
		SYS1(SYS_timer_delete, thread->alarm - 1);
	thread->alarm = 0;
	/* First out of the thread: as soon as it is closed, its number may be another thread's, and
	 * a signal that comes then would serve that. */
	tick_perf_drop(atomic_exchange(&thread->event, 0), atomic_load(&thread->tid));
}

enum tick_reason tick_reason_of_timer(const struct col_thread *thread)
{
	if (!has_event(thread))
		return TICK_TIMER;
	if (unlikely(tick_perf_is_away()) && tick_perf_is_opener(atomic_load(&thread->tid))) {
		tick_perf_return();
		return TICK_TIMER;
	}
	return tick_perf_is_user_only() ? TICK_SYSTEM : TICK_WATCH;
}

/* The thread's events are gone: the program has closed our descriptors, or a debugger has come,
 * which would stop at each signal. */
static void replace_events(struct col_thread *thread, int is_traced)
{
	tick_perf_close();
	is_without_perf = is_traced;
	is_late = 1;
	for (struct col_thread *each = thread_first(); each; each = each->next) {
		if (!atomic_load(&each->tid))
			continue;
		tick_disarm(each);
		each->perf = COL_PERF_UNKNOWN;
	}
	tick_arm(thread);
	tick_perf_run();
	for (struct col_thread *each = thread_first(); each; each = each->next)
		if (atomic_load(&each->tid) && each != thread)
			tick_arm(each);
	tick_cover_threads();
}

void tick_leave_perf(void)
{
	col.descriptor.without_perf = 1;
	if (tick_perf_is_open() && col_self)
		replace_events(col_self, 1);
}

static atomic_int is_watching;

void tick_watch(struct col_thread *thread, int for_tracer)
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

int tick_is_look_due(const struct col_thread *thread)
{
	static unsigned turn;

	return !tick_perf_is_opener(atomic_load(&thread->tid)) || ++turn % LOOKS == 0;
}

void tick_look_from_here(struct col_thread *thread)
{
	uint32_t tid = atomic_load(&thread->tid);

	if (thread->armed || atomic_exchange(&is_watching, 1))
		return;
	if (has_event(thread)) {
		atomic_store(&looker, tid);
		thread->armed = tick_timer_create(tid, thread, LOOK_PERIOD_US, LOOK_PERIOD_US,
		                                  &thread->timer) == 0;
	}
	atomic_store(&is_watching, 0);
}

int tick_has_looker(const struct col_thread *thread)
{
	return atomic_load_explicit(&looker, memory_order_relaxed) ||
	       tick_perf_is_opener(atomic_load_explicit(&thread->tid, memory_order_relaxed));
}

void tick_before_thread(void)
{
	tick_perf_settle();
}

void tick_borrow(void)
{
	is_borrowed = is_late = 1;
}

void tick_give_back(void)
{
	static const struct timespec at_once;
	sys_sigset ticks = signals_of_ticks();

	while (ticks && SYS4(SYS_rt_sigtimedwait, &ticks, NULL, &at_once, sizeof(ticks)) > 0)
		continue;
	is_borrowed = 0;
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
	is_late = 0;
	atomic_store(&is_watching, 0);
	atomic_store(&looker, 0);
	tick_perf_forget();
}

void tick_begin_child(void)
{
	tick_forget_events();
	tick_timers_forget();
	handler_stacks_restart();
}

void tick_begin_again(void)
{
	tick_forget_events();
	is_without_perf = 0;
}

void tick_tell_user_only(void)
{
	is_user_only = 1;
}
