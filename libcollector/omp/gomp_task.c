/* gomp_task.c: wrappers of libgomp's tasks and task loops.
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/gomp.h"

#include "libcollector/thread/scope.h"

#include <alloca.h>

enum { TASK_DATA_MAX = 64 * 1024, TASK_DETACH = 1 << 13 };

/* A header before the program's own data of a task. It is there whether libgomp copies both to
 * where the task will find them, the program's function copies its own data, or the task runs at
 * once. */
struct task {
	void (*function)(void *);
	void (*copy)(void *, void *);
	void *source;    /* for copy */
	uint64_t offset; /* of the program's data */
	uint32_t id, base, region;
};

static void copy_task(void *to, void *from)
{
	const struct task *task = from;

	memcpy(to, task, sizeof(*task));
	task->copy((char *)to + task->offset, task->source);
}

static void end_task(const struct gomp_part *part, const struct task *task)
{
	uint64_t now = col_ticks();
	uint64_t waited = gomp_part_leave(part);
	const struct omp_base *outer;

	part->thread->omp.state = part->state;
	part->thread->omp.in_tasks = part->in_tasks + (now - part->begin);
	outer = omp_innermost(part->thread);
	omp_record(part->thread,
	           &(struct omp_event){.event = FMT_omp_event_TASK,
	                               .number = outer && outer->task ? FMT_OMP_TASK_INNER : 0,
	                               .region = task->region,
	                               .task = task->id,
	                               .stack = omp_stack_in(part->thread, task->base,
	                                                     (uint64_t)task->function + 1),
	                               .now = now,
	                               .duration = now - part->begin,
	                               .other = waited});
}

static __attribute__((noinline)) void run_task(void *argument)
{
	struct task task = *(
		struct task *)argument; /* libgomp may free the memory while the task runs */
	struct gomp_part part;

	gomp_part_begin(
		&part, arch_sp(),
		(struct omp_base){.node = task.base, .region = task.region, .task = task.id});
	task.function((char *)argument + task.offset);
	if (part.thread)
		end_task(&part, &task);
}

static void begin_task(struct task *task, struct col_thread *thread, const struct caller *caller)
{
	struct omp_base *base = omp_innermost(thread);
	uint64_t now = col_ticks();
	uint32_t stack = omp_stack(caller, FMT_PC_TASK, &task->base);

	task->id = omp_new_task();
	task->region = base ? base->region : 0;
	omp_record(thread, &(struct omp_event){.event = FMT_omp_event_TASK_CREATE,
	                                       .region = task->region,
	                                       .task = task->id,
	                                       .stack = stack,
	                                       .now = now});
}

/* Where the program's data are after a header. 0: such a task is left alone. */
static uint64_t offset_behind(uint64_t header, long size, long alignment)
{
	uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment
	                                                    : sizeof(uint64_t);

	return size < 0 || size > TASK_DATA_MAX || align > TASK_DATA_MAX || align & (align - 1)
	               ? 0
	               : (header + align - 1) & ~(align - 1);
}

/* `to` has space for the alignment in addition. */
static void *align_up(void *to, uint64_t align)
{
	return (char *)to + (-(uint64_t)to & (align - 1));
}

EXPORT void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
                      long alignment, bool is_deferred, unsigned flags, void **depend, int priority,
                      void *detach);
EXPORT void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
                      long alignment, bool is_deferred, unsigned flags, void **depend, int priority,
                      void *detach)
{
	__typeof__(GOMP_task) *next = BEHIND(GOMP_task);
	struct col_thread *thread = RECORDED(next);
	uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment
	                                                    : sizeof(uint64_t);
	uint64_t offset = offset_behind(sizeof(struct task), size, alignment);
	struct task *task;

	/* For a task that is to be fulfilled later, libgomp writes that into the task's data. */
	if (!thread || flags & TASK_DETACH || !offset) {
		next(function, data, copy, size, alignment, is_deferred, flags, depend, priority,
		     detach);
		return;
	}
	task = align_up(alloca(offset + (uint64_t)size + align), align);
	*task = (struct task){.function = function, .copy = copy, .source = data, .offset = offset};
	begin_task(task, thread, &CALLER);
	if (!copy)
		memcpy((char *)task + offset, data, (size_t)size);
	next(run_task, task, copy ? copy_task : NULL, (long)offset + size, (long)align, is_deferred,
	     flags, depend, priority, detach);
}

