/* Clock samples: their sums, and impossible samples. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint64_t pcs[] = {0x1000};
static const int parents[] = {-1};

/* Read one good sample of 10 ms and one of cpu_ns, half a second after the start. */
static void read_with(struct maker *maker, uint64_t cpu_ns, struct exp_quality *quality,
                      uint64_t *value)
{
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint32_t id;

	maker->warnings = 0;
	maker_nodes(maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 400000000, FMT_clock_state_USER, 10000000, id);
	maker_clock(&stream, MAKER_START_TICKS + 500000000, FMT_clock_state_USER, cpu_ns, id);
	maker_stream_put(maker, &stream, "profile");
	cr_assert_eq(maker_open(maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	*quality = set->quality;
	*value = exp_node_value(&set->nodes, EXP_CPU_USER, 0);
	cr_assert_eq(experiment_info(experiment)->damaged, maker->warnings > 0);
	experiment_close(experiment);
}

Test(profile, refuses_a_sample_of_more_time_than_has_passed)
{
	struct maker maker;
	struct exp_quality quality;
	uint64_t value;

	maker_create(&maker);
	read_with(&maker, 10000000 ^ (uint64_t)1 << 56, &quality, &value);
	cr_assert_eq(maker.warnings, 1);
	cr_assert(strstr(maker.warning, "profile: offset 128: ") != NULL, "%s", maker.warning);
	cr_assert_eq(quality.samples, 1);
	cr_assert_eq(quality.sampled_ns, 10000000);
	cr_assert_eq(value, 10000000);
	maker_destroy(&maker);
}

Test(profile, takes_a_sample_of_all_time_so_far)
{
	struct maker maker;
	struct exp_quality quality;
	uint64_t value;

	maker_create(&maker);
	read_with(&maker, 490000000, &quality, &value);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
	cr_assert_eq(quality.samples, 2);
	cr_assert_eq(quality.user_samples, 2);
	cr_assert_eq(value, 500000000);
	maker_destroy(&maker);
}

/* Samples of one thread by state; a residual counts as time, but not as a sample. */
Test(profile, each_state_has_its_sum)
{
	const struct exp_data_set *set;
	struct experiment *experiment;
	struct maker_stream stream;
	struct exp_cause cause;
	struct maker maker;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 100, FMT_clock_state_USER, 1000, id);
	maker_clock(&stream, MAKER_START_TICKS + 200, FMT_clock_state_SYSTEM, 2000, id);
	maker_clock(&stream, MAKER_START_TICKS + 300, FMT_clock_state_RESIDUAL, 4000, id);
	maker_clock(&stream, MAKER_START_TICKS + 400, FMT_clock_state_RESIDUAL + 1, 8000, id);
	maker_successor(&stream, 43, MAKER_START_TICKS + 500);
	maker_clock(&stream, MAKER_START_TICKS + 600, FMT_clock_state_USER, 16000, 0);
	maker_extent(&stream, 42, MAKER_START_TICKS + 700, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 800, FMT_clock_state_USER, 32000, id);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 0), 33000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_SYSTEM, 0), 2000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_RESIDUAL, 0), 4000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 0), 3);
	cr_expect_eq(set->nodes.no_stack[EXP_CPU_USER], 16000);
	cr_expect_eq(set->nodes.no_stack[EXP_SAMPLES], 1);
	cr_expect_eq(set->quality.samples, 4);
	cr_expect_eq(set->quality.sampled_ns, 55000);
	cr_expect_eq(set->quality.sampled_squares, 1e6 + 4e6 + 16e6 + 256e6 + 1024e6);
	cr_assert_eq(set->thread_count, 2);
	cr_expect_eq(set->threads[0].tid, 42);
	cr_expect_eq(set->threads[0].samples, 3);
	cr_expect_eq(set->threads[0].cpu_ns, 39000);
	cr_expect_eq(set->threads[1].tid, 43);
	cr_expect_eq(set->threads[1].samples, 1);
	cr_expect_eq(set->threads[1].cpu_ns, 16000);
	cr_expect_float_eq(set->first_s, 100e-9, 1e-12);
	cr_expect_float_eq(set->last_s, 800e-9, 1e-12);
	experiment_close(experiment);
	maker_destroy(&maker);
}
