/* Control of the recording: by the program, through the recorder's table, and by signals. */
#include "libcollector/control.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/source.h"
#include "libcollector/recording.h"
#include "libcollector/thread/signals.h"
#include "libcollector/thread/thread.h"

#include "format/record.h"
#include "include/collectorAPI.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE = SIGUSR1, SAMPLE = SIGUSR2, NAMES = 1024 };

extern struct xer_collector_table xer_collector;
extern char xer_sample_names[NAMES];

static int closed;

static void close_source(void)
{
	closed++;
}

static const struct source made[] = {
	{.id = SOURCE_HEAP, .setting = offsetof(struct descriptor, heap), .close = close_source}};

static void setup(void)
{
	scratch_open();
	cr_assert_not_null(thread_current());
	scratch_host(made, 1);
	col.is_recorded = 1;
	col.descriptor.heap = 1;
	col.descriptor.start_ticks = col_ticks();
	col.descriptor.pause_signal = PAUSE;
	col.descriptor.sample_signal = SAMPLE;
	recording_open();
}

TestSuite(control, .init = setup, .fini = scratch_remove, .timeout = 60);

static int events(const char *kind, const char *attributes)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " <event kind=\"%s\" time=\"", kind);
	return attributes ? scratch_count("log.xml", attributes) : scratch_count("log.xml", wanted);
}

static int manual_samples(void)
{
	struct fmt_usage usage[16];
	int count = scratch_records("overview", FMT_KIND_usage, usage, sizeof(usage[0]), 16);

	for (int i = 0; i < count && i < 16; i++) {
		cr_expect_eq(usage[i].reason, FMT_sample_reason_MANUAL);
		cr_expect_eq(usage[i].number, (uint32_t)i + 1);
	}
	return count;
}

static sigset_t mask(void)
{
	sigset_t set;

	memset(&set, 0, sizeof(set));
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return set;
}

/* ---- by the program */

Test(control, the_table_has_all_functions)
{
	cr_expect_eq(xer_collector.size, sizeof(struct xer_collector_table));
	cr_expect(xer_collector.sample && xer_collector.pause && xer_collector.resume &&
	          xer_collector.terminate && xer_collector.func_load && xer_collector.func_unload &&
	          xer_collector.snapshot);
}

Test(control, samples_have_names_and_numbers)
{
	char name[200];
	sigset_t before = mask(), behind;

	xer_collector.sample("first");
	xer_collector.sample(NULL);
	memset(name, 'n', sizeof(name));
	name[199] = '\0';
	xer_collector.sample(name);
	cr_expect_eq(events("sample", NULL), 3);
	cr_expect_eq(events("sample", " number=\"1\" name=\"first\"/>"), 1);
	cr_expect_eq(events("sample", " number=\"2\"/>"), 1);
	name[128] = '\0';
	strcat(name, "\"/>");
	cr_expect_eq(events("sample", name), 1, "the name is cut");
	cr_expect_eq(manual_samples(), 3);
	behind = mask();
	cr_expect_eq(memcmp(&before, &behind, sizeof(before)), 0);
}

Test(control, pauses_and_resumptions)
{
	cr_expect_eq(col_on(SOURCE_HEAP), 1);
	xer_collector.pause();
	cr_expect_eq(col_on(SOURCE_HEAP), 0);
	cr_expect_eq(events("pause", NULL), 1);
	xer_collector.pause();
	cr_expect_eq(events("pause", NULL), 1);
	xer_collector.resume();
	cr_expect_eq(col_on(SOURCE_HEAP), 1);
	cr_expect_eq(events("resume", NULL), 1);
}

Test(control, a_terminated_recording_is_over)
{
	xer_collector.terminate();
	cr_expect_eq(events("terminate", NULL), 1);
	cr_expect_eq(events("exit", NULL), 1);
	cr_expect_eq(scratch_count("log.xml", " code=\""), 0, "the process goes on");
	cr_expect_eq(closed, 1);
	cr_expect_not(col.is_recorded);
	cr_expect_not(col_is_recording());
	cr_expect_eq(col_on(SOURCE_HEAP), 0);
	xer_collector.terminate();
	xer_collector.sample("late");
	xer_collector.pause();
	xer_collector.resume();
	cr_expect_eq(xer_collector.snapshot("late"), -1);
	cr_expect_eq(events("terminate", NULL), 1);
	cr_expect_eq(events("sample", NULL), 0);
	cr_expect_eq(events("resume", NULL), 0);
	cr_expect_eq(closed, 1);
}

