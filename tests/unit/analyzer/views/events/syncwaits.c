/* Tests of the list of the longest waits for synchronization. */
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 1, SECOND = 1000 * 1000 * 1000 };
static const uint64_t pcs[NODES] = {0x1000};
static const int parents[NODES] = {-1};
#define load load_one
#include "tests/unit/experiment/one_stream.h"

TestSuite(view_syncwaits, .init = set_up, .fini = tear_down);

/* A wait of 5 s, and one that began 9 s after the start and has not ended. */
static void make(const char *exit_event)
{
	struct fmt_sync_open open = {
		.kind = FMT_KIND_sync_open, .func = FMT_sync_func_SEM_WAIT, .stack = ids[0]};
	char text[256];

	(void)load_one;
	snprintf(text, sizeof(text), "<event kind=\"run\" time=\"%d\"/>%s", MAKER_START_TICKS,
	         exit_event);
	maker_log(&maker, text);
	fmt_u48_put(&open.object, 0x6000);
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + UINT64_C(9) * SECOND, FMT_sync_func_MUTEX_LOCK, 0x5000,
	           UINT64_C(5) * SECOND, 0, ids[0]);
	maker_event(&stream, t + UINT64_C(9) * SECOND + 500, &open, sizeof(open));
	maker_sync(&stream, t + UINT64_C(10) * SECOND, FMT_sync_func_MUTEX_LOCK, 0x5000, 5, 0,
	           ids[0]);
	maker_extent(&stream, 43, t, 4096);
	maker_event(&stream, t + UINT64_C(9) * SECOND, &open, sizeof(open));
	maker_stream_put(&maker, &stream, "synctrace");
}

/* Is the one that has not ended the first wait of the list? */
static int is_open_first(void)
{
	struct answer answer = answer_of(maker.path, "syncwaits");
	const char *first = strstr(answer.text, "Wait #1,"),
		   *second = strstr(answer.text, "Wait #2,");
	const char *open = strstr(answer.text, ", has not ended");

	cr_assert(first && second && open, "%s%s", answer.text, answer.messages);
	answer_fini(&answer);
	return open < second;
}

Test(view_syncwaits, what_has_not_ended_of_a_killed_process_comes_first)
{
	make("");
	cr_expect(is_open_first());
}

Test(view_syncwaits, of_a_process_that_has_ended_the_longest_comes_first)
{
	make("<event kind=\"exit\" time=\"11000000000\" code=\"0\"/>");
	cr_expect_not(is_open_first());
}

Test(view_syncwaits, who_waits_for_the_end_of_a_thread_comes_last)
{
	const char *text, *lock, *join;
	struct answer answer;

	maker_log(&maker, "<event kind=\"exit\" time=\"11000000000\" code=\"0\"/>");
	maker_extent(&stream, 42, t, 4096);
	maker_sync(&stream, t + UINT64_C(5) * SECOND, FMT_sync_func_JOIN, 0x7000,
	           UINT64_C(5) * SECOND, 0, ids[0]);
	maker_sync(&stream, t + UINT64_C(6) * SECOND, FMT_sync_func_MUTEX_LOCK, 0x5000, SECOND / 2,
	           0, ids[0]);
	maker_stream_put(&maker, &stream, "synctrace");
	answer = answer_of(maker.path, "syncwaits");
	text = answer.text;
	lock = strstr(text, "Wait #1, 0.500000");
	join = strstr(text, "Wait #2, 5.000000");
	cr_expect(lock && join && lock < join, "%s%s", text, answer.messages);
	answer_fini(&answer);
}
