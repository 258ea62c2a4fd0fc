/* child.c: record forked children. See child.h.
 * See doc/decisions/16-descendants.md. */
#include "libcollector/process/child.h"

#include "libcollector/base/file.h"
#include "libcollector/base/host.h"
#include "libcollector/base/lock.h"
#include "libcollector/base/memory.h"
#include "libcollector/base/source.h"
#include "libcollector/hook/hook.h"
#include "libcollector/object/map.h"
#include "libcollector/process/descendant.h"
#include "libcollector/process/directory.h"
#include "libcollector/process/snapshot.h"
#include "libcollector/profile/usage.h"
#include "libcollector/thread/thread_state.h"
#include "libcollector/write/log.h"

#include "format/lineage.h"

#include <errno.h>
#include <paths.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

enum { SETTLING = 2 };

/* Since then, this process may have memory that its children do not get. */
static int is_watching;

static struct process_moment start;
/* Of the fork in progress in this thread. */
static __thread uint32_t promised; /* the child's number */
static __thread int
	interrupts; /* a program's signal handler forks while its thread is in the recorder */

/* ---- in the child ---- */

/* What the parent records with must not be touched. */
static void let_go(void)
{
	memory_begin_child();
	col_extents_lose();
	col_streams_forget();
	col_log_forget();
	col_directory_close();
	snapshot_forget();
	col_self = NULL;
	EACH_SOURCE(forget);
}

static void renew(void)
{
	map_restart();
	memset(&col.count, 0, sizeof(col.count));
	atomic_store(&col.closing, 0);
	atomic_store(&col.is_unsettled, 1);
	child_be_quiet();
	start = process_moment_now();
	usage_restart(&start);
	if (sources_prepare() < 0)
		return;
	atomic_store(&col.switches->recording, 1);
	atomic_store(&col.switches->has_states, 1);
	EACH_SOURCE(renew);
	thread_scan_restart();
	if (thread_restart() < 0) {
		atomic_store(&col.switches->recording, 0);
		return;
	}
	col_host->restart_events();
}

void child_begin(char letter, uint32_t number)
{
	int was_recorded = col.is_recorded;

	col.pid = sys_getpid();
	col.is_recorded = 0;
	let_go();
	if (!descendant_is_followed() || !descendant_fork(letter, number) || !was_recorded)
		return;
	col.is_recorded = 1;
	renew();
}

/* Where a recording has ended, a filter may kill for any system call. */
static int is_unannounced(void)
{
	if (!col.is_recorded)
		return is_watching && col_self && !atomic_load(&col.switches->has_states);
	return !col_is_recording() && sys_getpid() != col.pid;
}

void child_look(void)
{
	if (is_unannounced())
		child_begin('c', col.is_recorded ? descendant_number('c') : 0);
}

int child_is_told(void)
{
	return is_watching || col.is_recorded;
}

static int make_files(void *unused)
{
	int error = directory_make(&start);

	(void)unused;
	return error == 0 ? col_xml_open(COL_LOG) : error;
}

static void make_directory(void)
{
	int error = col_file_with_free(make_files, NULL);

	if (error < 0) {
		col_streams_stop();
		col.is_recorded = 0;
		atomic_store(&col.switches->recording, 0);
		return;
	}
	directory_log_open(&start);
}

/* Others wait: without the directory, their files could never be created. */
static void wait_until_settled(void)
{
	unsigned turns = 0;

	while (atomic_load(&col.is_unsettled))
		if (!col_wait_turn(&turns))
			atomic_store(&col.is_unsettled, 0);
}

