/* What an OpenMP runtime reports of waits, and its records. */
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

TestSuite(ompt_wait, .init = tool_open, .fini = scratch_remove);

static void wait_for(int kind, enum fmt_omp_state in, enum fmt_omp_event event, int index)
{
	runtime_sync_wait(kind, 1, runtime_here());
	cr_assert_eq(tool_state(), (int)in);
	tool_spend();
	runtime_sync_wait(kind, 2, runtime_here());
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	tool_load(index + 1);
	tool_is_record(index, event, 0, 1, 0);
	cr_assert_geq(tool_duration(index), SPENT);
}

Test(ompt_wait, waits_have_their_kind_and_count_for_their_thread)
{
	ompt_data_t region;
	uint64_t waited = 0;

	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	wait_for(1, FMT_omp_state_EXPLICIT_BARRIER, FMT_omp_event_EXPLICIT_BARRIER, 0);
	wait_for(2, FMT_omp_state_IMPLICIT_BARRIER, FMT_omp_event_IMPLICIT_BARRIER, 1);
	wait_for(3, FMT_omp_state_EXPLICIT_BARRIER, FMT_omp_event_EXPLICIT_BARRIER, 2);
	wait_for(5, FMT_omp_state_TASK_WAIT, FMT_omp_event_TASK_WAIT, 3);
	wait_for(6, FMT_omp_state_TASK_WAIT, FMT_omp_event_TASK_WAIT, 4);
	wait_for(8, FMT_omp_state_IMPLICIT_BARRIER, FMT_omp_event_IMPLICIT_BARRIER, 5);
	runtime_reduction(1);
	cr_assert_eq(tool_state(), FMT_omp_state_REDUCTION);
	runtime_reduction(2);
	runtime_implicit_task(2, &region, 4, 2, 0);
	tool_load(8);
	tool_is_record(6, FMT_omp_event_REDUCTION, 0, 1, 0);
	for (int i = 0; i < 7; i++)
		waited += tool_duration(i);
	tool_is_record(7, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert_eq(tool_other(7), waited);
}

#define LAST ((const void *)-1) /* where the region began */

/* It lasts from the thread's end to the region's: readers know this. */
static void last_barrier(int kind, const void *code)
{
	ompt_data_t region;
	int before = scratch_records("omptrace", FMT_KIND_omp, tool_records,
	                             sizeof(tool_records[0]), 64);

	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	code = code == LAST ? runtime_begun_at : code;
	runtime_sync_wait(kind, 1, code);
	cr_assert_eq(tool_state(), FMT_omp_state_IMPLICIT_BARRIER);
	tool_load(before + 1);
	cr_assert_eq(tool_records[before].event, FMT_omp_event_THREAD);
	runtime_sync_wait(kind, 2, code);
	runtime_sync_wait(1, 1, code);
	runtime_sync_wait(1, 2, code);
	runtime_implicit_task(2, &region, 4, 2, 0);
	tool_load(before + 1);
	runtime_parallel_end(&region);
	tool_load(before + 2);
}

Test(ompt_wait, the_barrier_at_the_end_of_a_region_ends_its_threads)
{
	last_barrier(9, runtime_here());
	last_barrier(2, NULL);
	last_barrier(2, LAST);
}

Test(ompt_wait, a_worker_that_waits_for_its_first_region_waits_for_nothing)
{
	runtime_sync_wait(2, 1, NULL);
	runtime_sync_wait(9, 1, NULL);
	tool_load(0);
	cr_assert_eq(tool_thread->omp.wait_depth, 0);
	runtime_sync_wait(5, 1, runtime_here());
	runtime_sync_wait(5, 2, runtime_here());
	tool_load(1);
	tool_is_record(0, FMT_omp_event_TASK_WAIT, 0, 0, 0);
	runtime_sync_wait(5, 2, runtime_here());
	tool_load(1);
}

Test(ompt_wait, locks_have_their_address)
{
	static const struct {
		int kind;
		enum fmt_omp_state state;
		enum fmt_omp_event event;
		uint64_t object;
	} mutexes[] = {{1, FMT_omp_state_LOCK, FMT_omp_event_LOCK, 0x1000},
	               {3, FMT_omp_state_LOCK, FMT_omp_event_LOCK, 0x1000},
	               {5, FMT_omp_state_CRITICAL, FMT_omp_event_CRITICAL, 0x1000},
	               {6, FMT_omp_state_REDUCTION, FMT_omp_event_REDUCTION, 0},
	               {7, FMT_omp_state_ORDERED, FMT_omp_event_ORDERED, 0}};

	for (int i = 0; i < 5; i++) {
		runtime_mutex_acquire(mutexes[i].kind, 0x1000);
		cr_assert_eq(tool_state(), (int)mutexes[i].state);
		runtime_mutex_acquired(mutexes[i].kind, 0x1000);
		cr_assert_eq(tool_state(), FMT_omp_state_NONE);
		tool_load(i + 1);
		tool_is_record(i, mutexes[i].event, 0, 0, 0);
		cr_assert_eq(tool_other(i), mutexes[i].object);
	}
	runtime_mutex_acquire(2, 0x1000);
	runtime_mutex_acquired(2, 0x1000);
	runtime_mutex_acquire(4, 0x1000);
	runtime_mutex_acquired(4, 0x1000);
	tool_load(5);
}

Test(ompt_wait, a_nested_lock_that_is_owned_already_is_acquired)
{
	runtime_nest_lock(1, 0x1000);
	tool_load(0);
	runtime_mutex_acquire(3, 0x1000);
	runtime_nest_lock(2, 0x1000);
	tool_load(0);
	runtime_nest_lock(1, 0x1000);
	tool_load(1);
	tool_is_record(0, FMT_omp_event_LOCK, 0, 0, 0);
	cr_assert_eq(tool_other(0), 0x1000);
	cr_assert_eq(tool_thread->omp.wait_depth, 0);
}

Test(ompt_wait, waits_deeper_than_can_be_kept_end_all_the_same)
{
	for (int i = 0; i < OMP_DEPTH + 2; i++)
		runtime_mutex_acquire(1, (uint64_t)i);
	for (int i = OMP_DEPTH + 1; i >= 0; i--)
		runtime_mutex_acquired(1, (uint64_t)i);
	cr_assert_eq(tool_thread->omp.wait_depth, 0);
	cr_assert_eq(
		scratch_records("omptrace", FMT_KIND_omp, tool_records, sizeof(tool_records[0]), 1),
		OMP_DEPTH);
	cr_assert_eq(tool_other(0), OMP_DEPTH - 1);
}
