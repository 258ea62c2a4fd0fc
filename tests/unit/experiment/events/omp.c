/* OpenMP constructs: totals by place, regions from the parts of their threads, waits by stack,
 * damage. */
#include "experiment/streams/selection.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MAIN, CALL, MARK, BODY, CUT, CUT_CALL, NODES };
static const uint64_t pcs[NODES] = {0x1000, 0x2000,           FMT_PC_PARALLEL,
                                    0x3000, FMT_PC_TRUNCATED, 0x2000};
static const int parents[NODES] = {-1, 0, 1, 2, -1, 4};
#include "tests/unit/experiment/one_stream.h"

TestSuite(omp, .init = set_up, .fini = tear_down);

static void put(uint64_t ticks, enum fmt_omp_event event, uint32_t region, uint32_t stack,
                uint64_t duration, uint64_t other, unsigned number)
{
	struct fmt_omp record = {.kind = FMT_KIND_omp,
	                         .event = (uint8_t)event,
	                         .region = region,
	                         .stack = stack,
	                         .number = (uint16_t)number};

	fmt_u48_put(&record.duration, duration);
	fmt_u48_put(&record.other, other);
	maker_event(&stream, ticks, &record, sizeof(record));
}

static const struct exp_omp_construct *find(const struct exp_data_set *set,
                                            enum fmt_omp_event event)
{
	for (size_t i = 0; i < set->omp.count; i++)
		if (set->omp.constructs[i].event == event)
			return &set->omp.constructs[i];
	return NULL;
}

Test(omp, makes_a_region_of_its_threads_parts)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1500, FMT_omp_event_EXPLICIT_BARRIER, 1, ids[BODY], 200, 0, 0);
	put(t + 2000, FMT_omp_event_THREAD, 1, ids[BODY], 1000, 200, 0);
	put(t + 3000, FMT_omp_event_PARALLEL, 1, ids[CALL], 2100, 0, 2);
	maker_extent(&stream, 43, t, 4096);
	put(t + 1400, FMT_omp_event_THREAD, 1, ids[BODY], 400, 0, 1);
	put(t + 2600, FMT_omp_event_TASK, 1, ids[BODY], 300, 0,
	    0); /* in the barrier at the region's end */
	put(t + 2700, FMT_omp_event_TASK, 1, ids[BODY], 50, 0,
	    FMT_OMP_TASK_INNER); /* counted with the task that executed it */
	put(t + 2800, FMT_omp_event_TASK, 1, ids[BODY], 80, 0,
	    FMT_OMP_TASK_GOES_ON); /* not another task */

	const struct exp_data_set *set = load("omptrace");
	const struct exp_omp_construct *region = find(set, FMT_omp_event_PARALLEL),
				       *task = find(set, FMT_omp_event_TASK);

	cr_assert_eq(set->have, EXP_DATA_OMP);
	cr_assert_eq(set->quality.omp_events, 7);
	cr_assert_not_null(region);
	cr_assert_eq(region->count, 1);
	cr_assert_eq(region->node, CALL);
	cr_assert_eq(region->most_threads, 2);
	cr_assert_eq(region->time_ns, 2100);
	cr_assert_eq(region->work_ns, 800 + 400 + 300 + 80);
	cr_assert_eq(region->wait_ns, 200 + 1000 + (1600 - 300 - 80));
	cr_assert_eq(region->lost_ns, 800 - 780);
	cr_assert_eq(task->count, 2);
	cr_assert_eq(task->time_ns, 300 + 50 + 80);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_OMP_EXPLICIT_BARRIER, BODY), 200);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_OMP_IMPLICIT_BARRIER, BODY), 1000 + 1300 - 80);
	cr_assert_eq(set->omp.unended, 0);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(omp, all_threads_of_a_large_team_wait_at_its_end)
{
	maker_extent(&stream, 42, t, 16384);
	for (unsigned i = 0; i < 200; i++)
		put(t + 1000, FMT_omp_event_THREAD, 1, ids[BODY], i == 0 ? 900 : 400, 0, i);
	put(t + 3000, FMT_omp_event_PARALLEL, 1, ids[CALL], 2100, 0, 200);

	const struct exp_omp_construct *region = find(load("omptrace"), FMT_omp_event_PARALLEL);

	cr_assert_eq(region->threads, 200);
	cr_assert_eq(region->work_ns, 900 + 199 * 400);
	cr_assert_eq(region->wait_ns, 200 * 2000);
	cr_assert_eq(region->lost_ns, 199 * 500);
}

Test(omp, constructs_of_truncated_stacks_are_counted)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1500, FMT_omp_event_EXPLICIT_BARRIER, 1, ids[CUT_CALL], 200, 0, 0);
	put(t + 2000, FMT_omp_event_TASK, 1, ids[CUT_CALL], 100, 0, 0);
	put(t + 3000, FMT_omp_event_PARALLEL, 1, ids[CALL], 2100, 0, 2);

	const struct exp_data_set *set = load("omptrace");

	cr_assert_eq(set->quality.stack_events, 3);
	cr_assert_eq(set->quality.truncated_events, 2);
}

Test(omp, waits_are_without_the_tasks_that_were_executed_meanwhile)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_omp_event_TASK_WAIT, 1, ids[BODY], 500, 300, 0);
	put(t + 1100, FMT_omp_event_LOCK, 1, ids[BODY], 50, 0x7fff00001000,
	    0); /* other: its address */
	put(t + 1200, FMT_omp_event_LOCK, 1, ids[CALL], 70, 0x7fff00001000, 0);

	const struct exp_data_set *set = load("omptrace");

	cr_assert_eq(find(set, FMT_omp_event_TASK_WAIT)->time_ns, 200);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_OMP_TASK_WAIT, BODY), 200);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_OMP_LOCK, BODY), 50);
	cr_assert_eq(set->omp.count, 3, "two places of locks");
}

