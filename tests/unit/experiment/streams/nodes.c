/* The call-stack tree, clock samples on it, and the effect of marks on quality. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/fdr.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

enum { BLOCK = 4096 };
#define FAR (((uint64_t)5 << 32) + 3 * BLOCK) /* where the second block of nodes is */

/* A block of two nodes at an offset; the second one is called by the first. Returns its name. */
static uint32_t put_block(int fd, uint64_t at, uint64_t pc)
{
	uint8_t block[BLOCK] __attribute__((aligned(8))) = {0};
	uint8_t *event = block + FDR_PROLOGUE_SIZE;
	struct fdr_prologue prologue = {
		.tid = 42, .ordinal = 2, .extent_left = BLOCK, .tsc = MAKER_START_TICKS};
	uint32_t first = (uint32_t)((at + FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE +
	                             sizeof(struct fmt_nodes)) /
	                            sizeof(struct fmt_node));
	struct {
		struct fmt_nodes header;
		struct fmt_node node[2];
	} nodes = {{.kind = FMT_KIND_nodes,
	            .node_size = sizeof(struct fmt_node),
	            .first = fmt_node_id(first)},
	           {{.pc = pc}, {.pc = pc + 1, .parent = fmt_node_id(first)}}};

	fdr_prologue_put(block, &prologue);
	fdr_event_put(event, sizeof(nodes), MAKER_START_TICKS, 0);
	fdr_payload_put(event + FDR_METADATA_SIZE, &nodes, sizeof(nodes));
	cr_assert_eq(pwrite(fd, block, sizeof(block), (off_t)at), (ssize_t)sizeof(block));
	return fmt_node_id(first + 1);
}

/* Such a file has holes where old parts were, so it needs no space. */
Test(nodes, beyond_four_gigabytes_have_names)
{
	static const uint64_t pcs[] = {0x100};
	static const int parents[] = {-1};
	struct maker maker;
	struct maker_stream stream;
	struct experiment *experiment;
	struct exp_cause cause;
	const struct exp_data_set *set;
	uint32_t ids[1], far;
	char path[5000];
	int fd;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, ids);
	snprintf(path, sizeof(path), "%s/frameinfo", maker.path);
	fd = open(path, O_WRONLY);
	far = put_block(fd, FAR, 0x200);
	close(fd);
	cr_assert_eq(far & 15, 5, "bits 32 to 35");
	maker_stream_init(&stream);
	maker_extent(&stream, 7, MAKER_START_TICKS, BLOCK);
	maker_clock(&stream, MAKER_START_TICKS + 5, FMT_clock_state_USER, 100, ids[0]);
	maker_clock(&stream, MAKER_START_TICKS + 6, FMT_clock_state_USER, 20, far);
	maker_clock(&stream, MAKER_START_TICKS + 7, FMT_clock_state_USER, 3, far & ~15u);
	maker_stream_put(&maker, &stream, "profile");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->nodes.count, 3);
	cr_assert_eq(set->nodes.parent[2], 1);
	cr_assert_eq(set->nodes.pc[2], 0x201);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 0), 100);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 2), 20);
	cr_assert_eq(set->nodes.no_stack[EXP_CPU_USER], 3, "another node's name");
	experiment_close(experiment);
	maker_destroy(&maker);
}
