/* process.c: start recording before main, end it when the process ends. See process.h. */
#include "process.h"

#include "file.h"
#include "hook.h"
#include "log.h"
#include "map.h"
#include "stream.h"
#include "tick.h"
#include "tree.h"
#include "usage.h"
#include "window.h"

#include <errno.h>

extern char **environ;

/* The value of a variable of the environment, without libc's help: other libraries may wrap getenv. */
static char *find_variable(const char *name, char ***entry)
{
	size_t len = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
			*entry = at;
			return *at + len + 1;
		}
	return NULL;
}

static void remove_entry(char **entry)
{
	do
		entry[0] = entry[1];
	while (*entry++);
}

/* Take our library out of LD_PRELOAD: the target and what it executes see the user's own value. */
static void restore_preload(void)
{
	size_t len = strlen(col.descriptor.preload);
	char **entry;
	char *value = find_variable("LD_PRELOAD", &entry);

	if (!value || strncmp(value, col.descriptor.preload, len) != 0)
		return;
	if (value[len] == ':')
		memmove(value, value + len + 1, strlen(value + len + 1) + 1);
	else if (value[len] == '\0')
		remove_entry(entry);
}

static int read_descriptor(void)
{
	char **entry;
	char *text = find_variable(DESCRIPTOR_VARIABLE, &entry);
	int error;

	if (!text)
		return -ENOENT;
	error = descriptor_get(text, &col.descriptor);
	if (error == 0) {
		remove_entry(entry);
		restore_preload();
	}
	return error;
}

static int make_mark(void)
{
	struct col_mark *mark = sys_mmap_anonymous(4096);

	if (!mark)
		return -ENOMEM;
	if (sys_madvise(mark, 4096, MADV_WIPEONFORK) < 0)
		return -ENOTSUP;
	col.mark = mark;
	return 0;
}

/* A forked child is not recorded: it lets go of what it has inherited. */
static void in_forked_child(void)
{
	col_streams_forget();
	col_log_forget();
	col_directory_close();
	col_self = NULL;
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

static void log_open_event(void)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "open");
	xml_put_number(&text, "tid", (uint64_t)sys_gettid());
	xml_put_number(&text, "raw_ns", sys_clock_ns(CLOCK_MONOTONIC_RAW));
	xml_put_number(&text, "real_ns", sys_clock_ns(CLOCK_REALTIME));
	col_event_end(&text);
}

static int open_files(void)
{
	int error = col_directory_open();

	if (error == 0)
		error = col_log_open();
	if (error == 0)
		error = map_open();
	if (error == 0)
		error = tree_open();
	if (error == 0)
		error = make_mark();
	return error;
}

static void start(void)
{
	col.pid = sys_getpid();
	hook_resolve();
	if (open_files() < 0)
		return;
	log_open_event();
	atomic_store(&col.mark->recording, 1);
	tick_open();
	if (thread_open() < 0) {
		atomic_store(&col.mark->recording, 0);
		col_log_warning("no memory to record");
		return;
	}
	usage_sample(col_self, COL_NORMAL, FMT_sample_reason_START);
	pthread_atfork(NULL, NULL, in_forked_child);
	on_exit(at_exit, NULL);
	at_quick_exit(at_quick_exit_end);
	window_open();
}

static __attribute__((constructor)) void construct(void)
{
	int saved_errno = errno;

	if (read_descriptor() == 0)
		start();
	errno = saved_errno;
}

/* ---- the end ---- */

static void log_count(const char *name, uint64_t value)
{
	char buffer[128];
	struct xml_text text = XML_TEXT(buffer);

	xml_put(&text, " <count");
	xml_put_string(&text, "name", name);
	xml_put_number(&text, "value", value);
	xml_put(&text, "/>\n");
	col_xml_append(COL_LOG, &text);
}

static void log_counters(void)
{
#define COUNTER(name) \
	if (atomic_load(&col.count.name)) \
		log_count(#name, atomic_load(&col.count.name));
	COL_COUNTERS(COUNTER)
#undef COUNTER
}

static void log_exit(int exit_code)
{
	char buffer[256];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, "exit");
	if (exit_code >= 0)
		xml_put_number(&text, "code", (uint64_t)exit_code);
	xml_put_number(&text, "cpu_ns", sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	col_event_end(&text);
}

static void account_all(struct col_thread *self)
{
	uint64_t heap_events = 0, sync_events = 0, io_events = 0, user_events = 0;

	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		if (atomic_load(&thread->tid))
			tick_residual(thread, self, COL_NORMAL);
		heap_events += thread->heap_events;
		sync_events += thread->sync_events;
		io_events += thread->io_events;
		user_events += thread->user_events;
	}
	atomic_store(&col.count.heap_events, heap_events);
	atomic_store(&col.count.sync_events, sync_events);
	atomic_store(&col.count.io_events, io_events);
	atomic_store(&col.count.user_events, user_events);
}

int process_is_recorded(void)
{
	return col_is_recording() && sys_getpid() == col.pid;
}

void process_account(void)
{
	sys_sigset tick = SYS_SIGBIT(TICK_SIGNAL);
	struct col_thread *self;
	sys_sigset old;

	sys_sigmask(SIG_BLOCK, &tick, &old);
	self = thread_current();
	if (self) {
		account_all(self);
		usage_sample(self, COL_NORMAL, FMT_sample_reason_END);
	}
	log_counters();
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void process_close(int exit_code)
{
	if (!process_is_recorded() || atomic_exchange(&col.closing, 1))
		return;
	process_account();
	log_exit(exit_code);
	archive_run();
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
