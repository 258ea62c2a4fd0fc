/* Tests of the tables of pieces of time, and of what is said where their length is wrong. */
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

enum { NODES = 1, MS = 1000000 };
static const uint64_t pcs[NODES] = {0x1000};
static const int parents[NODES] = {-1};
#define load load_one
#include "tests/unit/experiment/one_stream.h"

/* 10 ms of CPU time each, but for the last one's 30 ms. */
static void begin(void)
{
	static const uint64_t at_ms[] = {5, 95, 105, 1999, 2000};

	set_up();
	(void)load_one;
	maker_extent(&stream, 42, t, 4096);
	for (unsigned i = 0; i < 5; i++)
		maker_clock(&stream, t + at_ms[i] * MS, FMT_clock_state_USER,
		            (i < 4 ? 10 : 30) * MS, ids[0]);
	maker_stream_put(&maker, &stream, "profile");
}

TestSuite(view_index, .init = begin, .fini = tear_down);

static void expect(const char *line, const char *rows)
{
	char lines[128] = "printmode csv\nlimit 0\nmetrics e.totalcpu\nsort name\n";
	struct answer made = answer_of(maker.path, strcat(lines, line));
	const char *text = strstr(made.text, "e.totalcpu\n");

	cr_expect(text && strcmp(text + strlen("e.totalcpu\n"), rows) == 0, "%s: %s%s", line,
	          made.text, made.messages);
	cr_expect_eq(made.status, 0);
	cr_expect_str_empty(made.messages);
	answer_fini(&made);
}

Test(view_index, pieces_begin_at_multiples_of_their_length)
{
	expect("seconds", "<Total>,0.070000000\nSecond 0,0.030000000\nSecond 1,0.010000000\n"
	                  "Second 2,0.030000000\n");
	expect("seconds -grain 100ms",
	       "<Total>,0.070000000\n0.0 to 0.1 s,0.020000000\n0.1 to 0.2 s,0.010000000\n"
	       "1.9 to 2.0 s,0.010000000\n2.0 to 2.1 s,0.030000000\n");
	expect("seconds -grain 2s",
	       "<Total>,0.070000000\n0 to 2 s,0.040000000\n2 to 4 s,0.030000000\n");
	expect("seconds -grain 100ms 0-1",
	       "<Total>,0.030000000\n0.0 to 0.1 s,0.020000000\n0.1 to 0.2 s,0.010000000\n");
}

static void refuse(const char *line, const char *message)
{
	struct answer made = answer_of(maker.path, line);

	cr_expect_str_eq(made.messages, message);
	cr_expect_neq(made.status, 0);
	answer_fini(&made);
}

Test(view_index, a_length_must_be_one)
{
	refuse("seconds -grain",
	       "xer_print: seconds: -grain needs a length of time, such as 10ms\n");
	refuse("seconds -grain 0",
	       "xer_print: seconds: -grain 0: a length of a nanosecond or more expected\n");
	refuse("seconds -grain 10parsecs",
	       "xer_print: seconds: -grain 10parsecs: nothing more expected behind the length\n");
}
