/* ompt.c: a tool of OpenMP runtimes that have the tool interface (libomp): turns their callbacks
 * into bases and records.
 *
 * Callbacks run inside the runtime, in the thread that they are about. The caller of the runtime is
 * known by the return address in their arguments, which is searched on the stack. The runtime keeps
 * 64 bits for each region and task: they hold the ordinal in the high half, and the node of the
 * base in the low half.
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/ompt.h"

#include "libcollector/base/object.h"
#include "libcollector/hook/next.h"
#include "libcollector/omp/omp.h"
#include "libcollector/omp/ompt_abi.h"
#include "libcollector/thread/scope.h"
#include "libcollector/unwind/tree.h"
#include "libcollector/write/log.h"

#include <stdlib.h>

static atomic_uint is_used;
static ompt_get_task_info_t get_task_info;
static struct object_found library; /* the runtime */

int ompt_tells_of(uint64_t address)
{
	return atomic_load_explicit(&is_used, memory_order_acquire) && address >= library.start &&
	       address < library.end;
}

/* Is a construct that begins now to be recorded? The piles of the thread are kept even during a
 * pause, since a construct may end after it. */
static int is_on(void)
{
	return col_on(SOURCE_OMP) != OMP_OFF;
}

/* When something begins; 0: it is not to be recorded. */
static uint64_t beginning(void)
{
	return is_on() ? col_ticks() : 0;
}

static uint64_t pack(uint32_t ordinal, uint32_t node)
{
	return (uint64_t)ordinal << 32 | node;
}

static uint32_t ordinal_of(const ompt_data_t *data)
{
	return data ? (uint32_t)(data->value >> 32) : 0;
}

static uint32_t node_of(const ompt_data_t *data)
{
	return data ? (uint32_t)data->value : 0;
}

/* The stack from the frame that `code` returns to, outwards; if base is not NULL, also the node
 * outside `mark`. The frames inside it belong to the runtime. */
static uint32_t stack_at(const void *code, const struct caller *caller, enum fmt_pc_mark mark,
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

/* A record of the thread's work in its innermost region or task, if constructs are recorded. */
static void record(struct col_thread *thread, enum fmt_omp_event event, uint64_t duration,
                   uint64_t now, uint64_t other, const void *code, const struct caller *caller)
{
	const struct omp_base *base = omp_innermost(thread);

	if (!omp_is_traced())
		return;
	omp_record(thread,
	           &(struct omp_event){.event = event,
	                               .region = base ? base->region : 0,
	                               .task = base ? base->task : 0,
	                               .stack = stack_at(code, caller, FMT_PC_PARALLEL, NULL),
	                               .now = now,
	                               .duration = duration,
	                               .other = other});
}

/* ---- regions ---- */

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *code)
{
	struct col_thread *thread = thread_current();
	struct omp_thread *omp = thread ? &thread->omp : NULL;
	uint32_t base, stack = 0, id = 0;

	(void)task, (void)frame, (void)requested, (void)flags;
	parallel->value = 0;
	if (!omp)
		return;
	if (is_on()) {
		id = omp_new_region();
		stack = stack_at(code, &CALLER, FMT_PC_PARALLEL, &base);
		parallel->value = pack(id, base);
	}
	if (omp->region_depth < OMP_REGIONS)
		omp->region[omp->region_depth] = (struct omp_region){.begin = col_ticks(),
		                                                     .id = id,
		                                                     .node = stack,
		                                                     .code = code,
		                                                     .state = omp->state};
	omp->region_depth++;
	omp->state = FMT_omp_state_OVERHEAD;
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
	struct col_thread *thread = thread_current();
	uint64_t now = col_ticks();
	struct omp_thread *omp = thread ? &thread->omp : NULL;
	const struct omp_region *region;

	(void)task, (void)flags, (void)code;
	if (!omp || omp->region_depth == 0)
		return;
	if (--omp->region_depth >= OMP_REGIONS)
		return;
	region = &omp->region[omp->region_depth];
	omp->state = region->state ? region->state : FMT_omp_state_SERIAL;
	if (region->id == 0 || region->id != ordinal_of(parallel))
		return;
	omp_record(thread, &(struct omp_event){.event = FMT_omp_event_PARALLEL,
	                                       .number = region->threads,
	                                       .region = region->id,
	                                       .stack = region->node,
	                                       .now = now,
	                                       .duration = now - region->begin});
}

