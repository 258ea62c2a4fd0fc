/* Calls that are too deep or too short to be recorded. */
#include "libcollector/calls/functrace_limits.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/calls/functrace_record.h"

#include <criterion/criterion.h>
#include <string.h>

/* A writer with a made-up extent. */
static uint64_t words[512];
static struct functrace_writer writer;
static struct col_thread *thread;

static void setup(void)
{
	scratch_open();
	thread = thread_current();
	writer = (struct functrace_writer){.at = words, .end = words + 500, .thread = thread};
	words[0] = FDR_END_OF_BUFFER;
	functrace_self = &writer;
}

TestSuite(functrace_limits, .init = setup, .fini = scratch_remove);

static uint64_t word_of(enum fdr_action action, uint32_t function)
{
	return fdr_function_word(function, action, 0);
}

/* ---- depth: the outermost calls have the highest stack pointers ---- */

static void limit_depth(uint64_t depth)
{
	col.descriptor.functrace_depth = depth;
	cr_assert_eq(limits_start(0), 1);
	limits_prepare(&thread->functrace.nesting);
}

/* Must an entry, or an exit, be written? */
static int enters(uint32_t function, uint64_t sp, uint64_t site)
{
	return limits_record(word_of(FDR_ENTER, function), sp, site) == LIMITS_WRITE;
}

static int leaves(uint32_t function)
{
	return limits_record(word_of(FDR_EXIT, function), 0, 0) == LIMITS_WRITE;
}

Test(functrace_limits, calls_up_to_a_depth_are_recorded)
{
	limit_depth(2);
	for (int turn = 0; turn < 3; turn++) {
		cr_assert_eq(enters(1, 900, 5), 1);
		cr_assert_eq(enters(2, 800, 5), 1);
		cr_assert_eq(enters(3, 700, 5), 0);
		cr_assert_eq(enters(4, 600, 5), 0);
		cr_assert_eq(leaves(4), 0);
		cr_assert_eq(leaves(3), 0);
		cr_assert_eq(enters(3, 700, 5), 0);
		cr_assert_eq(leaves(3), 0);
		cr_assert_eq(leaves(2), 1);
		cr_assert_eq(enters(3, 800, 5), 1);
		cr_assert_eq(leaves(3), 1);
		cr_assert_eq(leaves(1), 1);
	}
	cr_assert_eq(thread->functrace.nesting.count, 0);
}

Test(functrace_limits, entries_with_arguments_are_entries_and_jumps_out_are_exits)
{
	limit_depth(1);
	cr_assert_eq(limits_record(word_of(FDR_ENTER_ARG, 1), 900, 5), LIMITS_WRITE);
	cr_assert_eq(limits_record(word_of(FDR_ENTER_ARG, 2), 800, 5), LIMITS_DONE);
	cr_assert_eq(limits_record(word_of(FDR_TAIL_EXIT, 2), 0, 0), LIMITS_DONE);
	cr_assert_eq(limits_record(word_of(FDR_TAIL_EXIT, 1), 0, 0), LIMITS_WRITE);
	cr_assert_eq(thread->functrace.nesting.count, 0);
}

/* The calls that a jump has left are below the call that begins now. */
Test(functrace_limits, calls_that_were_left_are_over)
{
	limit_depth(3);
	enters(1, 900, 5);
	enters(2, 800, 5);
	enters(3, 700, 5);
	cr_assert_eq(enters(4, 600, 5), 0);
	cr_assert_eq(enters(5, 850, 5), 1, "2, 3 and 4 were left");
	cr_assert_eq(thread->functrace.nesting.count, 2);
	cr_assert_eq(leaves(3), 0, "it is not open");
	cr_assert_eq(leaves(1), 1);
	cr_assert_eq(thread->functrace.nesting.count, 0);
}

/* Inlined functions have the stack pointer of the function that they are inlined into. */
Test(functrace_limits, calls_at_the_same_place_are_inlined_ones_unless_they_are_the_same)
{
	limit_depth(9);
	enters(1, 900, 5);
	enters(2, 900, 6);
	cr_assert_eq(thread->functrace.nesting.count, 2);
	enters(2, 900, 6);
	cr_assert_eq(thread->functrace.nesting.count, 2, "again: the one before was left");
	enters(2, 900, 7);
	cr_assert_eq(thread->functrace.nesting.count, 3, "from elsewhere");
	enters(1, 900, 5);
	cr_assert_eq(thread->functrace.nesting.count, 1, "and all in it");
	/* If sites are not known, no site counts as inlined. */
	enters(3, 900, 0);
	cr_assert_eq(thread->functrace.nesting.count, 1);
	enters(4, 899, 0);
	cr_assert_eq(thread->functrace.nesting.count, 2);
}

