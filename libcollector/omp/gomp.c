/* gomp.c: wrappers of libgomp's entry points: the rows of gomp.def. Tasks are in gomp_task.c.
 *
 * If the library behind is libomp, which also has these entries and reports its work itself
 * (ompt.c), calls are passed on; another runtime may be in use at the same time.
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/gomp.h"

#include "libcollector/thread/scope.h"

/* ---- parallel regions ---- */

struct work {
	void (*function)(void *);
	void *data;
	struct col_thread *thread; /* that began the region */
	uint32_t region, stack, base;
	uint64_t begin;
	uint8_t state; /* of the thread, to go back to */
	atomic_uint threads;
};

static void begin_region(struct work *work, const struct caller *caller)
{
	work->region = omp_new_region();
	work->stack = omp_stack(caller, FMT_PC_PARALLEL, &work->base);
	work->state = work->thread->omp.state;
	work->thread->omp.state = FMT_omp_state_OVERHEAD;
	work->begin = col_ticks();
}

static void end_region(struct work *work)
{
	uint64_t now = col_ticks();

	work->thread->omp.state = work->state ? work->state : FMT_omp_state_SERIAL;
	omp_record(work->thread,
	           &(struct omp_event){.event = FMT_omp_event_PARALLEL,
	                               .number = (uint16_t)atomic_load(&work->threads),
	                               .region = work->region,
	                               .stack = work->stack,
	                               .now = now,
	                               .duration = now - work->begin});
}

void gomp_part_begin(struct gomp_part *part, uint64_t sp, struct omp_base base)
{
	struct col_thread *thread = gomp_is_on() ? thread_current() : NULL;

	part->thread = thread;
	if (!thread)
		return;
	base.sp = sp;
	base.begin = part->begin = col_ticks();
	part->in_tasks = thread->omp.in_tasks;
	part->state = thread->omp.state;
	part->depth = omp_push(thread, &base);
	thread->omp.state = FMT_omp_state_WORK;
}

uint64_t gomp_part_leave(const struct gomp_part *part)
{
	struct omp_base *base = omp_innermost(part->thread);
	uint64_t waited = base ? base->waited : 0;

	omp_pop(part->thread, part->depth);
	return waited;
}

static void end_thread(const struct gomp_part *part, const struct work *work, const void *caller)
{
	uint64_t now = col_ticks();
	uint64_t waited = gomp_part_leave(part);
	int (*number)(void) = (int (*)(void))gomp_behind(INDEX_omp_get_thread_num, caller);

	part->thread->omp.state = FMT_omp_state_IMPLICIT_BARRIER;
	if (!omp_is_traced())
		return;
	omp_record(part->thread,
	           &(struct omp_event){.event = FMT_omp_event_THREAD,
	                               .number = (uint16_t)(number ? number() : 0),
	                               .region = work->region,
	                               .stack = omp_stack_in(part->thread, work->base,
	                                                     (uint64_t)work->function + 1),
	                               .now = now,
	                               .duration = now - part->begin,
	                               .other = waited});
}

/* libgomp calls this in each thread of the team. The stack pointer is the one at the entry of the
 * program's function. */
static __attribute__((noinline)) void omp_run(void *argument)
{
	struct work *work = argument;
	struct gomp_part part;

	atomic_fetch_add(&work->threads, 1);
	gomp_part_begin(&part, arch_sp(),
	                (struct omp_base){.node = work->base, .region = work->region});
	work->function(work->data);
	if (part.thread)
		end_thread(&part, work, (const void *)work->function);
}

#define RESULT_void
#define KEEP_void(call) call
#define RETURN_void return
#define RESULT_unsigned unsigned result;
#define KEEP_unsigned(call) result = call
#define RETURN_unsigned return result
#define RESULT_bool bool result;
#define KEEP_bool(call) result = call
#define RETURN_bool return result
#define RESULT_pointer pointer result;
#define KEEP_pointer(call) result = call
#define RETURN_pointer return result

