/* gomp.c: wrappers of libgomp's entry points: the rows of gomp.def, GOMP_task and GOMP_taskloop.
 *
 * A program may have several libgomps, in no global scope (Python packages bring their own): what stands behind a wrapper is a matter of
 * the object that calls. When the library behind is libomp, which has these entries too and tells its own story (ompt.c), calls are
 * passed on; another runtime may be in use beside it. */
#include "next.h"
#include "omp.h"
#include "ompt.h"
#include "scope.h"
#include "tree.h"

#include <alloca.h>
#include <dlfcn.h>
#include <stdbool.h>

enum { SCOPES = 16, TASK_DATA_MAX = 64 * 1024, TASK_DETACH = 1 << 13 };

typedef void *pointer;

struct gomp_words {
	long word[10]; /* with those in registers, the most loops in each other that wait for iterations */
};

/* ---- the functions behind ---- */

enum gomp_index {
#define REGION(type, name, parameters, ...) INDEX_##name,
#define WAIT(type, name, state, parameters, arguments, object) INDEX_##name,
#define LOOP(name, parameters, arguments) INDEX_##name,
#define SHARE(type, name, event, parameters, arguments, counts) INDEX_##name,
#include "gomp.def"
	INDEX_GOMP_task,
	INDEX_GOMP_taskloop,
	INDEX_GOMP_taskloop_ull,
	INDEX_omp_get_thread_num,
	INDEXES
};

static const char *const names[] = {
#define REGION(type, name, parameters, ...) #name,
#define WAIT(type, name, state, parameters, arguments, object) #name,
#define LOOP(name, parameters, arguments) #name,
#define SHARE(type, name, event, parameters, arguments, counts) #name,
#include "gomp.def"
    "GOMP_task",
    "GOMP_taskloop",
    "GOMP_taskloop_ull",
    "omp_get_thread_num",
};

/* What an object that calls is bound to. A place whose object may be gone, as something has been unloaded since, is given to the next one that
 * calls. What is read of it counts if `sequence` was even, and is the same afterwards. */
struct bindings {
	atomic_uint sequence; /* odd: somebody changes it; in a forked child perhaps for ever */
	atomic_uint generation;
	atomic_uint_fast64_t start, end;
	_Atomic(pointer) function[INDEXES];
};

static struct bindings scopes[SCOPES];
static _Atomic(struct bindings *) latest;

static int is_current(const struct bindings *scope)
{
	return atomic_load_explicit(&scope->generation, memory_order_relaxed) == atomic_load_explicit(&col.generation, memory_order_relaxed);
}

static int covers(const struct bindings *scope, uint64_t address)
{
	return address >= atomic_load_explicit(&scope->start, memory_order_relaxed) &&
	       address < atomic_load_explicit(&scope->end, memory_order_relaxed) && is_current(scope);
}

static unsigned begin_reading(const struct bindings *scope)
{
	return atomic_load_explicit(&scope->sequence, memory_order_acquire);
}

static int is_unchanged(const struct bindings *scope, unsigned sequence)
{
	atomic_thread_fence(memory_order_acquire);
	return !(sequence & 1) && atomic_load_explicit(&scope->sequence, memory_order_relaxed) == sequence;
}

/* Returns 0 if somebody else has changed it since `sequence`, or does so now. */
static int begin_change(struct bindings *scope, unsigned sequence)
{
	int is_mine = !(sequence & 1) && atomic_compare_exchange_strong(&scope->sequence, &sequence, sequence + 1);

	atomic_thread_fence(memory_order_release);
	return is_mine;
}

static void end_change(struct bindings *scope, unsigned sequence)
{
	atomic_store_explicit(&scope->sequence, sequence + 2, memory_order_release);
}

/* NULL: too many call, or the caller is in no object. *sequence: as it was found. */
static struct bindings *find_scope(uint64_t caller, unsigned *sequence)
{
	struct dl_find_object object;

	for (unsigned i = 0; i < SCOPES; i++) {
		*sequence = begin_reading(&scopes[i]);
		if (covers(&scopes[i], caller) && is_unchanged(&scopes[i], *sequence))
			return &scopes[i];
	}
	if (_dl_find_object((void *)caller, &object) != 0)
		return NULL;
	for (struct bindings *scope = scopes; scope < scopes + SCOPES; scope++) {
		*sequence = begin_reading(scope);
		if ((atomic_load(&scope->end) != 0 && is_current(scope)) || !begin_change(scope, *sequence))
			continue;
		for (unsigned i = 0; i < INDEXES; i++)
			atomic_store_explicit(&scope->function[i], NULL, memory_order_relaxed);
		atomic_store_explicit(&scope->start, (uint64_t)object.dlfo_map_start, memory_order_relaxed);
		atomic_store_explicit(&scope->end, (uint64_t)object.dlfo_map_end, memory_order_relaxed);
		atomic_store_explicit(&scope->generation, atomic_load(&col.generation), memory_order_relaxed);
		end_change(scope, *sequence);
		*sequence += 2;
		return scope;
	}
	return NULL;
}