/* The thread's code in the region has ended; the barrier at its end follows, and workers learn late
 * that this is over. */
static void end_thread(struct col_thread *thread, struct omp_base *base)
{
	uint64_t now = col_ticks();

	if (base->is_over)
		return;
	base->is_over = 1;
	thread->omp.state = FMT_omp_state_IMPLICIT_BARRIER;
	if (base->region == 0 || base->begin == 0)
		return;
	omp_record(thread, &(struct omp_event){.event = FMT_omp_event_THREAD,
	                                       .number = base->number,
	                                       .region = base->region,
	                                       .stack = base->node,
	                                       .now = now,
	                                       .duration = now - base->begin,
	                                       .other = base->waited});
}

static void begin_thread(struct col_thread *thread, const ompt_data_t *parallel, unsigned team,
                         unsigned number)
{
	struct omp_base base = {.node = node_of(parallel),
	                        .region = ordinal_of(parallel),
	                        .number = (uint16_t)number,
	                        .begin = beginning()};
	struct omp_thread *omp = &thread->omp;
	ompt_frame_t *frame = NULL;

	if (get_task_info && get_task_info(0, NULL, NULL, &frame, NULL, NULL) && frame)
		base.runtime_frame = &frame->exit_frame.value;
	omp_push(thread, &base);
	omp->state = FMT_omp_state_WORK;
	if (omp->region_depth > 0 && omp->region_depth <= OMP_REGIONS &&
	    omp->region[omp->region_depth - 1].id == base.region)
		omp->region[omp->region_depth - 1].threads = (uint16_t)team;
}

static void on_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team,
                             unsigned number, int flags)
{
	struct col_thread *thread = thread_current();
	struct omp_base *base;

	if (task && endpoint == ompt_scope_begin)
		task->value = 0;
	if (!thread || flags & ompt_task_initial)
		return;
	if (endpoint == ompt_scope_begin) {
		begin_thread(thread, parallel, team, number);
		return;
	}
	base = omp_innermost(thread);
	if (base && !base->task)
		end_thread(thread, base);
	if (thread->omp.depth > 0)
		omp_pop(thread, thread->omp.depth - 1);
}

/* ---- waits ---- */

static void begin_wait(struct col_thread *thread, enum fmt_omp_state state)
{
	struct omp_thread *omp = &thread->omp;

	if (omp->wait_depth < OMP_DEPTH && omp_make_piles(omp))
		omp->piles->wait[omp->wait_depth] = (struct omp_wait){beginning(), omp->in_tasks,
		                                                      omp->state};
	omp->wait_depth++;
	omp->state = (uint8_t)state;
}

static void end_wait(struct col_thread *thread, enum fmt_omp_state state, uint64_t object,
                     const void *code, const struct caller *caller)
{
	struct omp_thread *omp = &thread->omp;
	struct omp_base *base = omp_innermost(thread);
	uint64_t now = col_ticks();
	const struct omp_wait *wait;
	uint64_t in_tasks;

	if (omp->wait_depth == 0 || --omp->wait_depth >= OMP_DEPTH || !omp->piles)
		return;
	wait = &omp->piles->wait[omp->wait_depth];
	omp->state = wait->state;
	if (wait->begin == 0)
		return;
	in_tasks = omp->in_tasks - wait->in_tasks;
	if (base)
		base->waited += now - wait->begin - in_tasks;
	record(thread,
	       (enum fmt_omp_event)(FMT_omp_event_IMPLICIT_BARRIER -
	                            FMT_omp_state_IMPLICIT_BARRIER + state),
	       now - wait->begin, now, object ? object : in_tasks, code, caller);
}

static enum fmt_omp_state state_of_sync(int kind)
{
	switch (kind) {
	case ompt_sync_region_taskwait:
	case ompt_sync_region_taskgroup:
		return FMT_omp_state_TASK_WAIT;
	case ompt_sync_region_reduction:
		return FMT_omp_state_REDUCTION;
	case ompt_sync_region_barrier:
	case ompt_sync_region_barrier_explicit:
		return FMT_omp_state_EXPLICIT_BARRIER;
	default:
		return FMT_omp_state_IMPLICIT_BARRIER;
	}
}

/* The barrier at the end of a parallel region: older runtimes report it like others, but with the
 * place of the whole region, or without one. */
