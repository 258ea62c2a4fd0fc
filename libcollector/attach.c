/* attach.c: begin and end a recording in a running process. See attach.h.
 *
 * The recording can end only when no thread records any more: then files are closed and, at the
 * next beginning, memory is unmapped. A thread that records is in a scope, or has set `in_handler`
 * or `functrace.is_slow`; after setting that, it checks whether the recording still goes on. So
 * once recording is switched off, and every processor has seen this (membarrier), a thread without
 * any of these marks will not begin to record.
 * See doc/decisions/35-attach.md. */
#include "libcollector/attach.h"

#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"
#include "libcollector/base/source.h"
#include "libcollector/close.h"
#include "libcollector/control.h"
#include "libcollector/events/earlier.h"
#include "libcollector/exec/environment.h"
#include "libcollector/hook/got.h"
#include "libcollector/hook/hook.h"
#include "libcollector/object/map.h"
#include "libcollector/process.h"
#include "libcollector/process/descendant.h"
#include "libcollector/profile/tick.h"
#include "libcollector/profile/tick_sample.h"
#include "libcollector/profile/usage.h"
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/memo.h"
#include "libcollector/thread/scope.h"
#include "libcollector/thread/signals.h"
#include "libcollector/write/log.h"

#include "format/attach.h"

#include <errno.h>
#include <linux/membarrier.h>

static int is_recording(const struct col_thread *state)
{
	uint32_t tid = atomic_load(&state->tid);

	return tid && state != col_self &&
	       (__atomic_load_n(&state->scope, __ATOMIC_ACQUIRE) & RECORDING ||
	        atomic_load(&state->in_handler) ||
	        __atomic_load_n(&state->functrace.is_slow, __ATOMIC_ACQUIRE)) &&
	       SYS3(SYS_tgkill, col.pid, tid, 0) == 0;
}

static int is_quiet(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next)
		if (is_recording(state))
			return 0;
	return 1;
}

static int wait_until_quiet(void)
{
	unsigned turns = 0;

	if (SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
		SYS3(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	while (!is_quiet())
		if (!col_wait_turn(&turns))
			return -EAGAIN;
	return 0;
}

/* ---- the beginning ---- */

static void reset_threads(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next) {
		for (int i = 0; i < COL_CONTEXTS; i++)
			for (int k = 0; k < FMT_STREAMS; k++) {
				col_slot_abandon(&state->slot[i][k]);
				state->slot[i][k] = (struct col_slot){.size = 0};
			}
		memset(state->events, 0, sizeof(state->events));
	}
}

static void reset(const struct process_moment *now)
{
	reset_threads();
	col_streams_unlimit();
	col_streams_forget();
	col_log_forget();
	map_restart();
	usage_restart(now);
	EACH_SOURCE(again);
	memset(&col.count, 0, sizeof(col.count));
	atomic_store(&col.closing, 0);
	atomic_store(&col.events_stopped, 0);
}

/* This thread is on a stack that will be unmapped, and what all threads did until now was before
 * the recording. */
static void forget_past(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next)
		if (atomic_load(&state->tid)) {
			tick_forget_past(state);
			EACH_SOURCE(thread_pass, state);
		}
	col_self->home = 0;
	memo_forget(col_self);
}

static void log_attach(unsigned words)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "attach");
	xml_put_number(&text, "tid", (uint64_t)sys_gettid());
	xml_put_number(&text, "earlier_ns", col.descriptor.step.process_ns);
	xml_put_number(&text, "words", words);
	col_event_end(&text);
}

/* Twice: the second pass finds a symbol that another thread was binding during the first one. */
static unsigned stand_in_front(void)
{
	return got_is_preloaded() ? 0 : got_patch() + got_patch();
}

/* The process is the founder of its children; what it did before belongs to no recording, or to an
 * earlier one. */
static void take_place(void)
{
	struct descriptor_step *step = &col.descriptor.step;

	col.pid = sys_getpid();
	*step = (struct descriptor_step){
		.pid = (uint64_t)col.pid, .paused = step->paused, .debugged = step->debugged};
	usage_tell(step);
	col.descriptor.start_ticks = col_ticks();
	environment_set(&col.descriptor);
	descendant_begin();
	map_open_program();
}

static int begin(void)
{
	unsigned words;
	int error;

	SYS3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
	     0); /* or the end takes longer */
	take_place();
	if (got_is_preloaded())
		hook_resolve_once();
	else
		hook_search_all();
	error = process_open();
	if (error < 0) {
		col_log_forget();
		col_directory_close();
		col_founder_close();
		return error;
	}
	thread_scan();
	words = stand_in_front();
	altstack_expect();
	forget_past();
	log_attach(words);
	process_begin_events();
	return 0;
}

EXPORT int collector_attach(const char *text, const struct attach_call *call)
{
	static struct descriptor descriptor;
	struct process_moment now = process_moment_now();
	int saved_errno = errno;
	int error = descriptor_get(text, &descriptor);

	if (error < 0)
		return error;
	/* xcollect deletes the experiment if its helper was killed. */
	if (process_is_recorded() && col_log_is_deleted())
		collector_detach(NULL, NULL);
	if (process_is_recorded())
		return -EBUSY;
	error = thread_first() ? wait_until_quiet() : 0;
	if (error < 0)
		return error;
	reset(&now);
	col.descriptor = descriptor;
	tick_borrow();
	earlier_borrow(call);
	error = begin();
	earlier_borrow(NULL);
	tick_give_back();
	errno = saved_errno;
	return error;
}

/* ---- the end ---- */

static void log_detach(void)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "detach");
	xml_put_number(&text, "cpu_ns", usage_cpu_ns());
	col_event_end(&text);
}

EXPORT int collector_detach(const char *unused, const struct attach_call *call)
{
	int saved_errno = errno;

	(void)unused;
	if (!process_is_recorded() || atomic_exchange(&col.closing, 1))
		return -ENOENT;
	got_restore();
	sources_stop_early();
	EACH_SOURCE(leave);
	wait_until_quiet();
	earlier_borrow(call);
	process_account();
	earlier_borrow(NULL);
	log_detach();
	control_leave();
	col_stop_events(NULL);
	col.is_recorded = col.is_followed = 0;
	atomic_store(&col.switches->recording, 0);
	EACH_SOURCE(close);
	signals_give_back(TICK_SIGNAL);
	if (wait_until_quiet() == 0) {
		col_streams_forget();
		col_log_forget();
		col_directory_close();
		col_founder_close();
	}
	col_streams_stop();
	tick_give_back();
	errno = saved_errno;
	return 0;
}