/* There is room for 1000 calls. */
Test(functrace_limits, calls_deeper_than_can_be_kept_are_counted)
{
	enum { ROOM = 1000 };

	limit_depth(5000);
	for (uint32_t i = 0; i < ROOM + 3; i++)
		cr_assert_eq(enters(i + 1, 100000 - i, 5), i < ROOM, "%u", i);
	cr_assert_eq(thread->functrace.nesting.count, ROOM);
	cr_assert_eq(thread->functrace.nesting.over, 3);
	for (uint32_t i = ROOM + 3; i-- > 0;)
		cr_assert_eq(leaves(i + 1), i < ROOM, "%u", i);
	for (uint32_t i = 0; i < ROOM + 3; i++)
		enters(i + 1, 100000 - i, 5);
	cr_assert_eq(enters(1, 100000, 5), 1, "all were left");
	cr_assert_eq(thread->functrace.nesting.over, 0);
	cr_assert_eq(leaves(1), 1);
}

Test(functrace_limits, a_handler_that_interrupts_records_everything)
{
	limit_depth(1);
	enters(1, 900, 5);
	thread->functrace.nesting.is_busy = 1;
	cr_assert_eq(enters(2, 800, 5), 1);
	cr_assert_eq(leaves(2), 1);
	thread->functrace.nesting.is_busy = 0;
	cr_assert_eq(enters(2, 800, 5), 0);
	writer.busy = 1;
	cr_assert_eq(enters(3, 950, 5), 1, "by functrace_interrupted");
	cr_assert_eq(writer.busy, 1);
}

Test(functrace_limits, a_thread_without_a_writer_gets_one_first)
{
	limit_depth(1);
	functrace_self = NULL;
	cr_assert_eq(limits_record(word_of(FDR_ENTER, 1), 900, 5), LIMITS_PREPARE);
	cr_assert_eq(thread->functrace.nesting.count, 0);
}

/* ---- short calls ---- */

static void limit_time(uint64_t min_ns, uint64_t hz, int has_ticks)
{
	col.descriptor.functrace_depth = 0;
	col.descriptor.functrace_min_ns = min_ns;
	col.descriptor.clock_hz = hz;
	limits_start(has_ticks);
}

static void put(uint64_t word, uint64_t delta)
{
	*writer.at++ = delta << 32 | word;
	*writer.at = FDR_END_OF_BUFFER;
	writer.last += delta;
}

static int is_erased(uint32_t function, uint64_t ticks)
{
	return limits_erase(&writer, word_of(FDR_EXIT, function), ticks);
}

Test(functrace_limits, nothing_is_limited_if_nothing_is_asked_for)
{
	col.descriptor.functrace_depth = col.descriptor.functrace_min_ns = 0;
	cr_assert_eq(limits_start(1), 0);
	col.descriptor.functrace_min_ns = 1;
	col.descriptor.clock_hz = 1000000000;
	cr_assert_eq(limits_start(1), 1);
}

Test(functrace_limits, a_short_call_is_taken_back)
{
	limit_time(1000, 2000000000, 1); /* 2000 ticks */
	writer.floor = words;
	writer.last = 5000;
	put(word_of(FDR_ENTER, 1), 100);
	put(word_of(FDR_ENTER, 2), 100);
	cr_assert_eq(is_erased(2, 5200 + 2000), 0, "long enough");
	cr_assert_eq(is_erased(3, 5300), 0, "another function's exit");
	cr_assert_eq(is_erased(2, 5200 + 1999), 1);
	cr_assert_eq(writer.at, words + 1);
	cr_assert_eq(words[1], FDR_END_OF_BUFFER);
	cr_assert_eq(words[2], 0);
	cr_assert_eq(writer.last, 5100);
	cr_assert_eq(writer.erased, 1);
	cr_assert_eq(is_erased(1, 5200), 1, "and so is the one around it");
	cr_assert_eq(writer.at, words);
	cr_assert_eq(words[0], FDR_END_OF_BUFFER);
	cr_assert_eq(words[1], 0);
	cr_assert_eq(writer.last, 5000);
	cr_assert_eq(is_erased(1, 5200), 0, "nothing is left");
	cr_assert_eq(writer.erased, 2);
}