#define REGION(type, name, parameters, ...) \
	EXPORT type name parameters; \
	EXPORT type name parameters \
	{ \
		__typeof__(name) *next = BEHIND(name); \
		struct work work = {.function = function, .data = data, .thread = RECORDED(next)}; \
		RESULT_##type \
\
			if (!work.thread) \
		{ \
			KEEP_##type(next(function, data, __VA_ARGS__)); \
			RETURN_##type; \
		} \
		begin_region(&work, &CALLER); \
		KEEP_##type(next(omp_run, &work, __VA_ARGS__)); \
		end_region(&work); \
		RETURN_##type; \
	}

/* ---- waits ---- */

struct wait {
	struct col_thread *thread;
	uint64_t begin, in_tasks;
	uint8_t state;
};

static void begin_wait(struct wait *wait, enum fmt_omp_state state)
{
	struct omp_thread *omp = &wait->thread->omp;

	wait->state = omp->state;
	omp->state = (uint8_t)state;
	wait->in_tasks = omp->in_tasks;
	wait->begin = col_ticks();
}

static void end_wait(const struct wait *wait, enum fmt_omp_event event, const void *object,
                     const struct caller *caller)
{
	uint64_t now = col_ticks();
	struct omp_thread *omp = &wait->thread->omp;
	struct omp_base *base = omp_innermost(wait->thread);
	uint64_t in_tasks = omp->in_tasks - wait->in_tasks;

	omp->state = wait->state;
	if (base)
		base->waited += now - wait->begin - in_tasks;
	if (!omp_is_traced())
		return;
	omp_record(wait->thread,
	           &(struct omp_event){.event = event,
	                               .region = base ? base->region : 0,
	                               .task = base ? base->task : 0,
	                               .stack = omp_stack(caller, FMT_PC_PARALLEL, NULL),
	                               .now = now,
	                               .duration = now - wait->begin,
	                               .other = object ? (uint64_t)object : in_tasks});
}

#define WAIT(type, name, state, parameters, arguments, object) \
	EXPORT type name parameters; \
	EXPORT type name parameters \
	{ \
		__typeof__(name) *next = BEHIND(name); \
		struct wait wait = {.thread = RECORDED(next)}; \
		RESULT_##type \
\
			if (!wait.thread) \
		{ \
			KEEP_##type(next arguments); \
			RETURN_##type; \
		} \
		begin_wait(&wait, FMT_omp_state_##state); \
		KEEP_##type(next arguments); \
		end_wait(&wait, FMT_omp_event_##state, object, &CALLER); \
		RETURN_##type; \
	}

/* ---- shared constructs ---- */

void gomp_record_share(struct col_thread *thread, enum fmt_omp_event event, uint64_t begin,
                       const struct caller *caller)
{
	uint64_t now = col_ticks();
	struct omp_base *base = omp_innermost(thread);

	omp_record(thread, &(struct omp_event){.event = event,
	                                       .region = base ? base->region : 0,
	                                       .task = base ? base->task : 0,
	                                       .stack = omp_stack(caller, FMT_PC_PARALLEL, NULL),
	                                       .now = now,
	                                       .duration = now - begin});
}

#define SHARE(type, name, event, parameters, arguments, counts) \
	EXPORT type name parameters; \
	EXPORT type name parameters \
	{ \
		__typeof__(name) *next = BEHIND(name); \
		struct col_thread *thread = RECORDED(next); \
		uint64_t start_ticks = thread ? col_ticks() : 0; \
		RESULT_##type \
\
			KEEP_##type(next arguments); \
		if (thread && (counts) && omp_is_traced()) \
			gomp_record_share(thread, FMT_omp_event_##event, start_ticks, &CALLER); \
		RETURN_##type; \
	}

#define LOOP(name, parameters, arguments) SHARE(bool, name, LOOP, parameters, arguments, 1)

#include "libcollector/omp/gomp.def"
