/* What an OpenMP runtime reports through the tool interface, and its records. The runtime is
 * tests/programs/late/omp.c; the tests make the calls that it would make. */
#include "libcollector/omp/ompt.h"
#include "libcollector/omp/omp.h"
#include "libcollector/omp/ompt_abi.h"
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

static void *runtime;
static ompt_frame_t **frame;
static struct col_thread *thread;
static ompt_start_tool_result_t *tool;

static ompt_interface_fn_t look_up(const char *name)
{
	const char *made = strcmp(name, "ompt_set_callback") == 0    ? "made_set"
	                   : strcmp(name, "ompt_get_task_info") == 0 ? "made_task_info"
	                                                             : "";

	return (ompt_interface_fn_t)(uintptr_t)dlsym(runtime, made);
}

static void setup(void)
{
	scratch_open();
	runtime = scratch_load("omp.so", RTLD_NOW | RTLD_LOCAL);
	runtime_callbacks = dlsym(runtime, "made_callbacks");
	frame = dlsym(runtime, "made_frame");
	col.descriptor.omp = OMP_EVENTS;
	omp_start();
	thread = thread_current();
	omp_thread_begin(thread);
	tool = ompt_start_tool(201811, "made");
	cr_assert_not_null(tool);
	cr_assert_eq(tool->initialize(look_up, 0, &tool->tool_data), 1);
}

TestSuite(ompt, .init = setup, .fini = scratch_remove);

/* ---- the records */

static struct fmt_omp records[64];

static void load(int expected)
{
	int count = scratch_records("omptrace", FMT_KIND_omp, records, sizeof(records[0]), 64);

	cr_assert_eq(count, expected, "%d records", count);
}

static void is_record(int index, enum fmt_omp_event event, unsigned number, uint32_t region,
                      uint32_t task)
{
	const struct fmt_omp *record = &records[index];

	cr_assert_eq(record->event, event, "%d: event %d", index, record->event);
	cr_assert_eq(record->number, number, "%d: number %d", index, record->number);
	cr_assert_eq(record->region, region, "%d: region %u", index, record->region);
	cr_assert_eq(record->task, task, "%d: task %u", index, record->task);
}

static uint64_t duration(int index)
{
	return fmt_u48_get(&records[index].duration);
}

static uint64_t other(int index)
{
	return fmt_u48_get(&records[index].other);
}

enum { SPENT = 200000 };

static void spend(void)
{
	uint64_t begin = col_ticks();

	while (col_ticks() < begin + SPENT)
		continue;
}

/* The address of each frame of a node, from the innermost one outwards. */
static int pcs_of(uint32_t node, uint64_t *pcs, int most)
{
	size_t len;
	struct fmt_node *nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	int count = 0;

	for (; node && count < most; node = nodes[node / sizeof(*nodes)].parent)
		pcs[count++] = nodes[node / sizeof(*nodes)].pc;
	free(nodes);
	return count;
}

static int state(void)
{
	return thread->omp.state;
}