static __attribute__((noinline)) pointer find_behind(enum gomp_index index, const void *caller)
{
	unsigned sequence;
	struct bindings *scope = find_scope((uint64_t)caller, &sequence);
	pointer function = scope ? atomic_load_explicit(&scope->function[index], memory_order_relaxed) : NULL;

	if (!function || !is_unchanged(scope, sequence)) {
		function = next_definition(names[index], caller);
		if (scope && begin_change(scope, sequence)) {
			atomic_store_explicit(&scope->function[index], function, memory_order_relaxed);
			end_change(scope, sequence);
		}
	}
	if (scope)
		atomic_store_explicit(&latest, scope, memory_order_relaxed);
	return function;
}

static pointer behind(enum gomp_index index, const void *caller)
{
	struct bindings *scope = atomic_load_explicit(&latest, memory_order_relaxed);
	unsigned sequence = scope ? begin_reading(scope) : 1;
	pointer function = scope && covers(scope, (uint64_t)caller) ? atomic_load_explicit(&scope->function[index], memory_order_relaxed) : NULL;

	return likely(function && is_unchanged(scope, sequence)) ? function : find_behind(index, caller);
}

#define BEHIND(name) ((__typeof__(name) *)behind(INDEX_##name, __builtin_return_address(0)))

static int is_on(void)
{
	return (int)atomic_load_explicit(&col.mark->omp, memory_order_relaxed);
}

/* The calling thread, if what it does by calling `next` is recorded here. */
#define RECORDED(next) (likely(!is_on()) || ompt_tells_of((uint64_t)(next)) ? NULL : thread_current())

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
	omp_record(work->thread, &(struct omp_event){.event = FMT_omp_event_PARALLEL,
	                                             .number = (uint16_t)atomic_load(&work->threads),
	                                             .region = work->region,
	                                             .stack = work->stack,
	                                             .now = now,
	                                             .duration = now - work->begin});
}

/* What a thread does in a region, or a task. */
struct part {
	struct col_thread *thread; /* NULL: it is not recorded */
	uint32_t depth;
	uint8_t state;
	uint64_t begin, in_tasks;
};