Test(omp, damage_is_left_out_and_told)
{
	maker_extent(&stream, 42, t, 4096);
	put(t + 1000, FMT_omp_event_THREAD, 7, ids[BODY], 100, 200,
	    0); /* waited longer than it lasted */
	put(t + 1000, FMT_omp_event_CRITICAL, 7, ids[BODY], UINT64_C(1) << 47, 0,
	    0); /* since long before the start */
	put(t + 1000, (enum fmt_omp_event)200, 7, ids[BODY], 1, 0, 0); /* unknown */
	put(t + 1000, FMT_omp_event_THREAD, 8, ids[BODY], 100, 0,
	    0); /* of a region that does not end */
	put(t + 1100, FMT_omp_event_PARALLEL, 9, ids[CALL], 10, 0, 4); /* without threads */

	const struct exp_data_set *set = load("omptrace");

	cr_assert_eq(set->quality.omp_events, 2);
	cr_assert_eq(set->omp.count, 1);
	cr_assert_eq(set->omp.constructs[0].work_ns, 0);
	cr_assert_eq(set->omp.unended, 1);
	cr_assert_gt(maker.warnings, 0);
}

static uint32_t of_thread_43(void *context, const struct exp_fact *fact)
{
	(void)context;
	return fact->tid == 43 ? 0 : EXP_ROW_NONE;
}

Test(omp, a_thread_has_waited_at_a_regions_end_also_where_the_region_is_not_selected)
{
	const struct exp_selection selection = {.row = of_thread_43};
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	put(t + 2000, FMT_omp_event_THREAD, 1, ids[BODY], 1000, 0, 0);
	put(t + 2600, FMT_omp_event_TASK, 1, ids[BODY], 300, 0, 0);
	put(t + 3000, FMT_omp_event_PARALLEL, 1, ids[CALL], 2100, 0, 2);
	maker_extent(&stream, 43, t, 4096);
	put(t + 1400, FMT_omp_event_THREAD, 1, ids[BODY], 400, 0, 1);
	put(t + 2500, FMT_omp_event_TASK, 1, ids[BODY], 200, 0, 0);

	load("omptrace");
	cr_assert_eq(experiment_select(experiment, &selection, &set), 0);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_OMP_IMPLICIT_BARRIER, BODY), 1600 - 200);
	cr_expect_eq(set->quality.omp_events, 2);
	cr_expect_null(find(set, FMT_omp_event_PARALLEL));
	cr_expect_eq(set->omp.unended, 0);
	exp_data_set_destroy(set);
}

/* CPU time that a thread used before it ended has neither a stack nor an OpenMP state. */
Test(omp, time_without_a_stack_is_serial_too)
{
	struct fmt_clock work = {.kind = FMT_KIND_clock,
	                         .state = FMT_clock_state_USER,
	                         .omp = FMT_omp_state_WORK,
	                         .cpu_ns = 300,
	                         .stack = ids[BODY]};
	struct fmt_clock rest = {
		.kind = FMT_KIND_clock, .state = FMT_clock_state_RESIDUAL, .cpu_ns = 50};
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	maker_event(&stream, t + 1000, &work, sizeof(work));
	maker_event(&stream, t + 2000, &rest, sizeof(rest));
	set = load("profile");
	cr_expect_eq(exp_node_value(&set->nodes, EXP_OMP_SERIAL, BODY), 0);
	cr_expect_eq(set->nodes.no_stack[EXP_OMP_SERIAL], 50);
}

/* No recorder writes a mark outside a mark many times over; a damaged tree may have nothing
 * else. */
Test(omp, a_stack_of_marks_is_not_walked_for_each_construct)
{
	enum { MARKS = 500000, EVENTS = 300000, ROOM = 64 };
	uint64_t *marks = calloc(MARKS, sizeof(*marks));
	int *outside = calloc(MARKS, sizeof(*outside));
	uint32_t *all = calloc(MARKS, sizeof(*all));

	for (int i = 0; i < MARKS; i++) {
		marks[i] = FMT_PC_TASK;
		outside[i] = i - 1;
	}
	maker_nodes(&maker, MARKS, marks, outside, all);
	maker_extent(&stream, 42, t, EVENTS * ROOM / 4096 * 4096 + 4096);
	for (uint64_t i = 0; i < EVENTS; i++)
		put(t + 1000 + i, FMT_omp_event_TASK, 1, all[MARKS - 1 - i % 1000], 100, 0, 0);
	cr_assert_eq(find(load("omptrace"), FMT_omp_event_TASK)->time_ns, 100 * EVENTS);
	free(marks);
	free(outside);
	free(all);
}

/* Such a file is made for programs that might come to use OpenMP. */
Test(omp, a_file_without_an_event_is_no_data)
{
	maker_extent(&stream, 42, t, 4096);
	cr_assert_eq(load("omptrace")->have, 0);
}

Test(omp, who_asked_for_it_learns_that_there_was_none)
{
	maker_log(&maker, "<setting name=\"omp\" value=\"on\"/>");
	maker_extent(&stream, 42, t, 4096);
	cr_assert_eq(load("omptrace")->have, EXP_DATA_OMP);
}
