/* tool.c: see tool.h. */
#include "tests/unit/libcollector/omp/tool.h"

#include "libcollector/base/collector.h"
#include "tests/unit/libcollector/omp/runtime.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

void *tool_runtime;
ompt_frame_t **tool_frame;
struct col_thread *tool_thread;
ompt_start_tool_result_t *tool_made;

static ompt_interface_fn_t look_up(const char *name)
{
	const char *made = strcmp(name, "ompt_set_callback") == 0    ? "made_set"
	                   : strcmp(name, "ompt_get_task_info") == 0 ? "made_task_info"
	                                                             : "";

	return (ompt_interface_fn_t)(uintptr_t)dlsym(tool_runtime, made);
}

void tool_open(void)
{
	scratch_open();
	tool_runtime = scratch_load("omp.so", RTLD_NOW | RTLD_LOCAL);
	runtime_callbacks = dlsym(tool_runtime, "made_callbacks");
	tool_frame = dlsym(tool_runtime, "made_frame");
	col.descriptor.omp = OMP_EVENTS;
	omp_start();
	tool_thread = thread_current();
	omp_thread_begin(tool_thread);
	tool_made = ompt_start_tool(201811, "made");
	cr_assert_not_null(tool_made);
	cr_assert_eq(tool_made->initialize(look_up, 0, &tool_made->tool_data), 1);
}

struct fmt_omp tool_records[TOOL_RECORDS];

void tool_load(int expected)
{
	int count = scratch_records("omptrace", FMT_KIND_omp, tool_records, sizeof(tool_records[0]),
	                            TOOL_RECORDS);

	cr_assert_eq(count, expected, "%d records", count);
}

void tool_is_record(int index, enum fmt_omp_event event, unsigned number, uint32_t region,
                    uint32_t task)
{
	const struct fmt_omp *record = &tool_records[index];

	cr_assert_eq(record->event, event, "%d: event %d", index, record->event);
	cr_assert_eq(record->number, number, "%d: number %d", index, record->number);
	cr_assert_eq(record->region, region, "%d: region %u", index, record->region);
	cr_assert_eq(record->task, task, "%d: task %u", index, record->task);
}

uint64_t tool_duration(int index)
{
	return fmt_u48_get(&tool_records[index].duration);
}

uint64_t tool_other(int index)
{
	return fmt_u48_get(&tool_records[index].other);
}

void tool_spend(void)
{
	uint64_t begin = col_ticks();

	while (col_ticks() < begin + SPENT)
		continue;
}

int tool_pcs(uint32_t node, uint64_t *pcs, int most)
{
	size_t len;
	struct fmt_node *nodes = (struct fmt_node *)scratch_read("frameinfo", &len);
	int count = 0;

	for (; node && count < most; node = nodes[node / sizeof(*nodes)].parent)
		pcs[count++] = nodes[node / sizeof(*nodes)].pc;
	free(nodes);
	return count;
}

int tool_state(void)
{
	return tool_thread->omp.state;
}