static void begin_part(struct part *part, uint64_t sp, struct omp_base base)
{
	struct col_thread *thread = is_on() ? thread_current() : NULL;

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

/* Returns the ticks that it has waited. */
static uint64_t leave_part(const struct part *part)
{
	struct omp_base *base = omp_innermost(part->thread);
	uint64_t waited = base ? base->waited : 0;

	omp_pop(part->thread, part->depth);
	return waited;
}

static void end_thread(const struct part *part, const struct work *work, const void *caller)
{
	uint64_t now = col_ticks();
	uint64_t waited = leave_part(part);
	int (*number)(void) = (int (*)(void))behind(INDEX_omp_get_thread_num, caller);

	part->thread->omp.state = FMT_omp_state_IMPLICIT_BARRIER;
	if (!omp_is_traced())
		return;
	omp_record(part->thread, &(struct omp_event){.event = FMT_omp_event_THREAD,
	                                             .number = (uint16_t)(number ? number() : 0),
	                                             .region = work->region,
	                                             .stack = work->base ? tree_node(work->base, (uint64_t)work->function + 1) : 0,
	                                             .now = now,
	                                             .duration = now - part->begin,
	                                             .other = waited});
}

/* Called by libgomp in each thread of the team. The stack pointer is what it is when the program's function is entered. */
static __attribute__((noinline)) void omp_run(void *argument)
{
	struct work *work = argument;
	struct part part;

	atomic_fetch_add(&work->threads, 1);
	begin_part(&part, arch_sp(), (struct omp_base){.node = work->base, .region = work->region});
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
		if (!work.thread) { \
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

static void end_wait(const struct wait *wait, enum fmt_omp_event event, const void *object, const struct caller *caller)
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
	omp_record(wait->thread, &(struct omp_event){.event = event,
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
		if (!wait.thread) { \
			KEEP_##type(next arguments); \
			RETURN_##type; \
		} \
		begin_wait(&wait, FMT_omp_state_##state); \
		KEEP_##type(next arguments); \
		end_wait(&wait, FMT_omp_event_##state, object, &CALLER); \
		RETURN_##type; \
	}

/* ---- shared constructs ---- */

static void record_share(struct col_thread *thread, enum fmt_omp_event event, uint64_t begin, const struct caller *caller)
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
			record_share(thread, FMT_omp_event_##event, start_ticks, &CALLER); \
		RETURN_##type; \
	}

#define LOOP(name, parameters, arguments) SHARE(bool, name, LOOP, parameters, arguments, 1)

#include "gomp.def"

/* ---- tasks ---- */

/* Stands before the program's own data of a task, whether libgomp copies both to where the task will find them, or the
 * program's function copies its own, or the task runs at once. */
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

static void end_task(const struct part *part, const struct task *task)
{
	uint64_t now = col_ticks();
	uint64_t waited = leave_part(part);
	const struct omp_base *outer;

	part->thread->omp.state = part->state;
	part->thread->omp.in_tasks = part->in_tasks + (now - part->begin);
	outer = omp_innermost(part->thread);
	omp_record(part->thread, &(struct omp_event){.event = FMT_omp_event_TASK,
	                                             .number = outer && outer->task ? FMT_OMP_TASK_INNER : 0,
	                                             .region = task->region,
	                                             .task = task->id,
	                                             .stack = task->base ? tree_node(task->base, (uint64_t)task->function + 1) : 0,
	                                             .now = now,
	                                             .duration = now - part->begin,
	                                             .other = waited});
}

static __attribute__((noinline)) void run_task(void *argument)
{
	struct task task = *(struct task *)argument; /* libgomp may give the memory away while the task runs */
	struct part part;

	begin_part(&part, arch_sp(), (struct omp_base){.node = task.base, .region = task.region, .task = task.id});
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

/* Where the program's data lie behind a head. 0: such a task is left alone. */
static uint64_t offset_behind(uint64_t head, long size, long alignment)
{
	uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment : sizeof(uint64_t);

	return size < 0 || size > TASK_DATA_MAX || align > TASK_DATA_MAX || align & (align - 1) ? 0 : (head + align - 1) & ~(align - 1);
}

/* `to` has room for as much again as the alignment. */
static void *align_up(void *to, uint64_t align)
{
	return (char *)to + (-(uint64_t)to & (align - 1));
}

EXPORT void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, bool is_deferred,
                      unsigned flags, void **depend, int priority, void *detach);
EXPORT void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, bool is_deferred,
                      unsigned flags, void **depend, int priority, void *detach)
{
	__typeof__(GOMP_task) *next = BEHIND(GOMP_task);
	struct col_thread *thread = RECORDED(next);
	uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment : sizeof(uint64_t);
	uint64_t offset = offset_behind(sizeof(struct task), size, alignment);
	struct task *task;

	/* A task to be fulfilled later is told so in its own data by libgomp. */
	if (!thread || flags & TASK_DETACH || !offset) {
		next(function, data, copy, size, alignment, is_deferred, flags, depend, priority, detach);
		return;
	}
	task = align_up(alloca(offset + (uint64_t)size + align), align);
	*task = (struct task){.function = function, .copy = copy, .source = data, .offset = offset};
	begin_task(task, thread, &CALLER);
	if (!copy)
		memcpy((char *)task + offset, data, (size_t)size);
	next(run_task, task, copy ? copy_task : NULL, (long)offset + size, (long)align, is_deferred, flags, depend, priority, detach);
}

/* ---- task loops: libgomp makes the tasks, and writes each one's share into the first words of its data, which are ours */

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
	struct part part;

	share.task.id = omp_new_task();
	memcpy((char *)argument + share.task.offset, &share.start, 2 * sizeof(uint64_t));
	begin_part(&part, arch_sp(), (struct omp_base){.node = share.task.base, .region = share.task.region, .task = share.task.id});
	if (part.thread)
		omp_record(part.thread, &(struct omp_event){.event = FMT_omp_event_TASK_CREATE, .region = share.task.region,
		                                            .task = share.task.id, .stack = share.stack, .now = part.begin});
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
	EXPORT void name(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, unsigned flags, \
	                 unsigned long tasks, int priority, number start, number end, number step); \
	EXPORT void name(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, unsigned flags, \
	                 unsigned long tasks, int priority, number start, number end, number step) \
	{ \
		__typeof__(name) *next = BEHIND(name); \
		struct col_thread *thread = RECORDED(next); \
		uint64_t align = alignment > (long)sizeof(uint64_t) ? (uint64_t)alignment : sizeof(uint64_t); \
		uint64_t offset = offset_behind(sizeof(struct share), size, alignment); \
		uint64_t all = offset + (((uint64_t)size + align - 1) & ~(align - 1)), begin; \
		struct share *share; \
\
		if (!thread || !offset || size < (long)(2 * sizeof(uint64_t))) { \
			next(function, data, copy, size, alignment, flags, tasks, priority, start, end, step); \
			return; \
		} \
		share = align_up(alloca(all + align), align); \
		*share = (struct share){.task = {.function = function, .copy = copy, .source = data, .offset = offset}}; \
		memcpy(share, data, size < 24 ? 16 : 24); \
		begin_loop(share, thread, &CALLER); \
		if (!copy) \
			memcpy((char *)share + offset, data, (size_t)size); \
		begin = col_ticks(); \
		next(run_share, share, copy ? copy_share : NULL, (long)all, (long)align, flags, tasks, priority, start, end, step); \
		if (omp_is_traced()) \
			record_share(thread, FMT_omp_event_TASKLOOP, begin, &CALLER); \
	}

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
