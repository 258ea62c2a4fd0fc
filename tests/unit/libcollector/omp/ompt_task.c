/* What an OpenMP runtime reports of tasks and shared constructs, and its records. */
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

TestSuite(ompt_task, .init = tool_open, .fini = scratch_remove);

Test(ompt_task, a_task_is_made_and_executed)
{
	ompt_data_t task, implicit;
	uint64_t pcs[4];

	runtime_task_create(&implicit, 2);
	cr_assert_eq(implicit.value, 0);
	runtime_task_create(&task, 4);
	cr_assert_eq(task.value >> 32, 1);
	runtime_task_schedule(&runtime_no_task, 7, &task);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	tool_spend();
	runtime_mutex_acquire(5, 0x1000);
	tool_spend();
	runtime_mutex_acquired(5, 0x1000);
	runtime_task_schedule(&task, 1, &runtime_no_task);
	cr_assert_eq(tool_state(), FMT_omp_state_NONE);
	tool_load(3);
	tool_is_record(0, FMT_omp_event_TASK_CREATE, 0, 0, 1);
	cr_assert_eq(tool_duration(0), 0);
	cr_assert_gt(tool_pcs(tool_records[0].stack, pcs, 4), 1);
	cr_assert_eq(pcs[0], (uint64_t)runtime_begun_at);
	tool_is_record(1, FMT_omp_event_CRITICAL, 0, 0, 1);
	tool_is_record(2, FMT_omp_event_TASK, 0, 0, 1);
	cr_assert_geq(tool_duration(2), 2 * SPENT);
	cr_assert_eq(tool_other(2), tool_duration(1));
	cr_assert_gt(tool_pcs(tool_records[2].stack, pcs, 4), 2);
	cr_assert_eq(pcs[0], FMT_PC_TASK);
	cr_assert_eq(pcs[1], (uint64_t)runtime_begun_at);
}

/* Time in tasks that a thread executes while it waits is not time that it waited. */
Test(ompt_task, a_task_in_a_wait_is_not_waited_for)
{
	ompt_data_t region, task;

	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	runtime_task_create(&task, 4);
	runtime_sync_wait(5, 1, runtime_here());
	runtime_task_schedule(&runtime_no_task, 7, &task);
	tool_spend();
	runtime_task_schedule(&task, 1, &runtime_no_task);
	runtime_sync_wait(5, 2, runtime_here());
	runtime_implicit_task(2, &region, 4, 2, 0);
	tool_load(4);
	tool_is_record(0, FMT_omp_event_TASK_CREATE, 0, 1, 1);
	tool_is_record(1, FMT_omp_event_TASK, 0, 1, 1);
	tool_is_record(2, FMT_omp_event_TASK_WAIT, 0, 1, 0);
	cr_assert_eq(tool_other(2), tool_duration(1));
	tool_is_record(3, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert_eq(tool_other(3), tool_duration(2) - tool_duration(1));
}

Test(ompt_task, a_task_may_lie_on_another_one)
{
	ompt_data_t outer, inner;

	runtime_task_create(&outer, 4);
	runtime_task_create(&inner, 4);
	runtime_task_schedule(&runtime_no_task, 7, &outer);
	runtime_task_schedule(&outer, 7, &inner);
	cr_assert_eq(tool_thread->omp.depth, 2);
	runtime_task_schedule(&inner, 1, &outer);
	cr_assert_eq(tool_thread->omp.depth, 1);
	runtime_task_schedule(&outer, 3, &runtime_no_task);
	tool_load(4);
	tool_is_record(2, FMT_omp_event_TASK, FMT_OMP_TASK_INNER, 0, 2);
	tool_is_record(3, FMT_omp_event_TASK, 0, 0, 1);
}

Test(ompt_task, a_part_of_an_untied_task_goes_on_later)
{
	ompt_data_t untied, other_one;

	runtime_task_create(&untied, 4);
	runtime_task_create(&other_one, 4);
	runtime_task_schedule(&runtime_no_task, 7, &untied);
	runtime_task_schedule(&untied, 7, &runtime_no_task);
	tool_load(3);
	tool_is_record(2, FMT_omp_event_TASK, FMT_OMP_TASK_GOES_ON, 0, 1);
	runtime_task_schedule(&runtime_no_task, 7, &untied);
	runtime_task_schedule(&untied, 7, &other_one);
	runtime_task_schedule(&other_one, 7, &untied);
	tool_load(4);
	tool_is_record(3, FMT_omp_event_TASK, FMT_OMP_TASK_GOES_ON | FMT_OMP_TASK_INNER, 0, 2);
	runtime_task_schedule(&untied, 4, NULL);
	tool_load(5);
	tool_is_record(4, FMT_omp_event_TASK, 0, 0, 1);
	cr_assert_eq(tool_thread->omp.depth, 0);
}

Test(ompt_task, shared_constructs_are_told_where_they_begin)
{
	static const struct {
		int kind;
		enum fmt_omp_event event;
	} kinds[] = {
		{1, FMT_omp_event_LOOP},  {2, FMT_omp_event_SECTIONS}, {3, FMT_omp_event_SINGLE},
		{6, FMT_omp_event_LOOP},  {7, FMT_omp_event_TASKLOOP}, {10, FMT_omp_event_LOOP},
		{11, FMT_omp_event_LOOP}, {12, FMT_omp_event_LOOP},    {13, FMT_omp_event_LOOP}};

	for (int i = 0; i < 9; i++) {
		runtime_work(kinds[i].kind, 1);
		runtime_work(kinds[i].kind, 2);
		tool_load(i + 1);
		tool_is_record(i, kinds[i].event, 0, 0, 0);
		cr_assert_eq(tool_duration(i), 0);
	}
	runtime_work(4, 1);
	runtime_work(5, 1);
	runtime_work(8, 1);
	tool_load(9);
	runtime_masked(1);
	runtime_masked(2);
	tool_load(10);
	tool_is_record(9, FMT_omp_event_MASTER, 0, 0, 0);
}

/* The runtime's frames end where, as it reports, the task's frames begin. */
Test(ompt_task, the_frame_of_a_task_is_where_walks_end)
{
	ompt_frame_t made = {.exit_frame = {.value = 0x7000}};
	ompt_data_t region;

	*tool_frame = &made;
	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	cr_assert_eq(omp_innermost(tool_thread)->runtime_frame, &made.exit_frame.value);
	cr_assert_eq(omp_innermost(tool_thread)->node, (uint32_t)region.value);
}
