/* runtime.h: the calls of an OpenMP runtime, by the numbers that the specification gives the
 * callbacks. */
#ifndef XER_TESTS_OMP_RUNTIME_H
#define XER_TESTS_OMP_RUNTIME_H

#include "libcollector/omp/ompt_abi.h"

#include <stdint.h>

/* The callbacks that were set, by their numbers. */
extern ompt_callback_t *runtime_callbacks;

extern ompt_data_t runtime_no_task;

/* Where the last region or task began. */
extern const void *runtime_begun_at;

/* An address in the caller. */
const void *runtime_here(void);

void runtime_parallel_begin(ompt_data_t *region);
void runtime_parallel_end(ompt_data_t *region);
void runtime_task_create(ompt_data_t *task, int flags);
void runtime_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next);
void runtime_implicit_task(int endpoint, ompt_data_t *region, unsigned team, unsigned number,
                           int flags);
void runtime_sync_wait(int kind, int endpoint, const void *code);
void runtime_reduction(int endpoint);
void runtime_work(int kind, int endpoint);
void runtime_masked(int endpoint);
void runtime_mutex_acquire(int kind, uint64_t object);
void runtime_mutex_acquired(int kind, uint64_t object);
void runtime_nest_lock(int endpoint, uint64_t object);

#endif