static int is_last_barrier(const struct omp_thread *omp, int kind, const void *code)
{
	uint32_t depth = omp->region_depth;

	if (kind == ompt_sync_region_barrier_implicit_parallel)
		return 1;
	return kind == ompt_sync_region_barrier_implicit &&
	       (!code ||
	        (depth > 0 && depth <= OMP_REGIONS && omp->region[depth - 1].code == code));
}

static void on_sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                                const void *code)
{
	struct col_thread *thread = thread_current();
	struct omp_base *base = thread ? omp_innermost(thread) : NULL;

	(void)parallel, (void)task;
	if (!thread)
		return;
	/* The barrier at the end of a region lasts from the end of each thread's work to the end of
	 * the region; a worker may wait there before it knows its region. */
	if (base ? base->is_over : state_of_sync(kind) == FMT_omp_state_IMPLICIT_BARRIER)
		return;
	if (base && !base->task && is_last_barrier(&thread->omp, kind, code)) {
		if (endpoint == ompt_scope_begin)
			end_thread(thread, base);
		return;
	}
	if (endpoint == ompt_scope_begin)
		begin_wait(thread, state_of_sync(kind));
	else
		end_wait(thread, state_of_sync(kind), 0, code, &CALLER);
}

static void on_reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                         const void *code)
{
	(void)kind;
	on_sync_region_wait(ompt_sync_region_reduction, endpoint, parallel, task, code);
}

/* A thread does not wait for a lock that it only tries. */
static enum fmt_omp_state state_of_mutex(int kind)
{
	switch (kind) {
	case ompt_mutex_lock:
	case ompt_mutex_nest_lock:
		return FMT_omp_state_LOCK;
	case ompt_mutex_critical:
		return FMT_omp_state_CRITICAL;
	case ompt_mutex_atomic:
		return FMT_omp_state_REDUCTION;
	case ompt_mutex_ordered:
		return FMT_omp_state_ORDERED;
	default:
		return FMT_omp_state_NONE;
	}
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t object,
                             const void *code)
{
	struct col_thread *thread = thread_current();

	(void)hint, (void)implementation, (void)object, (void)code;
	if (thread && state_of_mutex(kind))
		begin_wait(thread, state_of_mutex(kind));
}

static void on_mutex_acquired(int kind, uint64_t object, const void *code)
{
	struct col_thread *thread = thread_current();

	enum fmt_omp_state state = state_of_mutex(kind);

	if (thread && state)
		end_wait(thread, state,
		         state == FMT_omp_state_LOCK || state == FMT_omp_state_CRITICAL ? object
		                                                                        : 0,
		         code, &CALLER);
}

/* If its owner takes a lock again, there is no callback that it was acquired. A lock that was only
 * tried has begun no wait. */
static void on_nest_lock(int endpoint, uint64_t object, const void *code)
{
	struct col_thread *thread = thread_current();

	if (thread && endpoint == ompt_scope_begin && thread->omp.state == FMT_omp_state_LOCK)
		end_wait(thread, FMT_omp_state_LOCK, object, code, &CALLER);
}

/* ---- tasks and shared constructs ---- */

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task,
                           int flags, int has_dependences, const void *code)
{
	struct col_thread *thread = thread_current();
	uint32_t base, stack, id;

	(void)encountering, (void)frame, (void)has_dependences;
	task->value = 0;
	if (!thread || !is_on() || !(flags & ompt_task_explicit))
		return;
	id = omp_new_task();
	stack = stack_at(code, &CALLER, FMT_PC_TASK, &base);
	task->value = pack(id, base);
	omp_record(thread, &(struct omp_event){.event = FMT_omp_event_TASK_CREATE,
	                                       .region = omp_innermost(thread)
	                                                         ? omp_innermost(thread)->region
	                                                         : 0,
	                                       .task = id,
	                                       .stack = stack,
	                                       .now = col_ticks()});
}

static void end_task(struct col_thread *thread, const struct omp_base *base, unsigned goes_on)
{
	struct omp_thread *omp = &thread->omp;
	uint64_t begin = base->begin, now = begin ? col_ticks() : 0;
	struct omp_event event = {.event = FMT_omp_event_TASK,
	                          .region = base->region,
	                          .task = base->task,
	                          .stack = base->node,
	                          .now = now,
	                          .duration = now - begin,
	                          .other = base->waited};
	const struct omp_base *outer;

	omp->in_tasks = base->in_tasks + event.duration;
	omp->state = base->state;
	omp_pop(thread, omp->depth - 1);
	outer = omp_innermost(thread);
	event.number = (uint16_t)((outer && outer->task ? FMT_OMP_TASK_INNER : 0) | goes_on);
	if (begin)
		omp_record(thread, &event);
}

