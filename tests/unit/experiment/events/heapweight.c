/* What sampled blocks stand for, and the experiments that have them. */
#include "experiment/events/heapweight.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/layout.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MEAN = 512 << 10 };

Test(heapweight, small_blocks_stand_for_many)
{
	static const uint64_t sizes[] = {1, 16, 1000, MEAN, 10 * MEAN, UINT64_C(1) << 50};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double chance = 1 - exp(-(double)sizes[i] / MEAN);
		struct exp_heap_weight weight = exp_heap_weigh(sizes[i], MEAN);

		cr_expect_float_eq((double)weight.units / EXP_HEAP_UNITS, 1 / chance,
		                   1e-3 + 1e-9 / chance);
		cr_expect_float_eq((double)weight.bytes, (double)sizes[i] / chance,
		                   0.51 + 1e-9 * (double)sizes[i] / chance);
	}
	cr_expect_eq(exp_heap_weigh(16, MEAN).bytes, MEAN + 8, "mean + s / 2");
	cr_expect_eq(exp_heap_weigh(1 << 30, MEAN).units, EXP_HEAP_UNITS);
	cr_expect_eq(exp_heap_weigh(1 << 30, MEAN).bytes, 1 << 30);
}

Test(heapweight, an_empty_block_counts_as_a_byte)
{
	cr_expect_eq(exp_heap_weigh(0, MEAN).units, exp_heap_weigh(1, MEAN).units);
	cr_expect_eq(exp_heap_weigh(0, MEAN).bytes, 0);
}

static uint64_t mean_of(const char *setting)
{
	struct maker maker;
	struct experiment *experiment;
	struct exp_cause cause;
	uint64_t mean;

	maker_create(&maker);
	maker_log(&maker, setting);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	mean = exp_heap_mean(experiment);
	experiment_close(experiment);
	maker_destroy(&maker);
	return mean;
}

Test(heapweight, log_xml_has_the_mean)
{
	cr_expect_eq(mean_of(""), 0);
	cr_expect_eq(mean_of("<setting name=\"heap_mean\" value=\"0\"/>\n"), 0);
	cr_expect_eq(mean_of("<setting name=\"heap_mean\" value=\"524288\"/>\n"), MEAN);
	cr_expect_eq(mean_of("<setting name=\"heap_mean\" value=\"many\"/>\n"), 0);
	cr_expect_eq(mean_of("<setting name=\"heap_mean\" value=\"18446744073709551615\"/>\n"),
	             FMT_HEAP_MEAN_MAX);
}

/* The totals of a sampled heap are estimates; what lives is never less than nothing. */
Test(heapweight, sampled_blocks_are_weighed)
{
	static const uint64_t pcs[] = {0x1000, 0x2000};
	static const int parents[] = {-1, 0};
	const struct exp_heap_weight small = exp_heap_weigh(100, MEAN),
				     large = exp_heap_weigh(MEAN, MEAN);
	const uint64_t blocks = (small.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS;
	const struct exp_data_set *set;
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	uint32_t ids[2];
	uint64_t t = MAKER_START_TICKS;

	maker_create(&maker);
	maker_log(&maker, "<setting name=\"heap_mean\" value=\"524288\"/>\n");
	maker_nodes(&maker, 2, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 1, t, 4096);
	maker_alloc(&stream, t + 10, 0x5000, 100, ids[0]);
	maker_free(&stream, t + 20, 0x5000);
	maker_alloc(&stream, t + 30, 0x6000, 100, ids[1]);
	maker_alloc(&stream, t + 40, 0x7000, MEAN, ids[1]);
	maker_alloc(&stream, t + 50, 0x8000, MEAN, ids[1]);
	maker_free(&stream, t + 60, 0x8000);
	maker_free(&stream, t + 70, 0x9000);                /* of no chosen block */
	maker_alloc(&stream, t + 80, 0x7000, MEAN, ids[0]); /* its free is lost */
	maker_stream_put(&maker, &stream, "heaptrace");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(set->heap.sampled_every, MEAN);
	cr_expect_eq(set->heap.recorded, 5);
	cr_expect_eq(set->quality.heap_events, 8);
	/* 3 of a large one make 4.7. */
	cr_expect_eq(set->heap.allocs,
	             (2 * small.units + 3 * large.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS);
	cr_expect_eq(set->heap.alloc_bytes, 2 * small.bytes + 3 * large.bytes);
	cr_expect_eq(set->heap.leaks,
	             (small.units + large.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS);
	cr_expect_eq(set->heap.leak_bytes, small.bytes + large.bytes);
	cr_expect_eq(set->heap.lost_frees, 1);
	cr_expect_eq(set->heap.unmatched_frees, 1);
	cr_expect_eq(set->heap.temps, 0, "they are not known");
	cr_expect_eq(set->heap.peak_bytes, small.bytes + 2 * large.bytes);
	cr_expect_eq(set->heap.smallest, 100);
	cr_expect_eq(set->heap.size_count[7],
	             (2 * small.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS);
	cr_expect_eq(set->heap.leak_size_count[7], blocks);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_ALLOC_COUNT, 0),
	             (small.units + large.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_LEAK_COUNT, 1), blocks);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_LEAK_BYTES, 1), small.bytes);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_LEAK_BYTES, 0), large.bytes);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_PEAK_COUNT, 1),
	             (small.units + 2 * large.units + EXP_HEAP_UNITS / 2) / EXP_HEAP_UNITS);
	experiment_close(experiment);
	maker_destroy(&maker);
}
