/* ompt_wait.c: the callbacks for what threads wait for: barriers, tasks, locks. See ompt_part.h. */
#include "libcollector/omp/ompt_part.h"

static void begin_wait(struct col_thread *thread, enum fmt_omp_state state)
{
	struct omp_thread *omp = &thread->omp;

	if (omp->wait_depth < OMP_DEPTH && omp_make_piles(omp))
		omp->piles->wait[omp->wait_depth] = (struct omp_wait){ompt_beginning(),
		                                                      omp->in_tasks, omp->state};
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
	ompt_record(thread,
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

void ompt_on_sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
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
			ompt_end_thread(thread, base);
		return;
	}
	if (endpoint == ompt_scope_begin)
		begin_wait(thread, state_of_sync(kind));
	else
		end_wait(thread, state_of_sync(kind), 0, code, &CALLER);
}

void ompt_on_reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                       const void *code)
{
	(void)kind;
	ompt_on_sync_region_wait(ompt_sync_region_reduction, endpoint, parallel, task, code);
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

void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t object,
                           const void *code)
{
	struct col_thread *thread = thread_current();

	(void)hint, (void)implementation, (void)object, (void)code;
	if (thread && state_of_mutex(kind))
		begin_wait(thread, state_of_mutex(kind));
}

void ompt_on_mutex_acquired(int kind, uint64_t object, const void *code)
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
void ompt_on_nest_lock(int endpoint, uint64_t object, const void *code)
{
	struct col_thread *thread = thread_current();

	if (thread && endpoint == ompt_scope_begin && thread->omp.state == FMT_omp_state_LOCK)
		end_wait(thread, FMT_omp_state_LOCK, object, code, &CALLER);
}
