/* What one reading of all streams reports about its own quality: incomplete stacks, losses, CPU
 * time, events whose stacks do not exist. */
#include "experiment/streams/nodes.h"
#include "format/record.h"

enum { NODES = 6 };
/* Stacks that end at 1: complete; 3: cut; 5: found by guess, and without an outer frame. */
static const uint64_t pcs[NODES] = {0x1000, 0x2000,        FMT_PC_TRUNCATED,
                                    0x3000, FMT_PC_FAILED, 0x4000};
static const int parents[NODES] = {-1, 0, -1, 2, -1, 4};

#include "tests/unit/experiment/one_stream.h"

#include <stdio.h>
#include <string.h>

TestSuite(load, .init = set_up, .fini = tear_down);

static void call(uint64_t time, uint32_t node)
{
	maker_alloc(&stream, t + time, 0x5000 + 64 * time, 8, node);
}

Test(load, stacks_that_are_not_whole_are_counted)
{
	const struct exp_quality *quality;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[1]);
	call(2, ids[1]);
	call(3, ids[3]);
	call(4, ids[3]);
	call(5, ids[3]);
	call(6, ids[5]);
	call(7, 0);
	quality = &load("heaptrace")->quality;
	cr_expect_eq(quality->stacks, 3);
	cr_expect_eq(quality->stack_events, 6);
	cr_expect_eq(quality->truncated, 1);
	cr_expect_eq(quality->failed, 1);
	cr_expect_eq(quality->guessed, 0);
	cr_expect_eq(quality->truncated_events, 4);
	cr_expect_eq(quality->heap_events, 7);
	cr_expect_eq(quality->cpu_ns, 777, "as the exit event says");
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(load, what_was_lost_is_summed_up)
{
	maker_log(&maker,
	          "<count name=\"lost_heap\" value=\"3\"/><count name=\"lost_sync\" value=\"40\"/>"
	          "<count name=\"lost\" value=\"500\"/><count name=\"kept_heap\" value=\"600\"/>"
	          "<count name=\"lost_io\" value=\"many\"/>");
	maker_extent(&stream, 42, t, 4096);
	call(1, ids[1]);
	const struct exp_quality *quality = &load("heaptrace")->quality;

	cr_expect_eq(quality->lost, 43);
}

Test(load, events_of_stacks_that_are_nowhere_are_told)
{
	const struct exp_data_set *set;
	char expected[128];
	size_t at;

	maker_extent(&stream, 42, t, 4096);
	call(1, ids[1]);
	at = stream.at;
	call(2, ids[5] + 16);
	call(3, ids[5] + 32);
	set = load("heaptrace");
	cr_expect_eq(maker.warnings, 1);
	snprintf(
		expected, sizeof(expected),
		": heaptrace: offset %zu: the first of 2 events of stacks that frameinfo does not have",
		at + 16);
	cr_expect_str_eq(maker.warning + strlen(maker.path), expected);
	cr_expect_eq(set->quality.heap_events, 3);
	cr_expect_eq(set->quality.stack_events, 1);
	cr_expect_eq(set->nodes.no_stack[EXP_ALLOC_COUNT], 2);
}

Test(load, of_a_snapshot_what_is_later_than_its_moment_is_passed_over)
{
	const struct exp_data_set *set;

	maker_log(
		&maker,
		"<event kind=\"snapshot\" time=\"1000000020\" running=\"1\" pid=\"1\" of=\"/x\"/>");
	maker_extent(&stream, 42, t, 4096);
	call(10, ids[1]);
	call(20, ids[1]);
	call(21, ids[5] + 16);
	call(15, ids[1]);
	maker_extent(&stream, 43, t + 30, 4096);
	call(31, ids[1]);
	maker_extent(&stream, 44, t, 4096);
	call(5, ids[1]);
	set = load("heaptrace");
	cr_expect_eq(set->quality.heap_events, 3);
	cr_expect_eq(set->nodes.no_stack[EXP_ALLOC_COUNT], 0);
	cr_expect_float_eq(set->last_s, 20e-9, 1e-12);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(load, is_made_once)
{
	const struct exp_data_set *first, *second;

	maker_extent(&stream, 42, t, 4096);
	call(10, ids[1]);
	call(20, ids[1]);
	first = load("heaptrace");
	cr_assert_eq(experiment_load(experiment, &second), 0);
	cr_expect_eq(first, second);
	cr_expect_float_eq(first->first_s, 10e-9, 1e-12);
	cr_expect_float_eq(first->last_s, 20e-9, 1e-12);
	cr_expect_eq(first->have, EXP_DATA_HEAP);
	cr_expect_eq(first->nodes.count, NODES);
	cr_expect_eq(first->nodes.pc[1], 0x2000);
	cr_expect_eq(first->nodes.parent[1], 0);
	cr_expect_eq(first->nodes.parent[0], EXP_NODE_NONE);
}
