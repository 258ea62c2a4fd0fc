/* What an OpenMP runtime reports of parallel regions, and its records. */
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

TestSuite(ompt_region, .init = tool_open, .fini = scratch_remove);

Test(ompt_region, a_region_has_its_threads_and_its_time)
{
	ompt_data_t region = {.value = 1};
	uint64_t pcs[4];

	runtime_parallel_begin(&region);
	cr_assert_eq(region.value >> 32, 1);
	cr_assert_eq(tool_state(), FMT_omp_state_OVERHEAD);
	runtime_implicit_task(1, &region, 4, 2, 0);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	tool_spend();
	runtime_implicit_task(2, &region, 4, 2, 0);
	cr_assert_eq(tool_state(), FMT_omp_state_IMPLICIT_BARRIER);
	tool_spend();
	runtime_parallel_end(&region);
	cr_assert_eq(tool_state(), FMT_omp_state_SERIAL);
	tool_load(2);
	tool_is_record(0, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert(tool_duration(0) >= SPENT && tool_duration(0) < tool_duration(1));
	tool_is_record(1, FMT_omp_event_PARALLEL, 4, 1, 0);
	cr_assert_geq(tool_duration(1), 2 * SPENT);
	cr_assert_gt(tool_pcs(tool_records[1].stack, pcs, 4), 1);
	cr_assert_eq(pcs[0], (uint64_t)runtime_begun_at, "the stack of who began it");
	cr_assert_eq(tool_pcs(tool_records[0].stack, pcs, 4), 4);
	cr_assert_eq(pcs[0], FMT_PC_PARALLEL);
	cr_assert_eq(pcs[1], (uint64_t)runtime_begun_at);
	cr_assert_eq(tool_thread->events[SOURCE_OMP], 2);
	cr_assert_eq(tool_thread->omp.depth, 0);
}

Test(ompt_region, regions_may_be_nested)
{
	ompt_data_t outer, inner;

	runtime_parallel_begin(&outer);
	runtime_implicit_task(1, &outer, 2, 0, 0);
	runtime_parallel_begin(&inner);
	runtime_implicit_task(1, &inner, 3, 1, 0);
	runtime_work(1, 1);
	runtime_implicit_task(2, &inner, 3, 1, 0);
	runtime_parallel_end(&inner);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	runtime_work(1, 1);
	runtime_implicit_task(2, &outer, 2, 0, 0);
	runtime_parallel_end(&outer);
	tool_load(6);
	tool_is_record(0, FMT_omp_event_LOOP, 0, 2, 0);
	tool_is_record(1, FMT_omp_event_THREAD, 1, 2, 0);
	tool_is_record(2, FMT_omp_event_PARALLEL, 3, 2, 0);
	tool_is_record(3, FMT_omp_event_LOOP, 0, 1, 0);
	tool_is_record(4, FMT_omp_event_THREAD, 0, 1, 0);
	tool_is_record(5, FMT_omp_event_PARALLEL, 2, 1, 0);
	runtime_parallel_end(&outer);
	tool_load(6);
}

/* As many as there is room for are recorded; the others are counted. */
Test(ompt_region, regions_nested_deeper_than_can_be_kept_end_all_the_same)
{
	ompt_data_t regions[OMP_REGIONS + 3];

	for (int i = 0; i < OMP_REGIONS + 3; i++)
		runtime_parallel_begin(&regions[i]);
	for (int i = OMP_REGIONS + 2; i >= 0; i--)
		runtime_parallel_end(&regions[i]);
	tool_load(OMP_REGIONS);
	tool_is_record(0, FMT_omp_event_PARALLEL, 0, OMP_REGIONS, 0);
	tool_is_record(OMP_REGIONS - 1, FMT_omp_event_PARALLEL, 0, 1, 0);
	cr_assert_eq(tool_thread->omp.region_depth, 0);
}

Test(ompt_region, the_initial_task_is_no_threads)
{
	ompt_data_t region = {.value = 0};

	runtime_implicit_task(1, &region, 1, 0, 1);
	cr_assert_eq(tool_thread->omp.depth, 0);
	runtime_implicit_task(2, &region, 1, 0, 1);
	tool_load(0);
}
