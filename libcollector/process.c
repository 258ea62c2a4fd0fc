/* process.c: start recording before main, end it when the process ends. See process.h. */
#include "libcollector/process.h"

#include "libcollector/thread/buserror.h"
#include "libcollector/process/child.h"
#include "libcollector/control.h"
#include "libcollector/process/descendant.h"
#include "libcollector/process/environment.h"
#include "libcollector/base/file.h"
#include "libcollector/base/source.h"
#include "libcollector/process/golang.h"
#include "libcollector/hook/hook.h"
#include "libcollector/write/log.h"
#include "libcollector/object/map.h"
#include "libcollector/write/stream.h"
#include "libcollector/events/usage.h"
#include "libcollector/hook/visible.h"
#include "libcollector/source.h"
#include "libcollector/thread/signals.h"
#include "libcollector/recording.h"

#include <errno.h>

static int make_switches(void)
{
	static int is_made;
	struct col_switches *switches = is_made ? col.switches : sys_mmap_anonymous(4096);

	if (is_made)
		return 0;
	if (!switches)
		return -ENOMEM;
	if (sys_madvise(switches, 4096, MADV_WIPEONFORK) < 0)
		return -ENOTSUP;
	col.switches = switches;
	is_made = 1;
	return 0;
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	process_close(status & 255);
}

static atomic_int quick_status = -1;

static void at_quick_exit_end(void)
{
	process_close(atomic_load(&quick_status));
}

void process_log_open(const struct process_moment *start)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <event kind=\"open\"");
	xml_put_number(&text, "time", start->ticks);
	xml_put_number(&text, "tid", (uint64_t)sys_gettid());
	xml_put_number(&text, "raw_ns", start->raw_ns);
	xml_put_number(&text, "real_ns", start->real_ns);
	col_event_end(&text);
}

/* The founder's directory is there; a descendant makes its own. */
static int open_directory(const struct process_moment *start)
{
	int error = col_founder_open();

	if (error < 0)
		return error;
	return col.descriptor.step.lineage[0] ? directory_make(start) : col_directory_open(".");
}

static int open_files(const struct process_moment *start)
{
	int error = open_directory(start);

	if (error == 0)
		error = col_xml_open(COL_LOG);
	if (error == 0)
		error = sources_prepare();
	if (error == 0)
		error = make_switches();
	return error;
}

/* Handlers of the process's end, and of its forks: once, also if recordings begin several times. */
static void watch(void)
{
	static int is_done;

	if (is_done)
		return;
	is_done = 1;
	child_open();
	on_exit(at_exit, NULL);
	(void)at_quick_exit(at_quick_exit_end);
}

int process_open(void)
{
	struct process_moment now = process_moment_now();
	int error = open_files(&now);

	if (error < 0)
		return error;
	process_log_open(&now);
	map_open();
	usage_open(&now, &col.descriptor.step);
	col.is_recorded = 1;
	atomic_store(&col.switches->recording, 1);
	buserror_stand();
	EACH_SOURCE(install);
	if (thread_open() < 0) {
		col.is_recorded = 0;
		atomic_store(&col.switches->recording, 0);
		col_log_warning("no memory to record");
		return -ENOMEM;
	}
	if (!ARCH_WALKS_STACKS)
		col_log_warning(
			"of a 32-bit program, user events, usage and descendants are recorded, and nothing else");
	if (col.descriptor.step.lineage[0]) {
		child_be_quiet();
	} else {
		map_begin();
		usage_sample_start(col_self, COL_NORMAL);
	}
	watch();
	return 0;
}

void process_begin_events(void)
{
	recording_open();
	control_open();
	control_stop();
}

static __attribute__((constructor)) void construct(void)
{
	int saved_errno = errno;

	source_table_give();
	visible_open();
	if (environment_take(&col.descriptor) == 0) {
		col.pid = sys_getpid();
		/* Its descendants may be of the other kind, and are told all. */
		source_drop_lacking(&col.descriptor);
		map_open_program();
		hook_resolve();
		if (!descendant_begin())
			child_open();
		else if (process_open() == 0) {
			EACH_SOURCE(launch);
			process_begin_events();
			if (golang_is_program())
				col_log_warning(
					"a program in Go makes its system calls itself: what it executes is not followed, and its end is not seen; "
					"--sampler samples what it executes from outside");
		}
	}
	errno = saved_errno;
}

/* ---- the end ---- */

/* All counters and the exit event; less than an append can take. */
enum { TOTALS_SIZE = 3000 };

