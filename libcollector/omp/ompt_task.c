/* ompt_task.c: the callbacks for tasks, and for constructs that the threads of a team share. See
 * ompt_part.h. */
#include "libcollector/omp/ompt_part.h"

void ompt_on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task,
                         int flags, int has_dependences, const void *code)
{
	struct col_thread *thread = thread_current();
	uint32_t base, stack, id;

	(void)encountering, (void)frame, (void)has_dependences;
	task->value = 0;
	if (!thread || !ompt_is_on() || !(flags & ompt_task_explicit))
		return;
	id = omp_new_task();
	stack = ompt_stack(code, &CALLER, FMT_PC_TASK, &base);
	task->value = ompt_pack(id, base);
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
	struct omp_base base = {.node = ompt_node(task),
	                        .task = ompt_ordinal(task),
	                        .region = outer ? outer->region : 0,
	                        .begin = ompt_beginning(),
	                        .in_tasks = omp->in_tasks,
	                        .state = omp->state};

	base.runtime_frame = ompt_runtime_frame();
	omp_push(thread, &base);
	omp->state = FMT_omp_state_WORK;
}

/* Has the thread returned to the stack below the innermost task? Then a part of an untied task has
 * ended, which continues later, here or in another thread. A tied task that has not ended is left
 * only for tasks on top of it. */
static int is_back(const struct omp_thread *omp, const ompt_data_t *next)
{
	return next &&
	       ompt_ordinal(next) == (omp->depth > 1 ? omp->piles->base[omp->depth - 2].task : 0);
}

/* Tasks run on the stack of the thread, one on top of the other: the next task is new unless it is
 * below. */
void ompt_on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
	struct col_thread *thread = thread_current();
	const struct omp_base *base = thread ? omp_innermost(thread) : NULL;

	if (!thread)
		return;
	if (base && base->task && base->task == ompt_ordinal(prior)) {
		if (status == ompt_task_complete || status == ompt_task_cancel ||
		    status == ompt_task_detach)
			end_task(thread, base, 0);
		else if (status == ompt_task_switch && is_back(&thread->omp, next))
			end_task(thread, base, FMT_OMP_TASK_GOES_ON);
		base = omp_innermost(thread);
	}
	if (ompt_ordinal(next) && !(base && base->task == ompt_ordinal(next)))
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

void ompt_on_work(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                  const void *code)
{
	struct col_thread *thread = thread_current();

	(void)parallel, (void)task, (void)count;
	if (thread && endpoint == ompt_scope_begin && event_of_work(kind))
		ompt_record(thread, event_of_work(kind), 0, col_ticks(), 0, code, &CALLER);
}

void ompt_on_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	struct col_thread *thread = thread_current();

	(void)parallel, (void)task;
	if (thread && endpoint == ompt_scope_begin)
		ompt_record(thread, FMT_omp_event_MASTER, 0, col_ticks(), 0, code, &CALLER);
}
