/* Tests of experiment/streams/selection.c: loads of a part of the events, and into rows. */
#include "experiment/streams/selection.h"
#include "format/record.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static struct experiment *experiment;
static const struct exp_data_set *whole;
static uint32_t ids[2];

static void open_experiment(void)
{
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &whole), 0);
}

static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	struct maker_stream heap, profile;

	maker_create(&maker);
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&heap);
	maker_extent(&heap, 42, t, 4096);
	maker_alloc(&heap, t + 100, 0x5000, 10, ids[0]);
	maker_alloc(&heap, t + 200, 0x6000, 20, ids[1]);
	maker_free(&heap, t + 300, 0x5000);
	maker_alloc(&heap, t + 400, 0x5000, 40, ids[1]);
	maker_free(&heap, t + 500, 0x6000);
	maker_alloc(&heap, t + 600, 0x7000, 80, 0);
	maker_free(&heap, t + 700, 0x7000);
	maker_stream_put(&maker, &heap, "heaptrace");
	maker_stream_init(&profile);
	maker_extent(&profile, 43, t, 4096);
	for (unsigned i = 0; i < 5; i++)
		maker_clock(&profile, t + 1000 * i, FMT_clock_state_USER, 1600, ids[i % 2]);
	maker_stream_put(&maker, &profile, "profile");
	open_experiment();
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(selection, .init = set_up, .fini = tear_down);

static const struct exp_data_set *select_by(uint32_t (*row)(void *, const struct exp_fact *),
                                            int is_grouped, int wants_leaks)
{
	const struct exp_selection selection = {
		.row = row,
		.is_grouped = is_grouped != 0,
		.wants_leaks = wants_leaks != 0,
	};
	const struct exp_data_set *set;

	cr_assert_eq(experiment_select(experiment, &selection, &set), 0);
	return set;
}

static uint32_t everything(void *context, const struct exp_fact *fact)
{
	(void)context;
	(void)fact;
	return 0;
}

Test(selection, all_events_make_the_same_totals)
{
	const struct exp_data_set *set = select_by(everything, 0, 0);

	cr_assert_eq(set->nodes.count, whole->nodes.count);
	for (size_t i = 0; i < EXP_METRICS; i++) {
		cr_assert_eq(!set->nodes.value[i], !whole->nodes.value[i]);
		cr_assert_eq(set->nodes.no_stack[i], whole->nodes.no_stack[i]);
		for (size_t node = 0; node < 2; node++)
			cr_assert_eq(exp_node_value(&set->nodes, (enum exp_metric)i, node),
			             exp_node_value(&whole->nodes, (enum exp_metric)i, node));
	}
	cr_assert_eq(set->heap.peak_bytes, whole->heap.peak_bytes);
	cr_assert_eq(set->heap.leak_bytes, 40);
	cr_assert_eq(set->quality.samples, 5);
	exp_data_set_destroy(set);
}

static uint32_t large(void *context, const struct exp_fact *fact)
{
	(void)context;
	return fact->data == EXP_DATA_HEAP && fact->bytes >= 20 ? 0 : EXP_ROW_NONE;
}

/* Whose block it was is not known, so no selection can have it. */
Test(selection, frees_of_unknown_blocks_are_in_none)
{
	const struct exp_data_set *set;
	struct maker_stream heap;

	maker_stream_init(&heap);
	maker_extent(&heap, 42, t, 4096);
	maker_alloc(&heap, t + 100, 0x5000, 10, ids[0]);
	maker_free(&heap, t + 200, 0x9000);
	maker_free(&heap, t + 300, 0x5000);
	maker_stream_put(&maker, &heap, "heaptrace");
	experiment_close(experiment);
	open_experiment();
	cr_assert_eq(whole->heap.frees, 2);
	cr_assert_eq(whole->heap.unmatched_frees, 1);
	set = select_by(everything, 0, 0);
	cr_assert_eq(set->heap.frees, 1);
	cr_assert_eq(set->heap.unmatched_frees, 0);
	exp_data_set_destroy(set);
}

Test(selection, frees_follow_their_blocks)
{
	const struct exp_data_set *set = select_by(large, 0, 0);

	cr_assert_eq(set->quality.samples, 0);
	cr_assert_eq(set->heap.allocs, 3);
	cr_assert_eq(set->heap.frees, 2);
	cr_assert_eq(set->heap.unmatched_frees, 0);
	cr_assert_eq(set->heap.peak_bytes, 120);
	cr_assert_eq(set->heap.leaks, 1);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_ALLOC_COUNT, 0), 0);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_ALLOC_COUNT, 1), 2);
	cr_assert_eq(set->nodes.no_stack[EXP_ALLOC_BYTES], 80);
	exp_data_set_destroy(set);
}

static uint32_t leaked(void *context, const struct exp_fact *fact)
{
	static const uint64_t live[] = {10, 30, 60, 120};
	static unsigned at;

	(void)context;
	if (fact->data != EXP_DATA_HEAP)
		return EXP_ROW_NONE;
	cr_assert_eq(fact->live_bytes, live[at++], "%llu", (unsigned long long)fact->live_bytes);
	cr_assert_eq(fact->leaked_bytes, at > 2 ? 40 : 0);
	return fact->is_leaked ? 0 : EXP_ROW_NONE;
}

