/* The tool of OpenMP runtimes: what is recorded, and for whom. */
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/omp/ompt.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

TestSuite(ompt, .init = tool_open, .fini = scratch_remove);

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
	tool_load(0);
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
	tool_load(0);
	cr_assert_eq(tool_thread->omp.depth, 0);
	cr_assert_eq(tool_thread->omp.wait_depth, 0);
}

Test(ompt, the_runtime_that_tells_is_known_by_its_code)
{
	uint64_t code = (uint64_t)dlsym(tool_runtime, "made_task_info");

	cr_assert_eq(ompt_tells_of(code), 1);
	cr_assert_eq(ompt_tells_of((uint64_t)&runtime_here), 0);
	tool_made->finalize(&tool_made->tool_data);
	cr_assert_eq(ompt_tells_of(code), 0);
}

static ompt_interface_fn_t look_up_nothing(const char *name)
{
	(void)name;
	return NULL;
}

Test(ompt, a_runtime_without_callbacks_is_not_used)
{
	cr_assert_eq(tool_made->initialize(look_up_nothing, 0, &tool_made->tool_data), 0);
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
