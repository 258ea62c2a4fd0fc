/* Function traces buffer by buffer: each record is passed to its sink once, ordered by the
 * beginnings of the buffers. */
#include "tests/unit/experiment/xray/words_sink.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct maker_stream made;
static struct experiment *experiment;
static struct exp_stream stream;

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&made);
}

static void tear_down(void)
{
	exp_stream_close(&stream);
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(functrace_walk, .init = set_up, .fini = tear_down);

static void enter(uint32_t function, uint32_t delta)
{
	uint64_t word = fdr_function_word(function, FDR_ENTER, delta);

	maker_words(&made, &word, 1);
}

static void leave(uint32_t function, uint32_t delta)
{
	uint64_t word = fdr_function_word(function, FDR_EXIT, delta);

	maker_words(&made, &word, 1);
}

static int walk(void)
{
	struct exp_cause cause;

	maker_stream_put(&maker, &made, "functrace");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(exp_stream_open(experiment, "functrace", &stream), 0);
	return functrace_walk(&stream, &sink);
}

Test(functrace_walk, times_of_words_add_up_from_the_buffers_time)
{
	maker_extent(&made, 7, t + 100, 4096);
	enter(1, 5);
	enter(2, 10);
	leave(2, 20);
	leave(1, 0);
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(told, "[7@100] +1@105 +2@115 -2@135 -1@135");
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(functrace_walk, events_and_functions_come_as_they_stand)
{
	uint64_t payload[3] = {0x21};

	maker_extent(&made, 7, t, 4096);
	enter(1, 1);
	maker_event(&made, t + 9, payload, sizeof(payload));
	leave(1, 2);
	maker_event(&made, t + 11, payload, 8);
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(told, "[7@0] +1@1 e33:24@9 -1@3 e33:8@11");
}

Test(functrace_walk, buffers_come_in_order_of_their_beginnings)
{
	static const uint64_t at[] = {50, 10, 40, 20, 60, 30, 10};

	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		maker_extent(&made, i + 1, t + at[i], 4096);
		enter(i + 1, 1);
	}
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(
		told,
		"[2@10] +2@11[7@10] +7@11[4@20] +4@21[6@30] +6@31[3@40] +3@41[1@50] +1@51[5@60] +5@61");
}

/* A thread continues in another extent, and then again in the first one. */
Test(functrace_walk, buffers_of_one_extent_are_walked_when_they_are_due)
{
	maker_extent(&made, 1, t, 4096);
	enter(1, 1);
	maker_successor(&made, 1, t + 20);
	enter(3, 1);
	maker_extent(&made, 1, t + 10, 4096);
	enter(2, 1);
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(told, "[1@0] +1@1[1@10] +2@11[1@20] +3@21");
}

Test(functrace_walk, a_few_unused_words_may_lie_between_buffers)
{
	for (unsigned holes = 0; holes < 6; holes++) {
		if (holes > 0) {
			tear_down();
			set_up();
			told[0] = '\0';
		}
		maker_extent(&made, 1, t, 4096);
		enter(1, 1);
		made.at += holes * sizeof(uint64_t);
		fdr_end_put(made.bytes + made.at - holes * sizeof(uint64_t));
		maker_successor(&made, 2, t + 20);
		enter(3, 1);
		cr_assert_eq(walk(), 0);
		cr_expect_str_eq(told, holes < 4 ? "[1@0] +1@1[2@20] +3@21" : "[1@0] +1@1",
		                 "%u: %s", holes, told);
	}
}

Test(functrace_walk, more_than_a_chunk_comes_whole)
{
	enum { EVENTS = 60000 };
	unsigned found = 0;

	maker_extent(&made, 1, t, (size_t)EVENTS * 8 / 4096 * 4096 + 8192);
	for (unsigned i = 0; i < EVENTS; i++)
		enter(i & 0xff, 1);
	cr_assert_eq(walk(), 0);
	for (const char *at = told; (at = strchr(at, '+')); at++)
		found++;
	cr_expect_eq(calls, EVENTS + 1);
	cr_expect_gt(found, 100);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(functrace_walk, what_is_no_record_is_told_and_ends_its_buffer)
{
	char text[128];
	size_t bad;

	maker_extent(&made, 1, t, 4096);
	enter(1, 1);
	bad = made.at;
	memset(made.bytes + bad, 0xff, 16);
	maker_extent(&made, 2, t + 50, 4096);
	enter(2, 1);
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(told, "[1@0] +1@1[2@50] +2@51");
	snprintf(text, sizeof(text), "functrace: offset %zu: not a record", bad);
	cr_expect(strstr(maker.warning, text), "%s", maker.warning);
	cr_expect_eq(maker.warnings, 1);
}

Test(functrace_walk, the_sink_ends_the_walk)
{
	static const struct {
		int stop_at, rc;
		const char *told;
	} rows[] = {
		{1, -EINTR, "[1@0]"},
		{2, -ECANCELED, "[1@0] +1@1"},
		{3, -EINTR, "[1@0] +1@1 e33:8@9"},
		{4, -EINTR, "[1@0] +1@1 e33:8@9[2@50]"},
	};
	uint64_t payload = 0x21;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (i > 0) {
			tear_down();
			set_up();
			told[0] = '\0';
			calls = 0;
		}
		stop_at = rows[i].stop_at;
		maker_extent(&made, 1, t, 4096);
		enter(1, 1);
		maker_event(&made, t + 9, &payload, sizeof(payload));
		maker_extent(&made, 2, t + 50, 4096);
		enter(2, 1);
		cr_expect_eq(walk(), rows[i].rc, "row %zu", i);
		cr_expect_str_eq(told, rows[i].told, "row %zu: %s", i, told);
		cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
	}
}

Test(functrace_walk, arguments_and_times_of_processors_are_records_too)
{
	uint8_t argument[16] = {FDR_CALL_ARGUMENT, 42}, cpu[16] = {FDR_NEW_CPU};
	uint64_t later = t + 1000;

	memcpy(cpu + 3, &later, sizeof(later));
	maker_extent(&made, 1, t, 4096);
	enter(1, 1);
	maker_words(&made, (const uint64_t *)argument, 2);
	maker_words(&made, (const uint64_t *)cpu, 2);
	leave(1, 5);
	cr_assert_eq(walk(), 0);
	cr_expect_str_eq(told, "[1@0] +1@1 a42 -1@1005");
}
