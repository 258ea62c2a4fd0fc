/* The calls of one thread, one after the other: depth, times, cuts, arguments and events. */
#include "experiment/xray/trace.h"

#include "tests/unit/experiment/xray/one_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(trace, .init = set_up, .fini = tear_down);

/* A walk as text: "+function(depth)@time", "-function(depth)@time=duration", "/" for a cut. */
struct told {
	char text[512];
	const struct exp_calls *calls;
	int count, stop_at; /* number of the event that ends the walk; 0: none does */
};

static unsigned number_of(const struct told *told, const struct exp_trace_event *event)
{
	return (unsigned)(told->calls->functions[event->function].address / 0x1000);
}

static int on_event(void *context, const struct exp_trace_event *event)
{
	struct told *told = context;
	size_t len = strlen(told->text), room = sizeof(told->text) - len;
	char *at = told->text + len;
	int ns = (int)(event->time_s * 1e9 + 0.5);

	switch (event->type) {
	case EXP_TRACE_ENTER:
		snprintf(at, room, "+%u(%zu)@%d ", number_of(told, event), event->depth, ns);
		cr_expect_eq(event->duration_ns, 0);
		break;
	case EXP_TRACE_LEAVE:
	case EXP_TRACE_CUT:
		snprintf(at, room, "%s%u(%zu)@%d=%lu ", event->type == EXP_TRACE_CUT ? "/" : "-",
		         number_of(told, event), event->depth, ns, event->duration_ns);
		break;
	case EXP_TRACE_ARGUMENT:
		snprintf(at, room, "a%lu(%zu) ", event->argument, event->depth);
		break;
	case EXP_TRACE_EVENT:
		snprintf(at, room, "e%u:%.*s/%lu(%zu)@%d%s ", event->event_type, (int)event->size,
		         (const char *)event->bytes, event->whole, event->depth, ns,
		         event->is_typed ? "typed" : "");
		break;
	}
	return ++told->count == told->stop_at ? -EINTR : 0;
}

static int trace(uint32_t tid, struct told *told)
{
	told->calls = &load()->calls;
	return experiment_trace(experiment, tid, on_event, told);
}

static void says(uint32_t tid, const char *text)
{
	struct told told = {.stop_at = 0};

	cr_assert_eq(trace(tid, &told), 0);
	cr_expect_str_eq(told.text, text);
}

Test(trace, calls_have_depth_and_time)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	enter(2, 5);
	leave(2, 20);
	put(fdr_function_word(3, FDR_ENTER_ARG, 1));
	put(fdr_function_word(3, FDR_TAIL_EXIT, 2));
	leave(1, 5);
	says(42, "+1(0)@10 +2(1)@15 -2(1)@35=20 +3(1)@36 -3(1)@38=2 -1(0)@43=33 ");
}

Test(trace, an_exit_ends_the_calls_inside_of_its_own)
{
	maker_extent(&stream, 42, t, 4096);
	leave(9, 1);
	enter(1, 1);
	enter(2, 1);
	enter(3, 1);
	leave(9, 1);
	leave(1, 1);
	enter(4, 1);
	says(42, "+1(0)@2 +2(1)@3 +3(2)@4 /3(2)@6=2 /2(1)@6=3 -1(0)@6=4 +4(0)@7 /4(0)@7=0 ");
}

/* Open calls are left at the thread's own last call. */
Test(trace, is_of_one_thread)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	maker_successor(&stream, 43, t + 1000);
	enter(2, 0);
	leave(2, 7);
	maker_extent(&stream, 42, t + 500, 4096);
	enter(2, 10);
	maker_extent(&stream, 44, t + 2000, 4096);
	enter(3, 10);
	says(42, "+1(0)@10 +2(1)@510 /2(1)@510=0 /1(0)@510=500 ");
	struct told told = {.stop_at = 0};

	cr_expect_eq(experiment_trace(experiment, 45, on_event, &told), 0);
	cr_expect_str_eq(told.text, "");
}

Test(trace, threads_come_in_order_of_their_first_calls)
{
	uint32_t *threads;
	size_t count;

	maker_extent(&stream, 44, t + 100, 4096);
	enter(1, 10);
	maker_extent(&stream, 42, t + 50, 4096);
	enter(1, 10);
	maker_extent(&stream, 44, t + 500, 4096);
	leave(1, 10);
	load();
	cr_assert_eq(experiment_trace_threads(experiment, &threads, &count), 0);
	cr_assert_eq(count, 2);
	cr_expect_eq(threads[0], 42);
	cr_expect_eq(threads[1], 44);
	free(threads);
}

/* Times of calls are added up separately: an event between two of them has its own time. A
 * program's event with `size` bytes, of which `has` are there. */
static void traced_event(uint64_t tsc, unsigned form, const char *bytes, uint32_t size, size_t has)
{
	struct fmt_traced_event header = {.kind = FMT_KIND_traced_event,
	                                  .form = (uint8_t)form,
	                                  .type = 7,
	                                  .size = size,
	                                  .whole = 99};
	char payload[sizeof(header) + 16] = "";

	memcpy(payload, &header, sizeof(header));
	memcpy(payload + sizeof(header), bytes, strlen(bytes));
	maker_event(&stream, tsc, payload, sizeof(header) + has);
}

