/* What the parent of a child records. */
#include "libcollector/process/child.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/host.h"
#include "libcollector/object/map.h"
#include "libcollector/write/log.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void setup(void)
{
	scratch_open();
	col.is_recorded = col.is_followed = 1;
}

TestSuite(child, .init = setup, .fini = scratch_remove);

static int log_has(const char *what)
{
	size_t len;
	char *text = scratch_read("log.xml", &len);
	int found = text && strstr(text, what) != NULL;

	free(text);
	return found;
}

Test(child, a_child_is_noted_with_its_number)
{
	child_log("fork", 4711, 12);
	cr_assert(log_has("kind=\"fork\""));
	cr_assert(log_has(" pid=\"4711\" lineage=\"_f12\""));
}

Test(child, one_that_nobody_follows_is_not_noted)
{
	col.is_followed = 0;
	child_log("fork", 4711, 12);
	cr_assert_not(log_has("4711"));
	col.is_followed = 1;
	atomic_store(&col.switches->recording, 0);
	child_log("fork", 4711, 12);
	cr_assert_not(log_has("4711"), "nor while nothing is recorded");
}

Test(child, one_that_shares_our_memory_is_not_recorded)
{
	child_log_sharer(4712);
	cr_assert(log_has("kind=\"unrecorded\""));
	cr_assert(log_has(" pid=\"4712\""));
	cr_assert(log_has("shares its parent's memory"));
}

Test(child, who_is_quiet_says_so)
{
	cr_assert_not(child_is_quiet());
	child_be_quiet();
	cr_assert(child_is_quiet());
}

/* ---- in the child itself: its messages go into its own directory ---- */

static void become_recorded(void)
{
	static struct col_host host;

	host = *col_host;
	host.settle = child_settle;
	host.greet = child_greet;
	col_host = &host;
	strcpy(col.descriptor.follow, "on");
	map_open_program();
	cr_assert_not_null(thread_current());
	cr_assert_eq(thread_open(), 0);
}

/* Run this in a forked child. Returns its exit status. */
static int in_child(void (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		child_begin('f', 3);
		act();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static void write_event(void)
{
	struct fmt_clock record = {.kind = FMT_KIND_clock, .stack = 5};
	struct col_thread *self = thread_current();

	if (!self || !col_is_recording() || !child_is_quiet() || col.pid != getpid())
		_exit(1);
	if (faccessat(col_founder_get(), "_f3.er", F_OK, 0) == 0)
		_exit(2); /* too early */
	if (col_slot_write(&self->slot[COL_NORMAL][FMT_STREAM_PROFILE], FMT_STREAM_PROFILE,
	                   atomic_load(&self->tid), &record, sizeof(record), 1) < 0)
		_exit(3);
	_exit(child_is_quiet() ? 4 : 0);
}

Test(child, its_directory_comes_with_its_first_event)
{
	struct fmt_clock clock;
	struct fmt_usage usage;
	struct fmt_thread thread;

	become_recorded();
	cr_assert_eq(in_child(write_event), 0);
	cr_assert_eq(scratch_count("_f3.er/log.xml", " lineage=\"_f3\""), 1);
	cr_assert_eq(scratch_count("_f3.er/log.xml", "kind=\"open\""), 1);
	cr_assert_eq(scratch_records("_f3.er/profile", FMT_KIND_clock, &clock, sizeof(clock), 1),
	             1);
	cr_assert_eq(clock.stack, 5);
	cr_assert_eq(scratch_records("_f3.er/overview", FMT_KIND_usage, &usage, sizeof(usage), 1),
	             1);
	cr_assert_eq(usage.reason, FMT_sample_reason_START);
	cr_assert_eq(
		scratch_records("_f3.er/overview", FMT_KIND_thread, &thread, sizeof(thread), 1), 1);
	cr_assert_eq(thread.origin, FMT_thread_origin_MAIN);
	cr_assert_null(scratch_read("profile", &(size_t){0}), "nothing in the parent's");
}

static void say_something(void)
{
	col_log_warning("a word of the child");
	_exit(child_is_quiet() ? 0 : 1);
}

Test(child, one_that_has_nothing_to_record_says_so_in_its_log)
{
	become_recorded();
	cr_assert_eq(in_child(say_something), 0);
	cr_assert_eq(scratch_count("_f3.er/log.xml", "a word of the child"), 1);
	cr_assert_eq(scratch_count("log.xml", "a word of the child"), 0);
	cr_assert_null(scratch_read("_f3.er/overview", &(size_t){0}));
}

static void do_nothing(void)
{
}

static void is_not_recorded(void)
{
	_exit(col.is_recorded);
}

Test(child, who_is_not_followed_has_no_directory)
{
	become_recorded();
	cr_assert_eq(in_child(do_nothing), 0);
	cr_assert_neq(faccessat(col_founder_get(), "_f3.er", F_OK, 0), 0);
	col.is_followed = 0;
	cr_assert_eq(in_child(is_not_recorded), 0);
	col.is_followed = 1;
	strcpy(col.descriptor.follow, "=nothing_of_that_name");
	col.is_recorded = 0;
	cr_assert_eq(in_child(is_not_recorded), 0);
}

Test(child, one_whose_directory_cannot_be_made_is_not_recorded)
{
	become_recorded();
	strcpy(col.descriptor.step.lineage, "no/such/place");
	cr_assert_eq(in_child(say_something), 0);
	cr_assert_eq(scratch_count("log.xml", "a word of the child"), 0);
}