static void put_count(struct xml_text *text, const char *name, uint64_t value)
{
	xml_put(text, " <count");
	xml_put_string(text, "name", name);
	xml_put_number(text, "value", value);
	xml_put(text, "/>\n");
}

/* Of streams: what the format calls the number of events lost. */
static const char *const lost_names[FMT_STREAMS] = {
#define STREAM(id, name, role) "lost_" name,
#include "format/datakind.def"
};

static void put_counters(struct xml_text *text)
{
	for (const struct source *source = sources.first; source != sources.end; source++)
		if (source->counter && atomic_load(&col.count.events[source->id]))
			put_count(text, source->counter,
			          atomic_load(&col.count.events[source->id]));
#define COUNTER(name) \
	if (atomic_load(&col.count.name)) \
		put_count(text, #name, atomic_load(&col.count.name));
	COL_COUNTERS(COUNTER)
#undef COUNTER
	for (int i = 0; i < FMT_STREAMS; i++)
		if (atomic_load(&col.count.lost[i]))
			put_count(text, lost_names[i], atomic_load(&col.count.lost[i]));
}

static void put_exit(struct xml_text *text, int exit_code)
{
	col_event_begin(text, "exit");
	if (exit_code >= 0)
		xml_put_number(text, "code", (uint64_t)exit_code);
	xml_put_number(text, "cpu_ns", usage_cpu_ns());
	xml_put(text, "/>\n");
}

static void account_all(struct col_thread *self)
{
	uint64_t events[SOURCES] = {0};

	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		if (atomic_load(&thread->tid))
			EACH_SOURCE(thread_account, thread, self, COL_NORMAL);
		for (int i = 0; i < SOURCES; i++)
			events[i] += thread->events[i];
	}
	for (int i = 0; i < SOURCES; i++)
		atomic_store(&col.count.events[i], events[i]);
	EACH_SOURCE(count);
}

int process_is_recorded(void)
{
	return col_is_recording() && sys_getpid() == col.pid;
}

static void account(void)
{
	sys_sigset tick = SYS_SIGBIT(TICK_SIGNAL);
	struct col_thread *self;
	sys_sigset old;

	child_settle(); /* before the CPU time is read, of which it uses most in a short life */
	sys_sigmask(SIG_BLOCK, &tick, &old);
	self = thread_current();
	if (self && !child_is_quiet()) {
		account_all(self);
		/* What the first record has cost, if it had to make its file. */
		EACH_SOURCE(thread_account, self, self, COL_NORMAL);
		usage_sample(self, COL_NORMAL, FMT_sample_reason_END);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

/* What a quiet process has used stands in its log alone. */
static void put_totals(struct xml_text *text)
{
	account();
	put_counters(text);
	if (child_is_quiet())
		usage_put(text);
}

void process_account(void)
{
	char buffer[TOTALS_SIZE];
	struct xml_text text = XML_TEXT(buffer);

	put_totals(&text);
	if (text.len)
		col_xml_append(COL_LOG, &text);
}

static void close_log(int exit_code)
{
	char buffer[TOTALS_SIZE];
	struct xml_text text = XML_TEXT(buffer);

	put_totals(&text);
	put_exit(&text, exit_code);
	col_xml_append(COL_LOG, &text);
	archive_run();
}

/* Totals and the exit event go in one write: what comes after the CPU time has been read is in no
 * sample. No tick comes meanwhile: on a small alternate stack there is not room for both. */
void process_close(int exit_code)
{
	sys_sigset tick = SYS_SIGBIT(TICK_SIGNAL);
	sys_sigset old;

	child_look();
	if (!process_is_recorded() || atomic_exchange(&col.closing, 1))
		return;
	sys_sigmask(SIG_BLOCK, &tick, &old);
	close_log(exit_code);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

EXPORT void _exit(int status)
{
	process_close(status & 255);
	REAL(_exit)(status);
	__builtin_unreachable();
}

/* Only notes the status: the program's own functions for this way out come first. */
EXPORT void quick_exit(int status)
{
	atomic_store(&quick_status, status & 255);
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* The older version also runs destructors of thread-local C++ objects. */
EXPORT void quick_exit_old(int status);
EXPORT void quick_exit_old(int status)
{
	atomic_store(&quick_status, status & 255);
	REAL(quick_exit_old)(status);
	__builtin_unreachable();
}
HOOK_VERSION(quick_exit, quick_exit, "@@GLIBC_2.24");
HOOK_VERSION(quick_exit_old, quick_exit, "@GLIBC_2.10");

EXPORT void _Exit(int status)
{
	process_close(status & 255);
	REAL(_Exit)(status);
	__builtin_unreachable();
}