Test(ompt, a_region_has_its_threads_and_its_time)
{
	ompt_data_t region = {.value = 1};
	uint64_t pcs[4];

	runtime_parallel_begin(&region);
	cr_assert_eq(region.value >> 32, 1);
	cr_assert_eq(state(), FMT_omp_state_OVERHEAD);
	runtime_implicit_task(1, &region, 4, 2, 0);
	cr_assert_eq(state(), FMT_omp_state_WORK);
	spend();
	runtime_implicit_task(2, &region, 4, 2, 0);
	cr_assert_eq(state(), FMT_omp_state_IMPLICIT_BARRIER);
	spend();
	runtime_parallel_end(&region);
	cr_assert_eq(state(), FMT_omp_state_SERIAL);
	load(2);
	is_record(0, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert(duration(0) >= SPENT && duration(0) < duration(1));
	is_record(1, FMT_omp_event_PARALLEL, 4, 1, 0);
	cr_assert_geq(duration(1), 2 * SPENT);
	cr_assert_gt(pcs_of(records[1].stack, pcs, 4), 1);
	cr_assert_eq(pcs[0], (uint64_t)runtime_begun_at, "the stack of who began it");
	cr_assert_eq(pcs_of(records[0].stack, pcs, 4), 4);
	cr_assert_eq(pcs[0], FMT_PC_PARALLEL);
	cr_assert_eq(pcs[1], (uint64_t)runtime_begun_at);
	cr_assert_eq(thread->events[SOURCE_OMP], 2);
	cr_assert_eq(thread->omp.depth, 0);
}

Test(ompt, regions_may_be_nested)
{
	ompt_data_t outer, inner;

	runtime_parallel_begin(&outer);
	runtime_implicit_task(1, &outer, 2, 0, 0);
	runtime_parallel_begin(&inner);
	runtime_implicit_task(1, &inner, 3, 1, 0);
	runtime_work(1, 1);
	runtime_implicit_task(2, &inner, 3, 1, 0);
	runtime_parallel_end(&inner);
	cr_assert_eq(state(), FMT_omp_state_WORK);
	runtime_work(1, 1);
	runtime_implicit_task(2, &outer, 2, 0, 0);
	runtime_parallel_end(&outer);
	load(6);
	is_record(0, FMT_omp_event_LOOP, 0, 2, 0);
	is_record(1, FMT_omp_event_THREAD, 1, 2, 0);
	is_record(2, FMT_omp_event_PARALLEL, 3, 2, 0);
	is_record(3, FMT_omp_event_LOOP, 0, 1, 0);
	is_record(4, FMT_omp_event_THREAD, 0, 1, 0);
	is_record(5, FMT_omp_event_PARALLEL, 2, 1, 0);
	runtime_parallel_end(&outer);
	load(6);
}

/* As many as there is room for are recorded; the others are counted. */
Test(ompt, regions_nested_deeper_than_can_be_kept_end_all_the_same)
{
	ompt_data_t regions[OMP_REGIONS + 3];

	for (int i = 0; i < OMP_REGIONS + 3; i++)
		runtime_parallel_begin(&regions[i]);
	for (int i = OMP_REGIONS + 2; i >= 0; i--)
		runtime_parallel_end(&regions[i]);
	load(OMP_REGIONS);
	is_record(0, FMT_omp_event_PARALLEL, 0, OMP_REGIONS, 0);
	is_record(OMP_REGIONS - 1, FMT_omp_event_PARALLEL, 0, 1, 0);
	cr_assert_eq(thread->omp.region_depth, 0);
}

Test(ompt, the_initial_task_is_no_threads)
{
	ompt_data_t region = {.value = 0};

	runtime_implicit_task(1, &region, 1, 0, 1);
	cr_assert_eq(thread->omp.depth, 0);
	runtime_implicit_task(2, &region, 1, 0, 1);
	load(0);
}

/* ---- waits */

static void wait_for(int kind, enum fmt_omp_state in, enum fmt_omp_event event, int index)
{
	runtime_sync_wait(kind, 1, runtime_here());
	cr_assert_eq(state(), (int)in);
	spend();
	runtime_sync_wait(kind, 2, runtime_here());
	cr_assert_eq(state(), FMT_omp_state_WORK);
	load(index + 1);
	is_record(index, event, 0, 1, 0);
	cr_assert_geq(duration(index), SPENT);
}

Test(ompt, waits_have_their_kind_and_count_for_their_thread)
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
	cr_assert_eq(state(), FMT_omp_state_REDUCTION);
	runtime_reduction(2);
	runtime_implicit_task(2, &region, 4, 2, 0);
	load(8);
	is_record(6, FMT_omp_event_REDUCTION, 0, 1, 0);
	for (int i = 0; i < 7; i++)
		waited += duration(i);
	is_record(7, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert_eq(other(7), waited);
}

#define LAST ((const void *)-1) /* where the region began */

/* It lasts from the thread's end to the region's: readers know this. */
static void last_barrier(int kind, const void *code)
{
	ompt_data_t region;
	int before = scratch_records("omptrace", FMT_KIND_omp, records, sizeof(records[0]), 64);

	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	code = code == LAST ? runtime_begun_at : code;
	runtime_sync_wait(kind, 1, code);
	cr_assert_eq(state(), FMT_omp_state_IMPLICIT_BARRIER);
	load(before + 1);
	cr_assert_eq(records[before].event, FMT_omp_event_THREAD);
	runtime_sync_wait(kind, 2, code);
	runtime_sync_wait(1, 1, code);
	runtime_sync_wait(1, 2, code);
	runtime_implicit_task(2, &region, 4, 2, 0);
	load(before + 1);
	runtime_parallel_end(&region);
	load(before + 2);
}

Test(ompt, the_barrier_at_the_end_of_a_region_ends_its_threads)
{
	last_barrier(9, runtime_here());
	last_barrier(2, NULL);
	last_barrier(2, LAST);
}

Test(ompt, a_worker_that_waits_for_its_first_region_waits_for_nothing)
{
	runtime_sync_wait(2, 1, NULL);
	runtime_sync_wait(9, 1, NULL);
	load(0);
	cr_assert_eq(thread->omp.wait_depth, 0);
	runtime_sync_wait(5, 1, runtime_here());
	runtime_sync_wait(5, 2, runtime_here());
	load(1);
	is_record(0, FMT_omp_event_TASK_WAIT, 0, 0, 0);
	runtime_sync_wait(5, 2, runtime_here());
	load(1);
}

Test(ompt, locks_have_their_address)
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
		cr_assert_eq(state(), (int)mutexes[i].state);
		runtime_mutex_acquired(mutexes[i].kind, 0x1000);
		cr_assert_eq(state(), FMT_omp_state_NONE);
		load(i + 1);
		is_record(i, mutexes[i].event, 0, 0, 0);
		cr_assert_eq(other(i), mutexes[i].object);
	}
	runtime_mutex_acquire(2, 0x1000);
	runtime_mutex_acquired(2, 0x1000);
	runtime_mutex_acquire(4, 0x1000);
	runtime_mutex_acquired(4, 0x1000);
	load(5);
}

