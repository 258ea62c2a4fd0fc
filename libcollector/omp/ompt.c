/* ompt.c: a tool of OpenMP runtimes that have the tool interface (libomp): its callbacks turn what
 * the runtime tells into bases and records (ompt_part.h).
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/ompt_part.h"

#include "libcollector/hook/next.h"
#include "libcollector/write/log.h"

#include <stdlib.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	if (!set)
		return 0;
	ompt_runtime_set((uintptr_t)set, (ompt_get_task_info_t)lookup("ompt_get_task_info"));
#define CALLBACK(name) set(ompt_callback_##name, (ompt_callback_t)ompt_on_##name);
	OMPT_CALLBACKS(CALLBACK)
	ompt_runtime_use(1);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
	ompt_runtime_use(0);
}

typedef ompt_start_tool_result_t *start_tool(unsigned version, const char *runtime);

/* The runtime's own definition is weak and searches further; a tool that the program brings comes
 * before ours. */
EXPORT start_tool ompt_start_tool;
EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};
	start_tool *next = (start_tool *)next_definition("ompt_start_tool",
	                                                 (const void *)ompt_start_tool);
	ompt_start_tool_result_t *others = next ? next(version, runtime) : NULL;

	if (others)
		col_log_warning("OpenMP is not recorded: the program has a tool of its own (OMPT)");
	if (others || getenv("OMP_TOOL_LIBRARIES") || !col_is_recording() || !col.descriptor.omp)
		return others;
	return &result;
}