Test(selection, leaks_are_known_in_advance)
{
	const struct exp_data_set *set = select_by(leaked, 0, 1);

	cr_assert_eq(set->heap.allocs, 1);
	cr_assert_eq(set->heap.alloc_bytes, 40);
	cr_assert_eq(set->heap.leak_bytes, 40);
	cr_assert_eq(set->heap.moments[set->heap.moment_count - 1].bytes, 40);
	exp_data_set_destroy(set);
}

static uint32_t when_freed(void *context, const struct exp_fact *fact)
{
	static const uint64_t freed[] = {300, 500, 0, 700};
	static unsigned at;

	(void)context;
	if (fact->data != EXP_DATA_HEAP)
		return EXP_ROW_NONE;
	cr_expect_eq(fact->freed_ticks, freed[at] ? t + freed[at] : UINT64_MAX, "%u", at);
	return at++;
}

static unsigned freed_blocks;

static void on_freed(void *context, const struct exp_freed *freed)
{
	(void)context;
	cr_expect_eq(freed->units, 1);
	cr_expect_eq(freed->count, 1);
	cr_expect_eq(freed->bytes, freed->row == 0 ? 10 : freed->row == 1 ? 20 : 80);
	cr_expect_eq(freed->ticks, freed->row == 0 ? t + 300 : freed->row == 1 ? t + 500 : t + 700);
	freed_blocks |= 1u << freed->row;
}

Test(selection, frees_are_known_in_advance_and_told_of)
{
	const struct exp_selection selection = {
		.row = when_freed, .freed = on_freed, .is_grouped = 1, .wants_frees = 1};
	const struct exp_data_set *set;

	cr_assert_eq(experiment_select(experiment, &selection, &set), 0);
	cr_expect_eq(freed_blocks, 0xb);
	exp_data_set_destroy(set);
}

static void nobody_is_told(void *context, const struct exp_freed *freed)
{
	(void)context;
	cr_expect_geq(freed->bytes, 20, "only what is chosen");
	freed_blocks++;
}

Test(selection, frees_of_blocks_that_are_not_chosen_are_not_told_of)
{
	const struct exp_selection selection = {.row = large, .freed = nobody_is_told};
	const struct exp_data_set *set;

	cr_assert_eq(experiment_select(experiment, &selection, &set), 0);
	cr_expect_eq(freed_blocks, 2);
	exp_data_set_destroy(set);
}

/* Rows are reached in the middle of every stream: 0 to 4 by size, 1000 by time. */
static uint32_t rows(void *context, const struct exp_fact *fact)
{
	(void)context;
	if (fact->data == EXP_DATA_HEAP)
		return (uint32_t)fact->bytes / 20;
	return fact->ticks >= t + 3000 ? 1000 : 1;
}

Test(selection, rows_grow_in_grouped_loads)
{
	const struct exp_data_set *set = select_by(rows, 1, 0);

	cr_assert_null(set->nodes.pc);
	cr_assert_null(set->nodes.row_of);
	cr_assert_eq(set->nodes.row_count, 1001);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][1], 3);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][1000], 2);
	cr_assert_eq(set->nodes.value[EXP_CPU_USER][1000], 3200);
	cr_assert_eq(set->nodes.value[EXP_ALLOC_BYTES][0], 10);
	cr_assert_eq(set->nodes.value[EXP_ALLOC_BYTES][4], 80);
	cr_assert_eq(set->nodes.value[EXP_LEAK_BYTES][2], 40);
	cr_assert_eq(set->nodes.value[EXP_LEAK_BYTES][1000], 0);
	cr_assert_eq(set->heap.peak_bytes, whole->heap.peak_bytes);
	exp_data_set_destroy(set);
}

Test(selection, threads_are_found_by_id_and_time)
{
	cr_assert_eq(exp_thread_at(whole, 7, 0), EXP_NO_INDEX);
	cr_assert_neq(exp_thread_at(whole, 42, 1), EXP_NO_INDEX);
	cr_assert_eq(whole->threads[exp_thread_at(whole, 43, 1)].tid, 43);
	cr_assert_eq(experiment_time_ns(experiment, t + 1234), 1234);
	cr_assert_eq(experiment_ticks_ns(experiment, 99), 99);
}

/* With and without the index, the same threads are found. */
Test(selection, many_threads_are_found_by_an_index)
{
	enum { THREADS = 12 };
	static const uint32_t tids[THREADS] = {5, 9, 5, 7, 9, 5, 5, 8, 1, 9, 7, 5};
	static const uint32_t by_tid[THREADS] = {8, 0, 2, 5, 6, 11, 3, 10, 7, 1, 4, 9};
	struct exp_thread threads[THREADS] = {{.tid = 0}};
	struct exp_data_set few = {.threads = threads, .thread_count = THREADS}, many;

	for (size_t i = 0; i < THREADS; i++) {
		threads[i].tid = tids[i];
		threads[i].time_s = (double)i;
	}
	many = few;
	many.threads_by_tid = by_tid;
	for (uint32_t tid = 0; tid < 11; tid++)
		for (int time = -2; time < 2 * THREADS + 2; time++)
			cr_assert_eq(exp_thread_at(&many, tid, time / 2.0),
			             exp_thread_at(&few, tid, time / 2.0), "%u at %d", tid, time);
}
