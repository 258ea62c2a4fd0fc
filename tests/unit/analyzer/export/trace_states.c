/* Unit tests of analyzer/export/trace_states.c: which states threads are in, when. */
#include "analyzer/export/trace.h"

#include "format/record.h"
#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static char *text;
static size_t size;
static FILE *out;

static void put(void *context, uint64_t tid, uint64_t begin_ns, uint64_t end_ns, unsigned state)
{
	cr_assert_eq(context, &text);
	fprintf(out, "%llu %s %llu-%llu\n", (unsigned long long)tid,
	        fmt_enum_name("wall_state", state), (unsigned long long)begin_ns,
	        (unsigned long long)end_ns);
}

static struct trace_states *begin(void)
{
	out = memory_stream(&text, &size);
	return trace_states_create(put, &text);
}

static void expect(struct trace_states *states, const char *expected)
{
	trace_states_destroy(states);
	memory_stream_end(out, &text);
	cr_assert_str_eq(text, expected);
	free(text);
}

Test(trace_states, waits_in_waits_divide_them)
{
	struct trace_states *states = begin();

	trace_states_wait(states, 5, 300, 400, FMT_wall_state_LOCK);
	trace_states_wait(states, 5, 100, 900, FMT_wall_state_POLL);
	trace_states_wait(states, 5, 1000, 1100, FMT_wall_state_SLEEP);
	trace_states_wait(states, 5, 2000, 2000, FMT_wall_state_SLEEP);
	expect(states, "5 poll 100-300\n5 lock 300-400\n5 poll 400-900\n5 sleep 1000-1100\n");
}

Test(trace_states, cpu_time_is_before_its_sample_where_no_wait_is)
{
	struct trace_states *states = begin();

	trace_states_wait(states, 5, 1000, 5000, FMT_wall_state_SLEEP);
	trace_states_sample(states, 5, 5200, 500, FMT_wall_state_USER);
	expect(states, "5 user 700-1000\n5 sleep 1000-5000\n5 user 5000-5200\n");
}

Test(trace_states, samples_have_no_more_than_the_time_since_the_last)
{
	struct trace_states *states = begin();

	trace_states_sample(states, 5, 1000, 400, FMT_wall_state_USER);
	trace_states_sample(states, 5, 1200, 400, FMT_wall_state_SYSTEM);
	expect(states, "5 user 600-1000\n5 system 1000-1200\n");
}

Test(trace_states, samples_that_follow_each_other_are_one_piece)
{
	struct trace_states *states = begin();

	trace_states_sample(states, 5, 1000, 400, FMT_wall_state_USER);
	trace_states_sample(states, 5, 1400, 390, FMT_wall_state_USER);
	trace_states_sample(states, 5, 2000, 400, FMT_wall_state_USER);
	trace_states_sample(states, 6, 2000, 0, FMT_wall_state_USER);
	expect(states, "5 user 600-1400\n5 user 1600-2000\n");
}

Test(trace_states, a_short_wait_is_not_run_over)
{
	struct trace_states *states = begin();

	trace_states_wait(states, 5, 1000, 1010, FMT_wall_state_FILE);
	trace_states_sample(states, 5, 1000, 400, FMT_wall_state_USER);
	trace_states_sample(states, 5, 1410, 400, FMT_wall_state_USER);
	expect(states, "5 user 600-1000\n5 file 1000-1010\n5 user 1010-1410\n");
}

Test(trace_states, threads_are_told_apart)
{
	struct trace_states *states = begin();

	trace_states_wait(states, 5, 100, 200, FMT_wall_state_LOCK);
	trace_states_wait(states, 6, 100, 200, FMT_wall_state_COND);
	expect(states, "5 lock 100-200\n6 cond 100-200\n");
}
