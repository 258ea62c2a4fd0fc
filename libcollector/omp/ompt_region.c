/* ompt_region.c: the callbacks for parallel regions and the threads in them. See ompt_part.h. */
#include "libcollector/omp/ompt_part.h"

void ompt_on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                            unsigned requested, int flags, const void *code)
{
	struct col_thread *thread = thread_current();
	struct omp_thread *omp = thread ? &thread->omp : NULL;
	uint32_t base, stack = 0, id = 0;

	(void)task, (void)frame, (void)requested, (void)flags;
	parallel->value = 0;
	if (!omp)
		return;
	if (ompt_is_on()) {
		id = omp_new_region();
		stack = ompt_stack(code, &CALLER, FMT_PC_PARALLEL, &base);
		parallel->value = ompt_pack(id, base);
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

void ompt_on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
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
	if (region->id == 0 || region->id != ompt_ordinal(parallel))
		return;
	omp_record(thread, &(struct omp_event){.event = FMT_omp_event_PARALLEL,
	                                       .number = region->threads,
	                                       .region = region->id,
	                                       .stack = region->node,
	                                       .now = now,
	                                       .duration = now - region->begin});
}

void ompt_end_thread(struct col_thread *thread, struct omp_base *base)
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
	struct omp_base base = {.node = ompt_node(parallel),
	                        .region = ompt_ordinal(parallel),
	                        .number = (uint16_t)number,
	                        .begin = ompt_beginning()};
	struct omp_thread *omp = &thread->omp;

	base.runtime_frame = ompt_runtime_frame();
	omp_push(thread, &base);
	omp->state = FMT_omp_state_WORK;
	if (omp->region_depth > 0 && omp->region_depth <= OMP_REGIONS &&
	    omp->region[omp->region_depth - 1].id == base.region)
		omp->region[omp->region_depth - 1].threads = (uint16_t)team;
}

void ompt_on_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team,
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
		ompt_end_thread(thread, base);
	if (thread->omp.depth > 0)
		omp_pop(thread, thread->omp.depth - 1);
}
