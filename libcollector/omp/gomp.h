/* gomp.h: what the wrappers of libgomp's entry points share: the functions behind them
 * (gomp_behind.c), and the work of a thread (gomp.c). */
#ifndef XER_COLLECTOR_GOMP_H
#define XER_COLLECTOR_GOMP_H

#include "libcollector/base/collector.h"
#include "libcollector/omp/omp.h"
#include "libcollector/omp/ompt.h"
#include "libcollector/unwind/tree.h"

#include <stdbool.h>

typedef void *pointer;

struct gomp_words {
	long word[10]; /* with those in registers, the most loops in each other that wait for
	                  iterations */
};

/* ---- the functions behind ---- */

enum gomp_index {
#define REGION(type, name, parameters, ...) INDEX_##name,
#define WAIT(type, name, state, parameters, arguments, object) INDEX_##name,
#define LOOP(name, parameters, arguments) INDEX_##name,
#define SHARE(type, name, event, parameters, arguments, counts) INDEX_##name,
#include "libcollector/omp/gomp.def"
	INDEX_GOMP_task,
	INDEX_GOMP_taskloop,
	INDEX_GOMP_taskloop_ull,
	INDEX_omp_get_thread_num,
	INDEXES
};

/* The functions to which a calling object is bound. When objects were unloaded, an entry may be out
 * of date; then the next calling object takes it. What was read of it is valid if `sequence` was
 * even, and is the same afterwards. */
struct gomp_bindings {
	atomic_uint sequence; /* odd: it is being changed; in a forked child perhaps forever */
	atomic_uint generation;
	atomic_uint_fast64_t start, end;
	_Atomic(pointer) function[INDEXES];
};

extern _Atomic(struct gomp_bindings *) gomp_latest;

static inline int gomp_is_current(const struct gomp_bindings *scope)
{
	return atomic_load_explicit(&scope->generation, memory_order_relaxed) ==
	       atomic_load_explicit(&col.generation, memory_order_relaxed);
}

static inline int gomp_covers(const struct gomp_bindings *scope, uint64_t address)
{
	return address >= atomic_load_explicit(&scope->start, memory_order_relaxed) &&
	       address < atomic_load_explicit(&scope->end, memory_order_relaxed) &&
	       gomp_is_current(scope);
}

static inline unsigned gomp_begin_reading(const struct gomp_bindings *scope)
{
	return atomic_load_explicit(&scope->sequence, memory_order_acquire);
}

static inline int gomp_is_unchanged(const struct gomp_bindings *scope, unsigned sequence)
{
	atomic_thread_fence(memory_order_acquire);
	return !(sequence & 1) &&
	       atomic_load_explicit(&scope->sequence, memory_order_relaxed) == sequence;
}

/* The function behind a wrapper for an object that calls it from `caller`: in the entry that was
 * used last, or found elsewhere. */
pointer gomp_find_behind(enum gomp_index index, const void *caller);

static inline pointer gomp_behind(enum gomp_index index, const void *caller)
{
	struct gomp_bindings *scope = atomic_load_explicit(&gomp_latest, memory_order_relaxed);
	unsigned sequence = scope ? gomp_begin_reading(scope) : 1;
	pointer function = scope && gomp_covers(scope, (uint64_t)caller)
	                           ? atomic_load_explicit(&scope->function[index],
	                                                  memory_order_relaxed)
	                           : NULL;

	return likely(function && gomp_is_unchanged(scope, sequence))
	               ? function
	               : gomp_find_behind(index, caller);
}

#define BEHIND(name) ((__typeof__(name) *)gomp_behind(INDEX_##name, __builtin_return_address(0)))

static inline int gomp_is_on(void)
{
	return (int)col_on(SOURCE_OMP);
}

/* The calling thread, if its call of `next` is recorded here. */
#define RECORDED(next) \
	(likely(!gomp_is_on()) || ompt_tells_of((uint64_t)(next)) ? NULL : thread_current())

/* ---- what a thread does ---- */

/* What a thread does in a region, or a task. */
struct gomp_part {
	struct col_thread *thread; /* NULL: it is not recorded */
	uint32_t depth;
	uint8_t state;
	uint64_t begin, in_tasks;
};

/* The innermost function's frame is at `sp`. part->thread is NULL if nothing is recorded; else
 * gomp_part_leave returns the ticks that the thread has waited in it. */
void gomp_part_begin(struct gomp_part *part, uint64_t sp, struct omp_base base);
uint64_t gomp_part_leave(const struct gomp_part *part);

/* Record a construct that began at `begin` and ends now. */
void gomp_record_share(struct col_thread *thread, enum fmt_omp_event event, uint64_t begin,
                       const struct caller *caller);

#endif