static void begin_task(struct col_thread *thread, const ompt_data_t *task)
{
	struct omp_thread *omp = &thread->omp;
	const struct omp_base *outer = omp_innermost(thread);
	struct omp_base base = {.node = node_of(task),
	                        .task = ordinal_of(task),
	                        .region = outer ? outer->region : 0,
	                        .begin = beginning(),
	                        .in_tasks = omp->in_tasks,
	                        .state = omp->state};
	ompt_frame_t *frame = NULL;

	if (get_task_info && get_task_info(0, NULL, NULL, &frame, NULL, NULL) && frame)
		base.runtime_frame = &frame->exit_frame.value;
	omp_push(thread, &base);
	omp->state = FMT_omp_state_WORK;
}

/* Has the thread returned to the stack below the innermost task? Then a part of an untied task has
 * ended, which continues later, here or in another thread. A tied task that has not ended is left
 * only for tasks on top of it. */
static int is_back(const struct omp_thread *omp, const ompt_data_t *next)
{
	return next &&
	       ordinal_of(next) == (omp->depth > 1 ? omp->piles->base[omp->depth - 2].task : 0);
}

/* Tasks run on the stack of the thread, one on top of the other: the next task is new unless it is
 * below. */
static void on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
	struct col_thread *thread = thread_current();
	const struct omp_base *base = thread ? omp_innermost(thread) : NULL;

	if (!thread)
		return;
	if (base && base->task && base->task == ordinal_of(prior)) {
		if (status == ompt_task_complete || status == ompt_task_cancel ||
		    status == ompt_task_detach)
			end_task(thread, base, 0);
		else if (status == ompt_task_switch && is_back(&thread->omp, next))
			end_task(thread, base, FMT_OMP_TASK_GOES_ON);
		base = omp_innermost(thread);
	}
	if (ordinal_of(next) && !(base && base->task == ordinal_of(next)))
		begin_task(thread, next);
}

static enum fmt_omp_event event_of_work(int kind)
{
	switch (kind) {
	case ompt_work_loop:
	case ompt_work_loop_static:
	case ompt_work_loop_dynamic:
	case ompt_work_loop_guided:
	case ompt_work_loop_other:
	case ompt_work_distribute:
		return FMT_omp_event_LOOP;
	case ompt_work_sections:
		return FMT_omp_event_SECTIONS;
	case ompt_work_single_executor:
		return FMT_omp_event_SINGLE;
	case ompt_work_taskloop:
		return FMT_omp_event_TASKLOOP;
	default:
		return 0;
	}
}

static void on_work(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *code)
{
	struct col_thread *thread = thread_current();

	(void)parallel, (void)task, (void)count;
	if (thread && endpoint == ompt_scope_begin && event_of_work(kind))
		record(thread, event_of_work(kind), 0, col_ticks(), 0, code, &CALLER);
}

static void on_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	struct col_thread *thread = thread_current();

	(void)parallel, (void)task;
	if (thread && endpoint == ompt_scope_begin)
		record(thread, FMT_omp_event_MASTER, 0, col_ticks(), 0, code, &CALLER);
}

/* ---- the tool ---- */

#define CALLBACKS(CALLBACK) \
	CALLBACK(parallel_begin) \
	CALLBACK(parallel_end) \
	CALLBACK(implicit_task) \
	CALLBACK(sync_region_wait) \
	CALLBACK(reduction) \
	CALLBACK(mutex_acquire) \
	CALLBACK(mutex_acquired) \
	CALLBACK(nest_lock) \
	CALLBACK(task_create) \
	CALLBACK(task_schedule) \
	CALLBACK(work) \
	CALLBACK(masked)

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	if (!set)
		return 0;
	if (object_find((uintptr_t)set, &library) != 0)
		library.start = library.end = 0;
	get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
#define CALLBACK(name) set(ompt_callback_##name, (ompt_callback_t)on_##name);
	CALLBACKS(CALLBACK)
	atomic_store(&is_used, 1);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
	atomic_store(&is_used, 0);
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
