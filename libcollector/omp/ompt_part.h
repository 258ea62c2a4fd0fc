/* ompt_part.h: what the parts of the tool share: where its callbacks come from, and the callbacks.
 *
 * Callbacks run inside the runtime, in the thread that they are about. The caller of the runtime is
 * known by the return address in their arguments, which is searched on the stack. The runtime keeps
 * 64 bits for each region and task: they hold the ordinal in the high half, and the node of the
 * base in the low half. */
#ifndef XER_COLLECTOR_OMPT_PART_H
#define XER_COLLECTOR_OMPT_PART_H

#include "libcollector/omp/omp.h"
#include "libcollector/omp/ompt_abi.h"
#include "libcollector/thread/scope.h"

/* Is a construct that begins now to be recorded? The piles of the thread are kept even during a
 * pause, since a construct may end after it. */
static inline int ompt_is_on(void)
{
	return col_on(SOURCE_OMP) != OMP_OFF;
}

/* When something begins; 0: it is not to be recorded. */
static inline uint64_t ompt_beginning(void)
{
	return ompt_is_on() ? col_ticks() : 0;
}

static inline uint64_t ompt_pack(uint32_t ordinal, uint32_t node)
{
	return (uint64_t)ordinal << 32 | node;
}

static inline uint32_t ompt_ordinal(const ompt_data_t *data)
{
	return data ? (uint32_t)(data->value >> 32) : 0;
}

static inline uint32_t ompt_node(const ompt_data_t *data)
{
	return data ? (uint32_t)data->value : 0;
}

/* ---- where callbacks come from (ompt_runtime.c) */

/* The runtime with this function in it will call; get_task_info, which may be NULL, tells of its
 * tasks. */
void ompt_runtime_set(uintptr_t function, ompt_get_task_info_t get_task_info);

/* Its callbacks are set, or it has ended. */
void ompt_runtime_use(int is);

/* Where the frame is of the runtime that has called the innermost task of the calling thread; NULL:
 * that is not known. */
const uint64_t *ompt_runtime_frame(void);

/* The stack from the frame that `code` returns to, outwards; if base is not NULL, also the node
 * outside `mark`. The frames inside it belong to the runtime. */
uint32_t ompt_stack(const void *code, const struct caller *caller, enum fmt_pc_mark mark,
                    uint32_t *base);

/* A record of the thread's work in its innermost region or task, if constructs are recorded. */
void ompt_record(struct col_thread *thread, enum fmt_omp_event event, uint64_t duration,
                 uint64_t now, uint64_t other, const void *code, const struct caller *caller);

/* ---- callbacks */

/* The thread's code in the region has ended; the barrier at its end follows, and workers learn late
 * that this is over (ompt_region.c). */
void ompt_end_thread(struct col_thread *thread, struct omp_base *base);

#define OMPT_CALLBACKS(CALLBACK) \
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

/* Regions (ompt_region.c). */
void ompt_on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                            unsigned requested, int flags, const void *code);
void ompt_on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code);
void ompt_on_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned team,
                           unsigned number, int flags);

/* Waits (ompt_wait.c). */
void ompt_on_sync_region_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                              const void *code);
void ompt_on_reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                       const void *code);
void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t object,
                           const void *code);
void ompt_on_mutex_acquired(int kind, uint64_t object, const void *code);
void ompt_on_nest_lock(int endpoint, uint64_t object, const void *code);

/* Tasks and shared constructs (ompt_task.c). */
void ompt_on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task,
                         int flags, int has_dependences, const void *code);
void ompt_on_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next);
void ompt_on_work(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                  const void *code);
void ompt_on_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);

#endif