Test(functrace_limits, only_entries_are_taken_back_by_their_exits)
{
	limit_time(1000, 2000000000, 1);
	writer.floor = words;
	put(word_of(FDR_EXIT, 1), 100);
	cr_assert_eq(is_erased(1, 150), 0);
	put(word_of(FDR_ENTER, 1), 100);
	cr_assert_eq(limits_erase(&writer, word_of(FDR_ENTER, 1), 250), 0);
	cr_assert_eq(limits_erase(&writer, word_of(FDR_TAIL_EXIT, 1), 250), 1);
	put(word_of(FDR_ENTER, 1), 100);
	writer.floor = writer.at;
	cr_assert_eq(is_erased(1, writer.last + 10), 0, "not from before the beginning");
	writer.floor = NULL;
	cr_assert_eq(is_erased(1, writer.last + 10), 0);
	writer.floor = words;
	limit_time(0, 2000000000, 1);
	cr_assert_eq(is_erased(1, writer.last + 10), 0);
}

/* An entry, and two words of its argument. */
Test(functrace_limits, an_entry_is_taken_back_with_its_argument)
{
	limit_time(1000, 2000000000, 1);
	writer.floor = words;
	writer.last = 5000;
	put(word_of(FDR_ENTER_ARG, 1), 100);
	*writer.at++ = (uint64_t)77 << 8 | FDR_CALL_ARGUMENT;
	*writer.at++ = LIMITS_ARGUMENT_TAG | 3;
	*writer.at = FDR_END_OF_BUFFER;
	cr_assert_eq(is_erased(1, 5200), 1);
	cr_assert_eq(writer.at, words);
	cr_assert_eq(words[0], FDR_END_OF_BUFFER);
	for (int i = 1; i < 4; i++)
		cr_assert_eq(words[i], 0);
	cr_assert_eq(writer.last, 5000);
	put(word_of(FDR_ENTER_ARG, 1), 100);
	*writer.at++ = (uint64_t)77 << 8 | FDR_CALL_ARGUMENT;
	*writer.at++ = LIMITS_ARGUMENT_TAG | 3;
	writer.floor = words + 1;
	cr_assert_eq(is_erased(1, 5200), 0);
}

/* The clock's rate may not divide evenly, and the time may be long. */
Test(functrace_limits, a_limit_of_time_is_told_in_ticks)
{
	limit_time(2500000001, 1000000007, 1);
	writer.floor = words;
	writer.last = 0;
	put(word_of(FDR_ENTER, 1), 0);
	/* 2 s + 0.5 s and a nanosecond, by a clock of 1000000007 Hz: 2500000018 ticks */
	cr_assert_eq(is_erased(1, 2500000018), 0);
	cr_assert_eq(is_erased(1, 2500000017), 1);
}

Test(functrace_limits, calls_are_written_here_where_the_clock_allows)
{
	uint32_t cpu, now_on;

	limit_time(1000000000000, 1000000000, 1);
	if (!arch_has_ticks_cpu())
		cr_skip_test("this processor does not tell the time with the CPU");
	writer.floor = words;
	do { /* repeat if the thread was moved to another CPU */
		writer.last = arch_ticks_cpu(&cpu);
		writer.cpu = cpu;
		writer.at = words;
		writer.erased = 0;
		memset(words, 0, sizeof(words));
		words[0] = FDR_END_OF_BUFFER;
		limits_record(word_of(FDR_ENTER, 1), 0, 0);
		limits_record(word_of(FDR_ENTER, 2), 0, 0);
		limits_record(word_of(FDR_EXIT, 2), 0, 0);
		arch_ticks_cpu(&now_on);
	} while (now_on != cpu);
	cr_assert_eq(writer.at, words + 1);
	cr_assert_eq((uint32_t)words[0], word_of(FDR_ENTER, 1));
	cr_assert_eq(words[1], FDR_END_OF_BUFFER);
	cr_assert_eq(writer.erased, 1);
	cr_assert_eq(writer.busy, 0);
	cr_assert_eq(limits_record(word_of(FDR_ENTER_ARG, 1), 0, 0), LIMITS_WRITE);
	writer.cpu = cpu + 1;
	cr_assert_eq(limits_record(word_of(FDR_ENTER, 1), 0, 0), LIMITS_WRITE, "another CPU");
	writer.cpu = cpu;
	writer.end = writer.at;
	cr_assert_eq(limits_record(word_of(FDR_ENTER, 1), 0, 0), LIMITS_WRITE, "no room");
	writer.end = words + 500;
	writer.last -= (uint64_t)1 << 32;
	cr_assert_eq(limits_record(word_of(FDR_ENTER, 1), 0, 0), LIMITS_WRITE, "long ago");
	limit_time(1000000000000, 1000000000, 0);
	writer.last = arch_ticks_cpu(&writer.cpu);
	cr_assert_eq(limits_record(word_of(FDR_ENTER, 1), 0, 0), LIMITS_WRITE,
	             "event time is another clock's");
}