void child_settle(void)
{
	static atomic_int settler;
	unsigned unsettled = 1;
	sys_sigset old;

	if (likely(!atomic_load(&col.is_unsettled)) || atomic_load(&settler) == sys_gettid())
		return;
	sys_block_signals(&old);
	if (atomic_compare_exchange_strong(&col.is_unsettled, &unsettled, SETTLING)) {
		atomic_store(&settler, sys_gettid());
		make_directory();
		atomic_store(&settler, 0);
		atomic_store(&col.is_unsettled, 0);
	} else {
		wait_until_settled();
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void child_be_quiet(void)
{
	atomic_store(&col.is_quiet, 1);
}

int child_is_quiet(void)
{
	return (int)atomic_load(&col.is_quiet);
}

void child_greet(const struct col_slot *slot)
{
	struct col_thread *self = col_self;
	enum col_context context;

	if (likely(!atomic_load(&col.is_quiet)) || !self || !atomic_exchange(&col.is_quiet, 0))
		return;
	context = slot >= self->slot[COL_HANDLER] && slot < self->slot[COL_HANDLER] + FMT_STREAMS
	                  ? COL_HANDLER
	                  : COL_NORMAL;
	usage_sample_start(self, context);
	thread_write_main(self, context, usage_start());
}

/* ---- around libc's fork ---- */

/* The child of an interrupted recorder will return to it, and must find all its memory. It is
 * recorded only when it is noticed again (child_look). */
static void before_fork(void)
{
	if (!promised)
		promised = descendant_number('f');
	interrupts = col_self && (col_self->scope != 0 || sources_are_interrupted());
	if (interrupts)
		thread_keep_memory(col_self, MADV_DOFORK);
}

static void in_parent(void)
{
	if (interrupts)
		thread_keep_memory(col_self, MADV_DONTFORK);
	promised = 0;
}

static void in_child(void)
{
	uint32_t number = promised;

	promised = 0;
	if (interrupts)
		EACH_SOURCE(cut_off);
	else
		child_begin('f', number);
}

void child_open(void)
{
	is_watching = 1;
	pthread_atfork(before_fork, in_parent, in_child);
}

void child_log(const char *kind, int pid, uint32_t number)
{
	char lineage[LINEAGE_MAX];
	char buffer[512];
	struct xml_text text = XML_TEXT(buffer);

	if (!col_is_recording() || !descendant_is_followed() ||
	    descendant_child(lineage, 'f', number) < 0)
		return;
	col_event_begin(&text, kind);
	xml_put_number(&text, "pid", (uint64_t)pid);
	xml_put_string(&text, "lineage", lineage);
	col_event_end(&text);
}

void child_log_sharer(int pid)
{
	char *memory = process_is_recorded() ? col_text_borrow() : NULL;
	struct xml_text text = {.at = memory, .capacity = COL_TEXT_SIZE};

	if (!memory)
		return;
	col_event_begin(&text, "unrecorded");
	xml_put_number(&text, "pid", (uint64_t)pid);
	xml_put_string(&text, "path", map_program());
	xml_put_string(&text, "reason", "it shares its parent's memory");
	col_event_end(&text);
	col_text_return(memory);
}

EXPORT pid_t fork(void)
{
	uint32_t number;
	pid_t pid;

	child_look();
	if (!col.is_recorded)
		return REAL(fork)();
	number = descendant_number('f');
	promised = number;
	pid = REAL(fork)();
	if (pid > 0)
		child_log("fork", pid, number);
	return pid;
}

EXPORT pid_t __fork(void) __attribute__((alias("fork"), nothrow));

/* It runs no handlers. */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	child_look();
	if (!child_is_told())
		return REAL(_Fork)();
	before_fork();
	pid = REAL(_Fork)();
	if (pid == 0) {
		in_child();
		return 0;
	}
	if (pid > 0)
		child_log("_Fork", pid, promised);
	in_parent();
	return pid;
}

EXPORT int forkpty(int *terminal, char *name, const struct termios *settings,
                   const struct winsize *size)
{
	uint32_t number;
	int pid;

	child_look();
	if (!col.is_recorded)
		return REAL(forkpty)(terminal, name, settings, size);
	number = descendant_number('f');
	promised = number;
	pid = REAL(forkpty)(terminal, name, settings, size);
	if (pid > 0)
		child_log("forkpty", pid, number);
	promised = 0;
	return pid;
}