/* ---- by signals */

static volatile int program_met;

static void on_program(int signal)
{
	program_met += signal;
}

Test(control, a_signal_pauses_and_resumes)
{
	control_open();
	raise(PAUSE);
	cr_expect_eq(col_on(SOURCE_HEAP), 0);
	cr_expect_eq(events("pause", NULL), 1);
	raise(PAUSE);
	cr_expect_eq(col_on(SOURCE_HEAP), 1);
	cr_expect_eq(events("resume", NULL), 1);
	cr_expect_eq(events("sample", NULL), 0);
}

/* A debugger writes names, a line each. */
Test(control, a_signal_takes_samples_with_the_names_that_wait)
{
	char text[NAMES] = "";

	control_open();
	raise(SAMPLE);
	cr_expect_eq(events("sample", " number=\"1\" name=\"signal\"/>"), 1);
	strcpy(xer_sample_names, "one\ntwo words\nthree");
	raise(SAMPLE);
	cr_expect_str_eq(xer_sample_names, "two words\nthree");
	raise(SAMPLE);
	cr_expect_str_eq(xer_sample_names, "three");
	raise(SAMPLE);
	cr_expect_str_eq(xer_sample_names, "");
	for (int i = 0; i < NAMES; i++)
		cr_expect_eq(xer_sample_names[i], 0, "%d", i);
	raise(SAMPLE);
	cr_expect_eq(events("sample", " number=\"2\" name=\"one\"/>"), 1);
	cr_expect_eq(events("sample", " number=\"3\" name=\"two words\"/>"), 1);
	cr_expect_eq(events("sample", " number=\"4\" name=\"three\"/>"), 1);
	cr_expect_eq(events("sample", " number=\"5\" name=\"signal\"/>"), 1);
	/* A name of 127 bytes is one; a longer one is not, nor is an empty one. */
	memset(text, 'x', 127);
	snprintf(xer_sample_names, NAMES, "%s\n", text);
	raise(SAMPLE);
	cr_expect_eq(events("sample", text), 1);
	cr_expect_str_eq(xer_sample_names, "");
	memset(text, 'y', 128);
	snprintf(xer_sample_names, NAMES, "%s\nz", text);
	raise(SAMPLE);
	cr_expect_eq(events("sample", text), 0);
	strcpy(xer_sample_names, "\nz");
	raise(SAMPLE);
	cr_expect_eq(events("sample", " name=\"z\"/>"), 0);
	cr_expect_eq(manual_samples(), 8);
	/* Memory that is full to its end is one name that is too long. */
	memset(xer_sample_names, 'w', NAMES);
	raise(SAMPLE);
	cr_expect_eq(events("sample", " name=\"signal\"/>"), 5);
}

Test(control, the_programs_own_handler_is_called_too)
{
	const struct sigaction action = {.sa_handler = on_program};

	control_open();
	sigaction(SAMPLE, &action, NULL);
	raise(SAMPLE);
	cr_expect_eq(program_met, SAMPLE);
	cr_expect_eq(events("sample", NULL), 1);
	control_leave();
	atomic_store(&col.switches->recording, 0);
	raise(SAMPLE);
	cr_expect_eq(program_met, 2 * SAMPLE, "the signal is the program's alone");
	cr_expect_eq(events("sample", NULL), 1);
}

Test(control, signals_that_are_blocked_at_the_start_come_all_the_same)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SAMPLE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	control_open();
	raise(SAMPLE);
	cr_expect_eq(events("sample", NULL), 1);
}

Test(control, without_signals_none_is_taken)
{
	const struct sigaction action = {.sa_handler = on_program};

	sigaction(PAUSE, &action, NULL);
	sigaction(SAMPLE, &action, NULL);
	col.descriptor.pause_signal = 0;
	col.descriptor.sample_signal = 65; /* there is none */
	control_open();
	raise(PAUSE);
	raise(SAMPLE);
	cr_expect_eq(program_met, PAUSE + SAMPLE);
	cr_expect_eq(events("pause", NULL), 0);
	cr_expect_eq(events("sample", NULL), 0);
}

Test(control, a_process_stops_if_that_is_asked_for)
{
	pid_t child;
	int status;

	control_stop();
	col.descriptor.step.stop = 1;
	child = fork();
	if (child == 0) {
		control_stop();
		_exit(7);
	}
	cr_assert_eq(waitpid(child, &status, WUNTRACED), child);
	cr_expect(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "%x", status);
	kill(child, SIGCONT);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