Test(ompt, a_nested_lock_that_is_owned_already_is_acquired)
{
	runtime_nest_lock(1, 0x1000);
	load(0);
	runtime_mutex_acquire(3, 0x1000);
	runtime_nest_lock(2, 0x1000);
	load(0);
	runtime_nest_lock(1, 0x1000);
	load(1);
	is_record(0, FMT_omp_event_LOCK, 0, 0, 0);
	cr_assert_eq(other(0), 0x1000);
	cr_assert_eq(thread->omp.wait_depth, 0);
}

Test(ompt, waits_deeper_than_can_be_kept_end_all_the_same)
{
	for (int i = 0; i < OMP_DEPTH + 2; i++)
		runtime_mutex_acquire(1, (uint64_t)i);
	for (int i = OMP_DEPTH + 1; i >= 0; i--)
		runtime_mutex_acquired(1, (uint64_t)i);
	cr_assert_eq(thread->omp.wait_depth, 0);
	cr_assert_eq(scratch_records("omptrace", FMT_KIND_omp, records, sizeof(records[0]), 1),
	             OMP_DEPTH);
	cr_assert_eq(other(0), OMP_DEPTH - 1);
}

/* ---- tasks and shared constructs */

Test(ompt, a_task_is_made_and_executed)
{
	ompt_data_t task, implicit;
	uint64_t pcs[4];

	runtime_task_create(&implicit, 2);
	cr_assert_eq(implicit.value, 0);
	runtime_task_create(&task, 4);
	cr_assert_eq(task.value >> 32, 1);
	runtime_task_schedule(&runtime_no_task, 7, &task);
	cr_assert_eq(state(), FMT_omp_state_WORK);
	spend();
	runtime_mutex_acquire(5, 0x1000);
	spend();
	runtime_mutex_acquired(5, 0x1000);
	runtime_task_schedule(&task, 1, &runtime_no_task);
	cr_assert_eq(state(), FMT_omp_state_NONE);
	load(3);
	is_record(0, FMT_omp_event_TASK_CREATE, 0, 0, 1);
	cr_assert_eq(duration(0), 0);
	cr_assert_gt(pcs_of(records[0].stack, pcs, 4), 1);
	cr_assert_eq(pcs[0], (uint64_t)runtime_begun_at);
	is_record(1, FMT_omp_event_CRITICAL, 0, 0, 1);
	is_record(2, FMT_omp_event_TASK, 0, 0, 1);
	cr_assert_geq(duration(2), 2 * SPENT);
	cr_assert_eq(other(2), duration(1));
	cr_assert_gt(pcs_of(records[2].stack, pcs, 4), 2);
	cr_assert_eq(pcs[0], FMT_PC_TASK);
	cr_assert_eq(pcs[1], (uint64_t)runtime_begun_at);
}

