/* What the wrappers of libgomp's entry points pass on and record. The library behind them is a
 * made-up one. */
#include "libcollector/omp/gomp.h"
#include "tests/unit/libcollector/omp/behind.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
bool GOMP_barrier_cancel(void);
void GOMP_critical_name_start(void **section);
bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long *from, long *to);

TestSuite(gomp, .init = behind_open, .fini = scratch_remove);

static int data = 5, runs;

static void *section;

static void run(void *got)
{
	cr_assert_eq(got, &data);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	runs++;
	tool_spend();
	cr_assert(GOMP_barrier_cancel());
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
}

static void made_parallel(void (*function)(void *), void *got, unsigned threads, unsigned flags)
{
	cr_assert_eq(tool_state(), FMT_omp_state_OVERHEAD);
	cr_assert(threads == 4 && flags == 2);
	function(got);
	function(got);
	cr_assert_eq(tool_state(), FMT_omp_state_IMPLICIT_BARRIER);
}

static bool made_barrier(void)
{
	cr_assert_eq(tool_state(), FMT_omp_state_EXPLICIT_BARRIER);
	tool_spend();
	return true;
}

static int made_number(void)
{
	return 3;
}

static void made_critical(void **got)
{
	cr_assert_eq(got, &section);
	cr_assert_eq(tool_state(), FMT_omp_state_CRITICAL);
}

static bool made_loop(long start, long end, long step, long chunk, long *from, long *to)
{
	*from = start + end;
	*to = step + chunk;
	tool_spend();
	return true;
}

static void set_all(void)
{
	behind_set(INDEX_GOMP_parallel, (pointer)made_parallel);
	behind_set(INDEX_GOMP_barrier_cancel, (pointer)made_barrier);
	behind_set(INDEX_omp_get_thread_num, (pointer)made_number);
	behind_set(INDEX_GOMP_critical_name_start, (pointer)made_critical);
	behind_set(INDEX_GOMP_loop_dynamic_start, (pointer)made_loop);
}

Test(gomp, a_region_has_its_threads_and_their_waits)
{
	set_all();
	cr_assert_eq(tool_state(), FMT_omp_state_SERIAL);
	GOMP_parallel(run, &data, 4, 2);
	cr_assert_eq(tool_state(), FMT_omp_state_SERIAL);
	cr_assert_eq(runs, 2);
	tool_load(5);
	for (int i = 0; i < 4; i += 2) {
		tool_is_record(i, FMT_omp_event_EXPLICIT_BARRIER, 0, 1, 0);
		cr_assert_geq(tool_duration(i), SPENT);
		cr_assert_eq(tool_other(i), 0, "no time in tasks");
		tool_is_record(i + 1, FMT_omp_event_THREAD, 3, 1, 0);
		cr_assert_geq(tool_duration(i + 1), tool_duration(i) + SPENT);
		cr_assert_eq(tool_other(i + 1), tool_duration(i), "it waited");
	}
	tool_is_record(4, FMT_omp_event_PARALLEL, 2, 1, 0);
	cr_assert_geq(tool_duration(4), tool_duration(1) + tool_duration(3));
	GOMP_parallel(run, &data, 4, 2);
	tool_load(10);
	tool_is_record(9, FMT_omp_event_PARALLEL, 2, 2, 0);
}

Test(gomp, a_wait_for_an_object_names_it)
{
	set_all();
	GOMP_critical_name_start(&section);
	tool_load(1);
	tool_is_record(0, FMT_omp_event_CRITICAL, 0, 0, 0);
	cr_assert_eq(tool_other(0), (uint64_t)&section);
}

Test(gomp, a_loop_is_a_shared_construct)
{
	long from, to;

	set_all();
	cr_assert(GOMP_loop_dynamic_start(1, 20, 300, 4000, &from, &to));
	cr_assert(from == 21 && to == 4300);
	tool_load(1);
	tool_is_record(0, FMT_omp_event_LOOP, 0, 0, 0);
	cr_assert_geq(tool_duration(0), SPENT);
}

/* Where only the stacks are wanted, there are no events; where nothing is, states neither. */
Test(gomp, without_events_the_program_runs_as_well)
{
	set_all();
	atomic_store(&col.switches->on[SOURCE_OMP], OMP_STACKS);
	GOMP_parallel(run, &data, 4, 2);
	GOMP_critical_name_start(&section);
	cr_assert_eq(runs, 2);
	tool_load(0);
}
