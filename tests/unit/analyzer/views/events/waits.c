/* Tests of the list of the longest waits, and of threads that wait for work all their life. */
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { FIRST, SECOND, NODES };
static const uint64_t pcs[NODES] = {0x1000, 0x2000};
static const int parents[NODES] = {-1, -1};
#define load load_one
#include "tests/unit/experiment/one_stream.h"

enum { MS = 1000000, MAIN = 42 };

static void log_until(const char *exit_event)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "<setting name=\"wall\" value=\"on\"/><event kind=\"run\" time=\"%d\"/>%s",
	         MAKER_START_TICKS, exit_event);
	maker_log(&maker, text);
}

static void begin(void)
{
	set_up();
	(void)load_one;
	log_until("<event kind=\"exit\" time=\"11000000000\" code=\"0\"/>");
	maker_extent(&stream, MAIN, t, 4096);
}

TestSuite(view_waits, .init = begin, .fini = tear_down);

static void wait_in(uint64_t end_ms, uint64_t ms, unsigned node, unsigned state, unsigned family,
                    unsigned func)
{
	struct fmt_wait record = {.kind = FMT_KIND_wait,
	                          .state = (uint8_t)state,
	                          .family = (uint8_t)family,
	                          .func = (uint8_t)func,
	                          .stack = ids[node],
	                          .span = ms * MS,
	                          .wait = ms * MS};

	maker_event(&stream, t + end_ms * MS, &record, sizeof(record));
}

static void wait_until(uint64_t end_ms, uint64_t ms, unsigned node)
{
	wait_in(end_ms, ms, node, FMT_wall_state_SLEEP, FMT_wait_family_CALL,
	        FMT_wait_func_NANOSLEEP);
}

static void join_until(uint64_t end_ms, uint64_t ms)
{
	wait_in(end_ms, ms, SECOND, FMT_wall_state_COND, FMT_wait_family_SYNC, FMT_sync_func_JOIN);
}

/* Another thread, which begins at `begin_ms`, and waits since then for what does not come. */
static void open_wait(uint32_t tid, uint64_t begin_ms, unsigned func, unsigned node)
{
	struct fmt_wait_open record = {.kind = FMT_KIND_wait_open,
	                               .state = FMT_wall_state_COND,
	                               .family = FMT_wait_family_SYNC,
	                               .func = (uint8_t)func,
	                               .stack = ids[node]};

	maker_extent(&stream, tid, t + begin_ms * MS, 4096);
	maker_event(&stream, t + begin_ms * MS, &record, sizeof(record));
}

static void expect(const char *commands, const char *const *parts)
{
	struct answer made;
	const char *text;

	maker_stream_put(&maker, &stream, "walltrace");
	made = answer_of(maker.path, commands);
	text = made.text;
	for (; *parts; parts++) {
		const char *found = strstr(text, *parts);

		cr_assert(found, "no '%s' (in this order) in\n%s%s", *parts, made.text,
		          made.messages);
		text = found + strlen(*parts);
	}
	cr_expect_eq(made.status, 0);
	answer_fini(&made);
}
#define EXPECT(commands, ...) expect(commands, (const char *[]){__VA_ARGS__, NULL})

Test(view_waits, the_longest_comes_first_and_of_equals_the_earlier)
{
	wait_until(100, 20, FIRST);
	wait_until(300, 30, SECOND);
	wait_until(500, 20, SECOND);
	EXPECT("waits", "Wait #1, sleep, 0.030000 (secs.), from 0.270000 to 0.300000",
	       "Wait #2, sleep, 0.020000 (secs.), from 0.080000 to 0.100000",
	       "Wait #3, sleep, 0.020000 (secs.), from 0.480000 to 0.500000");
}

Test(view_waits, the_limit_keeps_the_longest)
{
	wait_until(100, 20, FIRST);
	wait_until(300, 30, SECOND);
	EXPECT("limit 1\nprintmode csv\nwaits", ",sleep,0.030000000,0.030000000,0.300000000,");
}

Test(view_waits, idle_threads_are_lines_by_place_behind_the_others)
{
	wait_until(100, 20, FIRST);
	open_wait(51, 10, FMT_sync_func_COND_WAIT, FIRST);
	open_wait(52, 10, FMT_sync_func_COND_WAIT, SECOND);
	open_wait(53, 10, FMT_sync_func_COND_WAIT, FIRST);
	EXPECT("waits", "Wait #1, sleep, 0.020000",
	       "\n\nIdle: 3 threads, 29.970000 (secs.), each in one wait from its begin to the end\n"
	       "  3 in pthread_cond_wait");
}

Test(view_waits, what_has_not_ended_of_a_killed_process_comes_first)
{
	log_until("");
	wait_until(9000, 5000, FIRST);
	open_wait(51, 8500, FMT_sync_func_COND_WAIT, SECOND);
	EXPECT("waits", "Wait #1, cond, 0.500000", "Wait #2, sleep, 5.000000");
}

Test(view_waits, idle_threads_are_a_part_of_the_time_of_threads)
{
	wait_until(3000, 2000, FIRST);
	open_wait(51, 10, FMT_sync_func_COND_WAIT, FIRST);
	open_wait(52, 10, FMT_sync_func_COND_WAIT, SECOND);
	EXPECT("overview",
	       "Thread time 29.980 s = sleep 2.000 + other 8.000 + idle 19.980 (2 threads)\n");
}

Test(view_waits, of_threads_that_wait_for_a_thread_none_is_idle)
{
	open_wait(51, 10, FMT_sync_func_JOIN, FIRST);
	EXPECT("waits", "Wait #1, join, 9.990000 (secs.), from 0.010000 to 10.000000");
}

Test(view_waits, who_waits_for_the_end_of_a_thread_comes_last)
{
	join_until(5000, 4000);
	wait_until(5100, 20, FIRST);
	wait_in(5300, 30, FIRST, FMT_wall_state_CHILD, FMT_wait_family_CALL, FMT_wait_func_WAIT4);
	EXPECT("waits", "those for the end of a thread or process last", "Wait #1, child, 0.030000",
	       "Wait #2, sleep, 0.020000", "Wait #3, join, 4.000000");
}

Test(view_waits, of_a_killed_process_joins_come_last_among_what_has_not_ended)
{
	log_until("");
	wait_until(9000, 10, FIRST);
	open_wait(51, 8000, FMT_sync_func_JOIN, FIRST);
	open_wait(52, 8500, FMT_sync_func_COND_WAIT, SECOND);
	EXPECT("waits", "Wait #1, cond, 0.500000", "Wait #2, join, 1.000000",
	       "Wait #3, sleep, 0.010000");
}

Test(view_waits, the_overview_tells_joins_from_other_waits)
{
	join_until(5000, 4000);
	wait_until(9000, 2000, FIRST);
	EXPECT("overview", " s = join 4.000", " + sleep 2.000", "Blocked Time",
	       "Stalled Time                6.000 seconds",
	       "Sleep Time                  2.000 seconds",
	       "Most time without a CPU but for joins and children", "6.000  100.00 %  <Unknown>");
}