/* ---- task loops: libgomp creates the tasks, and writes the share of each into the first words of
 * its data, which are ours */

struct share {
	uint64_t start, end;
	uint64_t reductions; /* libgomp reads this word of the program's, if there are any */
	struct task task;    /* of which each share has a copy; its number is given when it runs */
	uint32_t stack;      /* where they are made */
};

static void copy_share(void *to, void *from)
{
	const struct share *share = from;

	memcpy(to, share, sizeof(*share));
	share->task.copy((char *)to + share->task.offset, share->task.source);
}

static __attribute__((noinline)) void run_share(void *argument)
{
	struct share share = *(struct share *)argument;
	struct gomp_part part;

	share.task.id = omp_new_task();
	memcpy((char *)argument + share.task.offset, &share.start, 2 * sizeof(uint64_t));
	gomp_part_begin(&part, arch_sp(),
	                (struct omp_base){.node = share.task.base,
	                                  .region = share.task.region,
	                                  .task = share.task.id});
	if (part.thread)
		omp_record(part.thread, &(struct omp_event){.event = FMT_omp_event_TASK_CREATE,
		                                            .region = share.task.region,
		                                            .task = share.task.id,
		                                            .stack = share.stack,
		                                            .now = part.begin});
	share.task.function((char *)argument + share.task.offset);
	if (part.thread)
		end_task(&part, &share.task);
}

static void begin_loop(struct share *share, struct col_thread *thread, const struct caller *caller)
{
	struct omp_base *base = omp_innermost(thread);

	share->stack = omp_stack(caller, FMT_PC_TASK, &share->task.base);
	share->task.region = base ? base->region : 0;
}

#define TASKLOOP(name, number) \
	EXPORT void name(void (*function)(void *), void *data, void (*copy)(void *, void *), \
	                 long size, long alignment, unsigned flags, unsigned long tasks, \
	                 int priority, number start, number end, number step); \
	EXPORT void name(void (*function)(void *), void *data, void (*copy)(void *, void *), \
	                 long size, long alignment, unsigned flags, unsigned long tasks, \
	                 int priority, number start, number end, number step) \
	{ \
		__typeof__(name) *next = BEHIND(name); \
		struct col_thread *thread = RECORDED(next); \
		uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment \
		                                                    : sizeof(uint64_t); \
		uint64_t offset = offset_behind(sizeof(struct share), size, alignment); \
		uint64_t all = offset + (((uint64_t)size + align - 1) & ~(align - 1)), begin; \
		struct share *share; \
\
		if (!thread || !offset || size < (long)(2 * sizeof(uint64_t))) { \
			next(function, data, copy, size, alignment, flags, tasks, priority, start, \
			     end, step); \
			return; \
		} \
		share = align_up(alloca(all + align), align); \
		*share = (struct share){.task = {.function = function, \
		                                 .copy = copy, \
		                                 .source = data, \
		                                 .offset = offset}}; \
		memcpy(share, data, size < 24 ? 16 : 24); \
		begin_loop(share, thread, &CALLER); \
		if (!copy) \
			memcpy((char *)share + offset, data, (size_t)size); \
		begin = col_ticks(); \
		next(run_share, share, copy ? copy_share : NULL, (long)all, (long)align, flags, \
		     tasks, priority, start, end, step); \
		if (omp_is_traced()) \
			gomp_record_share(thread, FMT_omp_event_TASKLOOP, begin, &CALLER); \
	}

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
