/* The call-stack tree, clock samples on it, and the effect of marks on quality. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

Test(nodes, carry_clock_samples_and_quality)
{
	static const uint64_t pcs[] = {FMT_PC_TRUNCATED, 0x100, 0x200, FMT_PC_GUESSED, 0x300};
	static const int parents[] = {-1, 0, -1, 2, 3};
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set, *again;
	uint32_t ids[5];

	maker_create(&maker);
	maker_nodes(&maker, 5, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 7, MAKER_START_TICKS, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 5, FMT_clock_state_USER, 100, ids[1]);
	maker_clock(&stream, MAKER_START_TICKS + 6, FMT_clock_state_SYSTEM, 20, ids[4]);
	maker_clock(&stream, MAKER_START_TICKS + 7, FMT_clock_state_RESIDUAL, 3, 0);
	maker_clock(&stream, MAKER_START_TICKS + 8, FMT_clock_state_USER, 1, 999999);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(experiment_load(experiment, &again), 0);
	cr_assert_eq(set, again);
	cr_assert_eq(set->have, EXP_DATA_PROFILE);
	cr_assert_eq(set->nodes.count, 5);
	cr_assert_eq(set->nodes.parent[0], UINT32_MAX);
	cr_assert_eq(set->nodes.parent[4], 3);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 1), 100);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_SYSTEM, 4), 20);
	cr_assert(!set->nodes.value[EXP_LEAK_BYTES]);
	cr_assert_eq(set->nodes.no_stack[EXP_CPU_RESIDUAL], 3);
	cr_assert_eq(set->nodes.no_stack[EXP_CPU_USER], 1);
	cr_assert_eq(set->quality.samples, 3);
	cr_assert_eq(set->quality.sampled_ns, 124);
	cr_assert_eq(set->quality.cpu_ns, 777);
	cr_assert_eq(set->quality.stacks, 2);
	cr_assert_eq(set->quality.truncated, 1);
	cr_assert_eq(set->quality.guessed, 1);
	cr_assert_eq(set->quality.truncated_events, 1);
	cr_assert_eq(set->thread_count, 1);
	cr_assert_eq(set->threads[0].tid, 7);
	cr_assert_eq(set->threads[0].samples, 3);
	cr_assert_eq(set->threads[0].cpu_ns, 124);
	cr_assert_eq(maker.warnings, 1);
	cr_assert(strstr(maker.warning,
	                 "the first of 1 events of stacks that frameinfo does not have") != NULL,
	          "%s", maker.warning);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(nodes, with_impossible_callers_become_truncated_stacks)
{
	static const uint64_t pcs[] = {0x100, 0x200, 0, 0x300};
	static const int parents[] = {-1, 3, 0, 2};
	struct maker maker;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint32_t ids[4];

	maker_create(&maker);
	maker_nodes(&maker, 4, pcs, parents, ids);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->nodes.count, 4);
	cr_assert_eq(set->nodes.pc[1], FMT_PC_TRUNCATED);
	cr_assert_eq(set->nodes.parent[2], 1);
	cr_assert_eq(set->nodes.pc[2], 0x200);
	cr_assert_eq(set->nodes.parent[3], 1);
	cr_assert_eq(experiment_info(experiment)->damaged, 1);
	experiment_close(experiment);
	maker_destroy(&maker);
}
