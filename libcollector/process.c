/* process.c: start recording before main, end it when the process ends. See process.h. */
#include "libcollector/process.h"

#include "libcollector/base/file.h"
#include "libcollector/base/host.h"
#include "libcollector/base/source.h"
#include "libcollector/close.h"
#include "libcollector/control.h"
#include "libcollector/exec/environment.h"
#include "libcollector/exec/golang.h"
#include "libcollector/exit.h"
#include "libcollector/hook/hook.h"
#include "libcollector/object/map.h"
#include "libcollector/process/child.h"
#include "libcollector/process/descendant.h"
#include "libcollector/process/snapshot_wait.h"
#include "libcollector/profile/tick.h"
#include "libcollector/profile/usage.h"
#include "libcollector/recording.h"
#include "libcollector/source.h"
#include "libcollector/thread/signals.h"
#include "libcollector/write/log.h"
#include "libcollector/write/stream.h"

#include <errno.h>
#include <unistd.h>

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
	(void)at_quick_exit(exit_at_quick_end);
}

int process_open(void)
{
	struct process_moment now = process_moment_now();
	int error = open_files(&now);

	if (error < 0)
		return error;
	directory_log_open(&now);
	map_open();
	usage_open(&now, &col.descriptor.step);
	col.is_recorded = 1;
	atomic_store(&col.switches->recording, 1);
	atomic_store(&col.switches->has_states, 1);
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

static void expect_thread(void)
{
	tick_before_thread();
	col_log_expect_threads();
}

static const struct col_host host = {
	.settle = child_settle,
	.make_map = directory_make_map,
	.greet = child_greet,
	.check_time = recording_check,
	.stop_events = recording_stop,
	.restart_events = recording_restart,
	.thread_coming = expect_thread,
	.account = process_account,
	.terminate = control_terminate,
	.waits = snapshot_wait_begins,
	.waits_long = snapshot_wait_lasts,
	.waited = snapshot_wait_ended,
	.api = &xer_collector,
};

/* The link makes this the first constructor of all (-z initfirst), before that of the C library,
 * which sets environ to this list. See doc/decisions/83-constructors.md. */
static void find_environment(char **list)
{
	if (!environ)
		environ = list;
}

static __attribute__((constructor)) void construct(int argc, char **argv, char **envp)
{
	int saved_errno = errno, is_go;

	(void)argc;
	(void)argv;
	find_environment(envp);
	col_host = &host;
	source_table_give();
	EACH_SOURCE(load);
	if (environment_take(&col.descriptor) == 0) {
		col.pid = sys_getpid();
		/* Its descendants may be of the other class of ELF files, and get all settings. */
		source_drop_lacking(&col.descriptor);
		map_open_program();
		hook_resolve();
		is_go = golang_is_program();
		if (is_go)
			tick_tell_user_only();
		if (!descendant_begin())
			child_open();
		else if (process_open() == 0) {
			EACH_SOURCE(launch);
			process_begin_events();
			if (is_go)
				col_log_warning(
					"a program in Go makes its system calls itself: what it executes is not followed, and its end is not seen; "
					"--sampler samples what it executes from outside");
		}
	}
	errno = saved_errno;
}
