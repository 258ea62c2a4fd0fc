/* Function traces: matching exits with entries, times, threads, buffers out of order, damage. */
#include "tests/unit/experiment/xray/one_trace.h"

TestSuite(functrace, .init = set_up, .fini = tear_down);

static const struct exp_call_function *function_at(const struct exp_data_set *set, uint64_t address)
{
	for (size_t i = 0; i < set->calls.function_count; i++)
		if (set->calls.functions[i].address == address)
			return &set->calls.functions[i];
	cr_assert_fail("no function at %#lx", (unsigned long)address);
	return NULL;
}

Test(functrace, sums_up_calls_and_paths)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	for (int i = 0; i < 3; i++) {
		enter(2, 5);
		leave(2, 20);
	}
	leave(1, 5);

	const struct exp_data_set *set = load();
	const struct exp_call_function *outer = function_at(set, 0x1000),
				       *inner = function_at(set, 0x2000);

	cr_assert_eq(set->have, EXP_DATA_FUNCTRACE);
	cr_assert_eq(set->quality.calls, 4);
	cr_assert_eq(set->calls.entries, 4);
	cr_assert_eq(set->calls.exits, 4);
	cr_assert_eq(outer->count, 1);
	cr_assert_eq(outer->total_ns, 80);
	cr_assert_eq(outer->self_ns, 20);
	cr_assert_eq(inner->count, 3);
	cr_assert_eq(inner->total_ns, 60);
	cr_assert_eq(inner->min_ns, 20);
	cr_assert_eq(inner->max_ns, 20);
	cr_assert_eq(inner->spread, 0);
	cr_assert_eq(experiment_quantile(&inner->ns, 0.5), 20);
	cr_assert_eq(set->nodes.count - set->nodes.traced, 2);
	cr_assert_eq(set->nodes.pc[set->nodes.traced + 1], 0x2000);
	cr_assert_eq(set->nodes.parent[set->nodes.traced + 1], set->nodes.traced);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_TRACE_CALLS, set->nodes.traced + 1), 3);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_TRACE_TIME, set->nodes.traced), 20);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(functrace, counts_recursion_once)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 0);
	enter(2, 10);
	enter(1, 10);
	leave(1, 10);
	leave(2, 10);
	leave(1, 10);

	const struct exp_call_function *function = function_at(load(), 0x1000);

	cr_assert_eq(function->count, 2);
	cr_assert_eq(function->total_ns, 50);
	cr_assert_eq(function->self_ns, 30);
	cr_assert_eq(function->sum_ns, 60);
}

Test(functrace, pairs_what_can_be_paired)
{
	maker_extent(&stream, 42, t, 4096);
	leave(9, 1); /* its entry was before the trace */
	enter(1, 10);
	enter(2, 10);
	enter(3, 10); /* these two are left by a jump */
	leave(1, 10);
	enter(4, 10); /* and this one does not return */
	enter(5, 10);
	put(fdr_function_word(5, FDR_TAIL_EXIT, 10));
	enter(6, 0);
	leave(6, 30);

	const struct exp_data_set *set = load();

	cr_assert_eq(set->calls.stray, 1);
	cr_assert_eq(set->calls.unwound, 2);
	cr_assert_eq(set->calls.open, 1);
	cr_assert_eq(function_at(set, 0x1000)->count, 1);
	cr_assert_eq(function_at(set, 0x1000)->total_ns, 30);
	cr_assert_eq(function_at(set, 0x2000)->count, 0);
	cr_assert_eq(function_at(set, 0x2000)->cut, 1);
	cr_assert_eq(function_at(set, 0x2000)->self_ns, 10);
	cr_assert_eq(function_at(set, 0x4000)->total_ns, 50);
	cr_assert_eq(function_at(set, 0x4000)->self_ns, 10);
	cr_assert_eq(function_at(set, 0x5000)->count, 1);
	cr_assert_eq(function_at(set, 0x9000)->count, 0);
}

Test(functrace, follows_cpus_wraps_arguments_and_beginnings)
{
	struct fmt_trace_begin begin = {.kind = FMT_KIND_trace_begin,
	                                .reason = FMT_trace_reason_RESUME};
	uint64_t words[2];

	maker_extent(&stream, 42, t, 4096);
	put(fdr_function_word(1, FDR_ENTER_ARG, 100));
	words[0] = FDR_CALL_ARGUMENT | (uint64_t)77 << 8;
	words[1] = 0;
	maker_words(&stream, words, 2);
	fdr_cpu_words(words, 3, t + 1000);
	maker_words(&stream, words, 2);
	enter(2, 0);
	fdr_wrap_words(words, t + 5000000000);
	maker_words(&stream, words, 2);
	leave(2, 0);
	leave(1, 0);
	enter(3, 0);
	maker_event(&stream, t + 5000000100, &begin, sizeof(begin));
	enter(1, 100);
	leave(1, 50);

	const struct exp_data_set *set = load();

	cr_assert_eq(set->calls.arguments, 1);
	cr_assert_eq(function_at(set, 0x1000)->count, 2);
	cr_assert_eq(function_at(set, 0x1000)->max_ns, 4999999900);
	cr_assert_eq(function_at(set, 0x1000)->min_ns, 50);
	cr_assert_eq(function_at(set, 0x2000)->total_ns, 4999999000);
	cr_assert_eq(function_at(set, 0x3000)->cut, 1);
	cr_assert_eq(set->calls.open, 1);
	cr_assert_eq(set->calls.stray, 0);
}

/* A thread that returns to an extent that it has left, with another thread after it. */
Test(functrace, takes_buffers_by_time)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	maker_successor(&stream, 42, t + 1000);
	leave(2, 10);
	leave(1, 10);
	maker_successor(&stream, 43, t + 2000);
	enter(3, 0);
	leave(3, 7);
	maker_extent(&stream, 42, t + 500, 4096);
	enter(2, 10);

	const struct exp_data_set *set = load();

	cr_assert_eq(set->calls.stray, 0);
	cr_assert_eq(set->calls.open, 0);
	cr_assert_eq(function_at(set, 0x2000)->total_ns, 500);
	cr_assert_eq(function_at(set, 0x1000)->total_ns, 1010);
	cr_assert_eq(function_at(set, 0x3000)->total_ns, 7);
	cr_assert_eq(set->calls.threads, 2);
}

Test(functrace, goes_on_behind_damage)
{
	maker_extent(&stream, 42, t, 4096);
	enter(1, 10);
	leave(1, 10);
	put(0x0000000000000008 | 5 << 1); /* no such action */
	enter(2, 10);
	maker_extent(&stream, 42, t + 500, 4096);
	enter(3, 10);
	leave(3, 10);

	const struct exp_data_set *set = load();

	cr_assert_eq(maker.warnings, 1);
	cr_assert_str_eq(maker.warning + strlen(maker.path),
	                 ": functrace: offset 96: not a record");
	cr_assert_eq(set->calls.entries, 2);
}

Test(functrace, lives_through_any_nesting)
{
	maker_extent(&stream, 42, t, 64 * 4096);
	for (uint32_t i = 0; i < 15000; i++)
		enter(1 + i % 8, 1);
	for (uint32_t i = 0; i < 10000; i++)
		leave(9, 1);

	const struct exp_data_set *set = load();

	cr_assert_eq(set->calls.stray, 10000);
	cr_assert_eq(set->calls.open, 15000);
}