/* Time in tasks that a thread executes while it waits is not time that it waited. */
Test(ompt, a_task_in_a_wait_is_not_waited_for)
{
	ompt_data_t region, task;

	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	runtime_task_create(&task, 4);
	runtime_sync_wait(5, 1, runtime_here());
	runtime_task_schedule(&runtime_no_task, 7, &task);
	spend();
	runtime_task_schedule(&task, 1, &runtime_no_task);
	runtime_sync_wait(5, 2, runtime_here());
	runtime_implicit_task(2, &region, 4, 2, 0);
	load(4);
	is_record(0, FMT_omp_event_TASK_CREATE, 0, 1, 1);
	is_record(1, FMT_omp_event_TASK, 0, 1, 1);
	is_record(2, FMT_omp_event_TASK_WAIT, 0, 1, 0);
	cr_assert_eq(other(2), duration(1));
	is_record(3, FMT_omp_event_THREAD, 2, 1, 0);
	cr_assert_eq(other(3), duration(2) - duration(1));
}

Test(ompt, a_task_may_lie_on_another_one)
{
	ompt_data_t outer, inner;

	runtime_task_create(&outer, 4);
	runtime_task_create(&inner, 4);
	runtime_task_schedule(&runtime_no_task, 7, &outer);
	runtime_task_schedule(&outer, 7, &inner);
	cr_assert_eq(thread->omp.depth, 2);
	runtime_task_schedule(&inner, 1, &outer);
	cr_assert_eq(thread->omp.depth, 1);
	runtime_task_schedule(&outer, 3, &runtime_no_task);
	load(4);
	is_record(2, FMT_omp_event_TASK, FMT_OMP_TASK_INNER, 0, 2);
	is_record(3, FMT_omp_event_TASK, 0, 0, 1);
}

Test(ompt, a_part_of_an_untied_task_goes_on_later)
{
	ompt_data_t untied, other_one;

	runtime_task_create(&untied, 4);
	runtime_task_create(&other_one, 4);
	runtime_task_schedule(&runtime_no_task, 7, &untied);
	runtime_task_schedule(&untied, 7, &runtime_no_task);
	load(3);
	is_record(2, FMT_omp_event_TASK, FMT_OMP_TASK_GOES_ON, 0, 1);
	runtime_task_schedule(&runtime_no_task, 7, &untied);
	runtime_task_schedule(&untied, 7, &other_one);
	runtime_task_schedule(&other_one, 7, &untied);
	load(4);
	is_record(3, FMT_omp_event_TASK, FMT_OMP_TASK_GOES_ON | FMT_OMP_TASK_INNER, 0, 2);
	runtime_task_schedule(&untied, 4, NULL);
	load(5);
	is_record(4, FMT_omp_event_TASK, 0, 0, 1);
	cr_assert_eq(thread->omp.depth, 0);
}

