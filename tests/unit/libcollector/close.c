/* How the log of a process ends: its totals, and how it ended. */
#include "libcollector/close.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/source.h"
#include "libcollector/thread/thread.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int accounted;

static void account(struct col_thread *thread, struct col_thread *writer, enum col_context context)
{
	accounted += thread == writer && context == COL_NORMAL;
}

static void count(void)
{
	atomic_store(&col.count.calls_unhooked, 5);
}

static const struct source made[] = {
	{.id = SOURCE_HEAP, .counter = "heap_events", .thread_account = account, .count = count},
	{.id = SOURCE_SYNC, .counter = "sync_events"}};

static void setup(void)
{
	scratch_open();
	cr_assert_not_null(thread_current());
	scratch_host(made, 2);
	col.is_recorded = 1;
}

TestSuite(close, .init = setup, .fini = scratch_remove, .timeout = 60);

static int counted(const char *element)
{
	return scratch_count("log.xml", element);
}

Test(close, totals_and_the_end_are_told_once)
{
	struct fmt_usage usage[4];
	uint64_t cpu_ns;
	struct timespec now;
	char *text, *at;
	size_t len;

	thread_current()->events[SOURCE_HEAP] = 12;
	atomic_store(&col.count.lost[FMT_STREAM_HEAPTRACE], 3);
	process_close(7);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	text = scratch_read("log.xml", &len);
	at = strstr(text, "<event kind=\"exit\" time=\"");
	cr_assert_not_null(at);
	cr_assert_not_null(at = strstr(at, " code=\"7\" cpu_ns=\""));
	cpu_ns = strtoull(at + strlen(" code=\"7\" cpu_ns=\""), &at, 10);
	cr_expect_str_eq(at, "\"/>\n</experiment>\n", "without children: %s", at);
	cr_expect(cpu_ns > 0 &&
	          cpu_ns <= (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	free(text);
	cr_expect_eq(counted(" <count name=\"heap_events\" value=\"12\"/>\n"), 1);
	cr_expect_eq(counted(" <count name=\"lost_heaptrace\" value=\"3\"/>\n"), 1);
	cr_expect_eq(counted(" <count name=\"calls_unhooked\" value=\"5\"/>\n"), 1);
	cr_expect_eq(counted(" <count name=\"threads\" value=\"1\"/>\n"), 1);
	cr_expect_eq(counted("<count"), 4, "no others");
	cr_expect_eq(accounted, 2, "of the thread, and of what that has cost");
	cr_assert_eq(scratch_records("overview", FMT_KIND_usage, usage, sizeof(usage[0]), 4), 1);
	cr_expect_eq(usage[0].reason, FMT_sample_reason_END);
	process_close(8);
	cr_expect_eq(counted("<event kind=\"exit\""), 1);
}

Test(close, an_end_of_the_recording_alone_has_no_code)
{
	process_close(-1);
	cr_expect_eq(counted("<event kind=\"exit\""), 1);
	cr_expect_eq(counted(" code="), 0);
	col.closing = 0;
	process_close(0);
	cr_expect_eq(counted(" code=\"0\""), 1);
}

Test(close, a_child_is_another_process)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		process_close(1);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(counted("<event kind=\"exit\""), 0);
	/* It has used CPU time, which is told apart. */
	child = fork();
	if (child == 0) {
		for (clock_t until = clock() + CLOCKS_PER_SEC / 50; clock() < until;)
			continue;
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	process_close(1);
	cr_expect_eq(counted(" children_ns=\""), 1);
}

Test(close, without_a_recording_nothing_is_told)
{
	atomic_store(&col.switches->recording, 0);
	process_close(1);
	cr_expect_eq(counted("<event"), 0);
}

Test(close, totals_may_be_told_before_the_end)
{
	thread_current()->events[SOURCE_SYNC] = 2;
	process_account();
	cr_expect_eq(counted(" <count name=\"sync_events\" value=\"2\"/>\n"), 1);
	cr_expect_eq(counted("<event"), 0);
}
