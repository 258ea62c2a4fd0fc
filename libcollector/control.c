/* control.c: control of the recording by the program and by signals. See control.h.
 *
 * A program finds these functions in the table xer_collector, the only symbol of the recorder that
 * it may use. It may call them in its signal handlers, even in one that has interrupted the
 * recorder. So this code runs as in the recorder's own handlers, with all signals blocked.
 * See doc/decisions/36-pauses.md. */
#include "libcollector/control.h"

#include "libcollector/base/source.h"
#include "libcollector/close.h"
#include "libcollector/jit/dynamic.h"
#include "libcollector/process/snapshot.h"
#include "libcollector/profile/usage.h"
#include "libcollector/recording.h"
#include "libcollector/thread/enter.h"
#include "libcollector/thread/signals.h"
#include "libcollector/write/log.h"

#include "include/collectorAPI.h"

enum { NAME_MAX_SHOWN = 128, NAMES_SIZE = 1024 };

static atomic_uint terminated; /* signals that are on their way to us mean nothing any more */

static void take_sample(struct col_thread *self, const char *name)
{
	uint32_t number = usage_sample(self, COL_HANDLER, FMT_sample_reason_MANUAL);
	char buffer[1024];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "sample");
	xml_put_number(&text, "number", number);
	if (name)
		xml_put_attribute(&text, "name", name, strnlen(name, NAME_MAX_SHOWN));
	col_event_end(&text);
}

/* ---- by the program ---- */

static void sample(const char *name)
{
	sys_sigset old;
	struct col_thread *self = enter_recorder(&old);

	if (!self)
		return;
	take_sample(self, name);
	enter_leave(&old);
}

static void pause_events(void)
{
	sys_sigset old;
	struct col_thread *self = enter_recorder(&old);

	if (!self)
		return;
	recording_pause(self);
	enter_leave(&old);
}

static void resume_events(void)
{
	sys_sigset old;
	struct col_thread *self = enter_recorder(&old);

	if (!self)
		return;
	recording_resume(self);
	enter_leave(&old);
}

/* Signals are not blocked while it is made. */
static int snapshot(const char *name)
{
	sys_sigset old;

	if (!enter_recorder(&old))
		return -1;
	enter_leave(&old);
	return snapshot_take(name);
}

static void log_terminate(void)
{
	char buffer[128];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "terminate");
	col_event_end(&text);
}

/* A recording that has ended does not begin again: the recorder has no timers in the process any
 * more. */
void control_terminate(void)
{
	sys_sigset old;
	struct col_thread *self = enter_recorder(&old);

	if (!self)
		return;
	log_terminate();
	atomic_store(&terminated, 1);
	process_close(-1);
	col.is_recorded = 0;
	atomic_store(&col.switches->recording, 0);
	col_stop_events(NULL);
	EACH_SOURCE(close);
	enter_leave(&old);
}

void control_leave(void)
{
	atomic_store(&terminated, 1);
}

EXPORT struct xer_collector_table xer_collector = {
	.size = sizeof(struct xer_collector_table),
	.sample = sample,
	.pause = pause_events,
	.resume = resume_events,
	.terminate = control_terminate,
	.func_load = dynamic_load,
	.func_unload = dynamic_unload,
	.snapshot = snapshot,
};

/* ---- by signals ---- */

/* A thread that is not known yet cannot record: let another thread take the signal. */
static void redirect(int signal)
{
	int tid = sys_gettid();

	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		int other = (int)atomic_load(&thread->tid);

		if (other && other != tid && SYS3(SYS_tgkill, col.pid, other, signal) == 0)
			return;
	}
	col_count(&col.count.lost_threads, 1);
}

/* Names of the samples that are asked for by signals, a line each. A debugger writes them here
 * (share/xer.gdb), since a signal has none. */
EXPORT char xer_sample_names[NAMES_SIZE];

/* Take the first one, into `name`; without one, it is "signal". */
static const char *next_name(char name[NAME_MAX_SHOWN])
{
	size_t len = strnlen(xer_sample_names, NAMES_SIZE - 1), first = 0;

	while (first < len && xer_sample_names[first] != '\n')
		first++;
	if (first == 0 || first >= NAME_MAX_SHOWN)
		return "signal";
	memcpy(name, xer_sample_names, first);
	name[first] = '\0';
	first += xer_sample_names[first] == '\n';
	memmove(xer_sample_names, xer_sample_names + first, len - first);
	memset(xer_sample_names + len - first, 0, first);
	return name;
}

/* What a signal asks for, in its handler. */
static void act(struct col_thread *self, int signal)
{
	char name[NAME_MAX_SHOWN];

	if (enter_begin(self) && signal == (int)col.descriptor.pause_signal)
		recording_toggle(self);
	else if (signal == (int)col.descriptor.snapshot_signal)
		snapshot_begin("Made by the signal");
	else if (col_is_recording())
		take_sample(self, next_name(name));
	enter_end(self);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct col_thread *self = col_self;

	if (!col_is_recording()) {
		if (atomic_load(&terminated))
			signals_tell_program(signal, info, context);
		else /* a child that is not recorded */
			signals_forward(signal, info, context);
		return;
	}
	if (!self)
		redirect(signal);
	else
		act(self, signal);
	if (!self || !signals_tell_program(signal, info, context))
		signals_restart_call(signal, context);
}

static void install(uint64_t signal)
{
	sys_sigset set = SYS_SIGBIT(signal);

	if (signal < 1 || signal > 64)
		return;
	if (signals_install((int)signal, on_signal) == 0)
		sys_sigmask(SIG_UNBLOCK, &set, NULL);
}

void control_open(void)
{
	atomic_store(&terminated, 0);
	if (col.descriptor.pause_signal)
		install(col.descriptor.pause_signal);
	if (col.descriptor.sample_signal)
		install(col.descriptor.sample_signal);
	if (col.descriptor.snapshot_signal)
		install(col.descriptor.snapshot_signal);
}

void control_stop(void)
{
	if (!col.descriptor.step.stop)
		return;
	SYS2(SYS_kill, sys_getpid(), SIGSTOP);
}
