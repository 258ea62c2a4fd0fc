/* When events are recorded: by time, by pauses, until they are stopped; with made-up sources. */
#include "libcollector/recording.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What the sources were called with, in order. */
static char told[400];

static void tell(const char *what)
{
	strcat(strcat(told, what), " ");
}

static void open_heap(void)
{
	tell("open");
}

static void start_heap(void)
{
	tell("start");
}

static void pause_heap(void)
{
	tell("pause");
}

static void stop_heap(void)
{
	tell("stop");
}

static void account(struct col_thread *thread, struct col_thread *writer, enum col_context context)
{
	tell(thread == writer && context == COL_HANDLER ? "account" : "?");
}

static void pass(struct col_thread *thread)
{
	tell(thread == thread_current() ? "pass" : "?");
}

static int error_of_prepare;

static int prepare(void)
{
	tell("prepare");
	return error_of_prepare;
}

/* The heap has functions, the clock has none, and synchronization is not wanted. */
static const struct source made[] = {
	{.id = SOURCE_HEAP,
         .setting = offsetof(struct descriptor, heap),
         .open = open_heap,
         .start = start_heap,
         .pause = pause_heap,
         .stop = stop_heap,
         .prepare = prepare,
         .thread_account = account,
         .thread_pass = pass},
	{.id = SOURCE_CLOCK,
         .setting = offsetof(struct descriptor, profile_us),
         .prepare = prepare,
         .is_last = 1},
	{.id = SOURCE_SYNC, .setting = offsetof(struct descriptor, sync_kinds), .open = stop_heap},
};

static struct col_thread *self;

static void setup(void)
{
	scratch_open();
	self = thread_current();
	scratch_host(made, 3);
	col.descriptor.heap = 1;
	col.descriptor.profile_us = 1000;
	col.descriptor.start_ticks = col_ticks();
	col.descriptor.clock_hz = 1000; /* ticks are "milliseconds" */
}

TestSuite(recording, .init = setup, .fini = scratch_remove);

static void were_told(const char *expected)
{
	cr_assert_str_eq(told, expected);
	told[0] = '\0';
}

static int events(const char *kind)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " <event kind=\"%s\" time=\"", kind);
	return scratch_count("log.xml", wanted);
}

Test(recording, sources_that_are_wanted_begin)
{
	recording_open();
	were_told("open start ");
	cr_assert_eq(col_on(SOURCE_CLOCK), 1);
	cr_assert_eq(col_on(SOURCE_SYNC), 0);
	cr_assert_eq(events("pause"), 0);
	recording_check();
	recording_restart();
	were_told("start ");
}

Test(recording, pauses_are_told_once)
{
	recording_open();
	told[0] = '\0';
	recording_pause(self);
	were_told("account pause ");
	cr_assert_eq(col_on(SOURCE_CLOCK), 0);
	cr_assert_eq(col.descriptor.step.paused, 1);
	recording_pause(self);
	were_told("");
	cr_assert_eq(events("pause"), 1);
	cr_assert_eq(scratch_count("log.xml", "\" cpu_ns=\""), 1);
	recording_resume(self);
	were_told("pass start ");
	cr_assert_eq(col_on(SOURCE_CLOCK), 1);
	cr_assert_eq(col.descriptor.step.paused, 0);
	recording_resume(self);
	were_told("");
	cr_assert_eq(events("resume"), 1);
	recording_toggle(self);
	were_told("account pause ");
	recording_toggle(self);
	were_told("pass start ");
	cr_assert_eq(events("pause"), 2);
	cr_assert_eq(events("resume"), 2);
}

/* The program was paused when it executed this one. */
Test(recording, a_pause_goes_on_in_the_next_program)
{
	col.descriptor.step.paused = 1;
	recording_open();
	were_told("open pause ");
	cr_assert_eq(events("pause"), 1);
	recording_resume(self);
	were_told("pass start ");
}

Test(recording, what_has_stopped_does_not_begin_again)
{
	recording_open();
	told[0] = '\0';
	recording_stop("the disk is full");
	were_told("stop ");
	cr_assert_eq(events("pause"), 1);
	cr_assert_eq(scratch_count("log.xml", " text=\"the disk is full\"/>"), 1);
	cr_assert_eq(atomic_load(&col.events_stopped), 1);
	recording_stop("again");
	were_told("");
	cr_assert_eq(events("warning"), 1);
	recording_pause(self);
	recording_resume(self);
	were_told("account pass ");
	cr_assert_eq(col_on(SOURCE_CLOCK), 0);
	recording_stop(NULL);
	cr_assert_eq(events("warning"), 1);
}

Test(recording, a_stop_in_a_pause_is_no_second_one)
{
	recording_open();
	recording_pause(self);
	told[0] = '\0';
	recording_stop(NULL);
	were_told("stop ");
	cr_assert_eq(events("pause"), 1);
}

/* ---- time ranges of this clock; some are over already */

Test(recording, events_begin_when_it_is_time)
{
	unsigned epoch = atomic_load(&col.epoch);

	col.descriptor.from_ms = (uint64_t)1 << 50;
	recording_open();
	were_told("open ");
	cr_assert_eq(events("pause"), 1);
	recording_check();
	were_told("");
	recording_pause(self);
	were_told("account ");
	recording_resume(self);
	were_told("pass ");
	cr_assert_eq(events("pause") + events("resume"), 1);
	col.descriptor.from_ms = 1;
	recording_open();
	told[0] = '\0';
	recording_check();
	were_told("start ");
	cr_assert_eq(events("resume"), 1);
	cr_assert_eq(atomic_load(&col.epoch), epoch + 1);
	recording_check();
	were_told("");
}

Test(recording, a_pause_outlasts_the_beginning)
{
	col.descriptor.from_ms = 1;
	recording_open();
	recording_pause(self);
	told[0] = '\0';
	recording_check();
	were_told("pause ");
	cr_assert_eq(events("resume"), 0);
	recording_resume(self);
	were_told("pass start ");
}

Test(recording, events_end_when_it_is_time)
{
	col.descriptor.to_ms = (uint64_t)1 << 50;
	recording_open();
	told[0] = '\0';
	recording_check();
	were_told("");
	col.descriptor.to_ms = 1;
	recording_open();
	told[0] = '\0';
	recording_check();
	were_told("stop ");
	cr_assert_eq(events("pause"), 1);
	cr_assert_eq(events("warning"), 0);
	recording_check();
	recording_pause(self);
	recording_resume(self);
	were_told("account pass ");
}

/* ---- the table itself */

Test(recording, some_sources_stop_early)
{
	sources_start();
	told[0] = '\0';
	sources_stop_early();
	were_told("stop ");
	cr_assert_eq(col_on(SOURCE_CLOCK), 1, "the last one goes on");
	sources_stop();
	cr_assert_eq(col_on(SOURCE_CLOCK), 0);
	cr_assert_eq(sources_are_interrupted(), 0);
}

Test(recording, what_cannot_be_prepared_ends_the_preparation)
{
	cr_assert_eq(sources_prepare(), 0);
	were_told("prepare prepare ");
	error_of_prepare = -ENOMEM;
	cr_assert_eq(sources_prepare(), -ENOMEM);
	were_told("prepare ");
}