Test(ompt, shared_constructs_are_told_where_they_begin)
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
		load(i + 1);
		is_record(i, kinds[i].event, 0, 0, 0);
		cr_assert_eq(duration(i), 0);
	}
	runtime_work(4, 1);
	runtime_work(5, 1);
	runtime_work(8, 1);
	load(9);
	runtime_masked(1);
	runtime_masked(2);
	load(10);
	is_record(9, FMT_omp_event_MASTER, 0, 0, 0);
}

/* The runtime's frames end where, as it reports, the task's frames begin. */
Test(ompt, the_frame_of_a_task_is_where_walks_end)
{
	ompt_frame_t made = {.exit_frame = {.value = 0x7000}};
	ompt_data_t region;

	*frame = &made;
	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	cr_assert_eq(omp_innermost(thread)->runtime_frame, &made.exit_frame.value);
	cr_assert_eq(omp_innermost(thread)->node, (uint32_t)region.value);
}

/* ---- what is recorded, and for whom */

Test(ompt, stacks_alone_have_no_records)
{
	ompt_data_t region;

	col.descriptor.omp = OMP_STACKS;
	omp_start();
	runtime_parallel_begin(&region);
	runtime_implicit_task(1, &region, 4, 2, 0);
	runtime_work(1, 1);
	cr_assert_neq((uint32_t)region.value, 0, "a base");
	runtime_implicit_task(2, &region, 4, 2, 0);
	runtime_parallel_end(&region);
	load(0);
}

Test(ompt, what_begins_in_a_pause_has_no_record)
{
	ompt_data_t region, task;

	atomic_store(&col.switches->on[SOURCE_OMP], OMP_OFF);
	runtime_parallel_begin(&region);
	cr_assert_eq(region.value, 0);
	runtime_implicit_task(1, &region, 4, 2, 0);
	runtime_task_create(&task, 4);
	cr_assert_eq(task.value, 0);
	runtime_sync_wait(5, 1, runtime_here());
	omp_start();
	runtime_sync_wait(5, 2, runtime_here());
	runtime_implicit_task(2, &region, 4, 2, 0);
	runtime_parallel_end(&region);
	load(0);
	cr_assert_eq(thread->omp.depth, 0);
	cr_assert_eq(thread->omp.wait_depth, 0);
}

Test(ompt, the_runtime_that_tells_is_known_by_its_code)
{
	uint64_t code = (uint64_t)dlsym(runtime, "made_task_info");

	cr_assert_eq(ompt_tells_of(code), 1);
	cr_assert_eq(ompt_tells_of((uint64_t)&runtime_here), 0);
	tool->finalize(&tool->tool_data);
	cr_assert_eq(ompt_tells_of(code), 0);
}

static ompt_interface_fn_t look_up_nothing(const char *name)
{
	(void)name;
	return NULL;
}

Test(ompt, a_runtime_without_callbacks_is_not_used)
{
	cr_assert_eq(tool->initialize(look_up_nothing, 0, &tool->tool_data), 0);
}

Test(ompt, there_is_no_tool_where_openmp_is_not_recorded)
{
	setenv("OMP_TOOL_LIBRARIES", "other.so", 1);
	cr_assert_null(ompt_start_tool(201811, "made"), "the user has named one");
	unsetenv("OMP_TOOL_LIBRARIES");
	cr_assert_not_null(ompt_start_tool(201811, "made"));
	col.descriptor.omp = 0;
	cr_assert_null(ompt_start_tool(201811, "made"));
	col.descriptor.omp = OMP_EVENTS;
	atomic_store(&col.switches->recording, 0);
	cr_assert_null(ompt_start_tool(201811, "made"));
}