Test(trace, arguments_and_events_stand_where_they_happened)
{
	const uint64_t argument[2] = {FDR_CALL_ARGUMENT | (uint64_t)77 << 8, 0};

	maker_extent(&stream, 42, t, 8192);
	put(fdr_function_word(1, FDR_ENTER_ARG, 10));
	maker_words(&stream, argument, 2);
	traced_event(t + 15, FMT_traced_form_TYPED, "typed", 5, 16);
	traced_event(t + 16, FMT_traced_form_CUSTOM, "sixteen letters.", 16, 16);
	traced_event(t + 17, FMT_traced_form_CUSTOM, "too long", 17, 16);
	leave(1, 10);
	maker_extent(&stream, 43, t + 100, 8192);
	put(fdr_function_word(1, FDR_ENTER_ARG, 10));
	maker_words(&stream, argument, 2);
	traced_event(t + 115, FMT_traced_form_TYPED, "typed", 5, 16);
	says(42,
	     "+1(0)@10 a77(1) e7:typed/99(1)@15typed e7:sixteen letters./99(1)@16 -1(0)@20=10 ");
}

/* Bytes of the program as an event, followed by `padding` zeros. */
static void own_event(uint64_t tsc, const char *bytes, unsigned own)
{
	char payload[16] = "";
	size_t at;

	memcpy(payload, bytes, strlen(bytes));
	maker_event(&stream, tsc, payload, fdr_payload_size(strlen(bytes)));
	at = stream.at - fdr_payload_size(strlen(bytes));
	fdr_own_put(stream.bytes + at, own);
}

/* The description of an event, if any, comes before its bytes. */
Test(trace, bytes_of_events_are_events_of_their_own)
{
	maker_extent(&stream, 42, t, 8192);
	enter(1, 10);
	own_event(t + 11, "hello", FDR_OWN_BYTES | 3);
	own_event(t + 12, "r eight!", FDR_OWN_BYTES);
	traced_event(t + 13, FMT_traced_form_TYPED, "", 3, 0);
	own_event(t + 13, "abc", FDR_OWN_BYTES | 5);
	own_event(t + 14, "left", FDR_OWN_UNFINISHED);
	traced_event(t + 15, FMT_traced_form_TYPED, "", 4, 0);
	own_event(t + 15, "abc", FDR_OWN_BYTES | 5);
	traced_event(t + 16, FMT_traced_form_TYPED, "", 0, 0);
	leave(1, 10);
	says(42,
	     "+1(0)@10 e0:hello/5(1)@11 e0:r eight!/8(1)@12 e7:abc/99(1)@13typed e7:/99(1)@16typed -1(0)@20=10 ");
}

Test(trace, nothing_is_open_where_tracing_begins_again)
{
	struct fmt_trace_begin begin = {.kind = FMT_KIND_trace_begin,
	                                .reason = FMT_trace_reason_RESUME};

	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	enter(2, 10);
	maker_event(&stream, t + 100, &begin, sizeof(begin));
	leave(1, 10);
	enter(3, 10);
	maker_extent(&stream, 43, t + 200, 4096);
	maker_event(&stream, t + 210, &begin, sizeof(begin));
	maker_extent(&stream, 42, t + 300, 4096);
	leave(3, 10);
	says(42, "+1(0)@10 +2(1)@20 /2(1)@20=0 /1(0)@20=10 +3(0)@40 -3(0)@310=270 ");
}

Test(trace, ends_where_it_is_told_to)
{
	static const char *const texts[] = {"", "+1(0)@10 ", "+1(0)@10 a77(1) ",
	                                    "+1(0)@10 a77(1) e7:x/99(1)@15 "};
	const uint64_t argument[2] = {FDR_CALL_ARGUMENT | (uint64_t)77 << 8, 0};

	maker_extent(&stream, 42, t, 4096);
	put(fdr_function_word(1, FDR_ENTER_ARG, 10));
	maker_words(&stream, argument, 2);
	traced_event(t + 15, FMT_traced_form_CUSTOM, "x", 1, 16);
	leave(1, 10);
	const struct exp_calls *calls = &load()->calls;

	for (int last = 1; last <= 3; last++) {
		struct told told = {.calls = calls, .stop_at = last};

		cr_expect_eq(experiment_trace(experiment, 42, on_event, &told), -EINTR);
		cr_expect_str_eq(told.text, texts[last]);
	}
}

Test(trace, an_experiment_without_a_trace_has_no_threads)
{
	const struct exp_data_set *set;
	struct exp_cause cause;
	uint32_t *threads;
	size_t count = 1;

	free(stream.bytes);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(experiment_trace(experiment, 42, on_event, NULL), -ENOENT);
	cr_assert_eq(experiment_trace_threads(experiment, &threads, &count), 0);
	cr_expect_eq(count, 0);
	free(threads);
}
