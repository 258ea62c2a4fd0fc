/* ompt_runtime.c: the runtime that calls the tool, and the stacks outside it. See ompt_part.h. */
#include "libcollector/omp/ompt_part.h"

#include "libcollector/base/object.h"
#include "libcollector/omp/ompt.h"
#include "libcollector/unwind/tree.h"

static atomic_uint is_used;
static ompt_get_task_info_t get_task_info;
static struct object_found library; /* the runtime */

void ompt_runtime_set(uintptr_t function, ompt_get_task_info_t task_info)
{
	if (object_find(function, &library) != 0)
		library.start = library.end = 0;
	get_task_info = task_info;
}

void ompt_runtime_use(int is)
{
	atomic_store(&is_used, (unsigned)is);
}

int ompt_tells_of(uint64_t address)
{
	return atomic_load_explicit(&is_used, memory_order_acquire) && address >= library.start &&
	       address < library.end;
}

const uint64_t *ompt_runtime_frame(void)
{
	ompt_frame_t *frame = NULL;

	if (get_task_info && get_task_info(0, NULL, NULL, &frame, NULL, NULL) && frame)
		return &frame->exit_frame.value;
	return NULL;
}

uint32_t ompt_stack(const void *code, const struct caller *caller, enum fmt_pc_mark mark,
                    uint32_t *base)
{
	struct col_thread *thread = scope_enter();
	uint32_t node = thread ? stack_of(thread, caller) : 0;

	node = tree_outward(node, (uint64_t)code);
	/* For the tasks of a task loop, the runtime reports only a place in itself. */
	node = tree_outside(node, library.start, library.end);
	if (base)
		*base = node ? tree_node(node, mark) : 0;
	if (thread)
		scope_leave(thread);
	return node;
}

void ompt_record(struct col_thread *thread, enum fmt_omp_event event, uint64_t duration,
                 uint64_t now, uint64_t other, const void *code, const struct caller *caller)
{
	const struct omp_base *base = omp_innermost(thread);

	if (!omp_is_traced())
		return;
	omp_record(thread,
	           &(struct omp_event){.event = event,
	                               .region = base ? base->region : 0,
	                               .task = base ? base->task : 0,
	                               .stack = ompt_stack(code, caller, FMT_PC_PARALLEL, NULL),
	                               .now = now,
	                               .duration = duration,
	                               .other = other});
}
