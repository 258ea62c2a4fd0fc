/* Heap events: matching frees with allocations across threads, leaks, peak, lost events. */
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
static const int parents[] = {-1, 0, 0};

static const struct exp_data_set *load(struct maker *maker, struct experiment **experiment)
{
	struct exp_cause cause;
	const struct exp_data_set *set;

	cr_assert_eq(maker_open(maker, experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(*experiment, &set), 0);
	return set;
}

Test(heap, pairs_frees_with_allocations_and_credits_leaks)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	uint32_t ids[3];
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 10, 0x5000, 100, ids[1]);
	maker_alloc(&stream, t + 20, 0x6000, 50, ids[2]);
	maker_free(&stream, t + 30, 0x5000);
	maker_free(&stream, t + 40, 0x9999);
	maker_alloc(&stream, t + 50, 0x5000, 7, ids[2]);
	maker_alloc(&stream, t + 60, 0x5000, 9, 0);
	maker_stream_put(&maker, &stream, "heaptrace");

	const struct exp_data_set *set = load(&maker, &experiment);

	cr_assert_eq(set->nodes.count, 3);
	cr_assert_eq(set->nodes.parent[1], 0);
	cr_assert_eq(set->heap.allocs, 4);
	cr_assert_eq(set->heap.frees, 2);
	cr_assert_eq(set->heap.unmatched_frees, 1);
	cr_assert_eq(set->heap.lost_frees, 1);
	cr_assert_eq(set->heap.leaks, 2);
	cr_assert_eq(set->heap.leak_bytes, 59);
	cr_assert_eq(set->heap.peak_bytes, 150);
	cr_assert_float_eq(set->heap.peak_time_s, 20e-9, 1e-12);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_LEAK_BYTES, 2), 50);
	cr_assert_eq(set->heap.temps, 0);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_PEAK_BYTES, 1), 100);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_PEAK_COUNT, 1), 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_PEAK_BYTES, 2), 50);
	cr_assert_eq(set->nodes.no_stack[EXP_PEAK_BYTES], 0);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_ALLOC_BYTES, 1), 100);
	cr_assert_eq(set->nodes.no_stack[EXP_LEAK_BYTES], 9);
	cr_assert_eq(set->quality.heap_events, 6);
	cr_assert_eq(set->heap.smallest, 7);
	cr_assert_eq(set->heap.size_count[7], 1);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(heap, what_the_next_call_of_the_thread_frees_was_temporary)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	uint32_t ids[3];
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, t, 4096);
	maker_alloc(&stream, t + 10, 0x5000, 16, ids[1]);
	maker_free(&stream, t + 30, 0x5000); /* though thread 2 allocated in between */
	maker_alloc(&stream, t + 40, 0x5000, 16, ids[1]);
	maker_alloc(&stream, t + 50, 0x7000, 16, ids[1]);
	maker_free(&stream, t + 60, 0x5000); /* not the latest */
	maker_alloc(&stream, t + 70, 0x8000, 16, ids[2]);
	maker_extent(&stream, 2, t, 4096);
	maker_alloc(&stream, t + 20, 0x6000, 16, ids[2]);
	maker_free(&stream, t + 80, 0x7000); /* another thread's */
	maker_extent(&stream, 1, t + 90, 4096);
	maker_free(&stream, t + 90, 0x8000); /* in the thread's next extent */
	maker_free(&stream, t + 100, 0x6000);
	maker_stream_put(&maker, &stream, "heaptrace");

	const struct exp_data_set *set = load(&maker, &experiment);

	cr_assert_eq(set->heap.temps, 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_TEMP_COUNT, 1), 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_TEMP_COUNT, 2), 1);
	cr_assert_eq(set->heap.leaks, 0);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(heap, merges_threads_by_time)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	uint32_t ids[3];
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	/* Thread 2 frees what thread 1 allocates, again and again at one address; its extent comes
	 * first. */
	maker_extent(&stream, 2, t, 8 * 4096);
	for (uint64_t i = 0; i < 500; i++)
		maker_free(&stream, t + 20 * i + 10, 0x5000);
	maker_extent(&stream, 1, t, 4 * 4096);
	for (uint64_t i = 0; i < 250; i++)
		maker_alloc(&stream, t + 20 * i, 0x5000, 16, ids[1]);
	maker_extent(&stream, 1, t + 5000, 4 * 4096);
	for (uint64_t i = 250; i < 500; i++)
		maker_alloc(&stream, t + 20 * i, 0x5000, 16, ids[1]);
	maker_successor(&stream, 3, t + 20000);
	maker_alloc(&stream, t + 20000, 0x7000, 1, ids[2]);
	maker_stream_put(&maker, &stream, "heaptrace");

	const struct exp_data_set *set = load(&maker, &experiment);

	cr_assert_eq(set->heap.allocs, 501);
	cr_assert_eq(set->heap.unmatched_frees, 0);
	cr_assert_eq(set->heap.lost_frees, 0);
	cr_assert_eq(set->heap.leaks, 1);
	cr_assert_eq(set->heap.peak_bytes, 16);
	cr_assert_eq(set->thread_count, 3);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* Sizes of 0, of 1, of 2 and 3, of 4 to 7, ... bytes. */
Test(heap, sizes_are_counted_by_powers_of_two)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 4095, 4096, UINT32_MAX};
	static const unsigned classes[] = {0, 1, 2, 2, 3, 3, 4, 12, 13, 32};
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	const struct exp_data_set *set;
	uint64_t counts[64] = {0}, t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		maker_alloc(&stream, t + i + 1, 0x1000000000 * (i + 1), sizes[i], 0);
		counts[classes[i]]++;
	}
	maker_stream_put(&maker, &stream, "heaptrace");
	set = load(&maker, &experiment);
	for (unsigned i = 0; i < 33; i++)
		cr_expect_eq(set->heap.size_count[i], counts[i], "class %u", i);
	cr_expect_eq(set->heap.smallest, 0);
	cr_expect_eq(set->heap.largest, UINT32_MAX);
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* Thread 43 began later, and was the first to go on: what it did at the same time comes first. */
Test(heap, of_events_at_one_time_those_of_the_thread_that_runs_come_first)
{
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	uint32_t ids[3];
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 5, 0x6000, 1, ids[1]);
	maker_free(&stream, t + 20, 0x5000);
	maker_extent(&stream, 43, t + 8, 4096);
	maker_alloc(&stream, t + 10, 0x7000, 2, ids[1]);
	maker_alloc(&stream, t + 20, 0x5000, 4, ids[2]);
	maker_stream_put(&maker, &stream, "heaptrace");

	const struct exp_data_set *set = load(&maker, &experiment);

	cr_expect_eq(set->heap.unmatched_frees, 0);
	cr_expect_eq(set->heap.leaks, 2);
	cr_expect_eq(set->heap.leak_bytes, 3);
	experiment_close(experiment);
	maker_destroy(&maker);
}
