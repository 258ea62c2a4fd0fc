/* runtime.c: see runtime.h. */
#include "tests/unit/libcollector/omp/runtime.h"

#include <criterion/criterion.h>

ompt_callback_t *runtime_callbacks;

__attribute__((noinline)) const void *runtime_here(void)
{
	return __builtin_return_address(0);
}

ompt_data_t runtime_no_task;

const void *runtime_begun_at;

__attribute__((noinline)) void runtime_parallel_begin(ompt_data_t *region)
{
	runtime_begun_at = __builtin_return_address(0);
	((void (*)(ompt_data_t *, const ompt_frame_t *, ompt_data_t *, unsigned, int,
	           const void *))runtime_callbacks[3])(&runtime_no_task, NULL, region, 4, 0,
	                                               runtime_begun_at);
}

void runtime_parallel_end(ompt_data_t *region)
{
	((void (*)(ompt_data_t *, ompt_data_t *, int, const void *))runtime_callbacks[4])(
		region, &runtime_no_task, 0, NULL);
}

__attribute__((noinline)) void runtime_task_create(ompt_data_t *task, int flags)
{
	runtime_begun_at = __builtin_return_address(0);
	((void (*)(ompt_data_t *, const ompt_frame_t *, ompt_data_t *, int, int,
	           const void *))runtime_callbacks[5])(&runtime_no_task, NULL, task, flags, 0,
	                                               runtime_begun_at);
}

void runtime_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
	((void (*)(ompt_data_t *, int, ompt_data_t *))runtime_callbacks[6])(prior, status, next);
}

void runtime_implicit_task(int endpoint, ompt_data_t *region, unsigned team, unsigned number,
                           int flags)
{
	ompt_data_t task = {.value = 5};

	((void (*)(int, ompt_data_t *, ompt_data_t *, unsigned, unsigned,
	           int))runtime_callbacks[7])(endpoint, region, &task, team, number, flags);
	cr_assert_eq(task.value, endpoint == 1 ? 0 : 5);
}

void runtime_sync_wait(int kind, int endpoint, const void *code)
{
	((void (*)(int, int, ompt_data_t *, ompt_data_t *, const void *))runtime_callbacks[16])(
		kind, endpoint, NULL, NULL, code);
}

void runtime_reduction(int endpoint)
{
	((void (*)(int, int, ompt_data_t *, ompt_data_t *, const void *))runtime_callbacks[31])(
		7, endpoint, NULL, NULL, runtime_here());
}

void runtime_work(int kind, int endpoint)
{
	((void (*)(int, int, ompt_data_t *, ompt_data_t *, uint64_t,
	           const void *))runtime_callbacks[20])(kind, endpoint, NULL, NULL, 100,
	                                                runtime_here());
}

void runtime_masked(int endpoint)
{
	((void (*)(int, ompt_data_t *, ompt_data_t *, const void *))runtime_callbacks[21])(
		endpoint, NULL, NULL, runtime_here());
}

void runtime_mutex_acquire(int kind, uint64_t object)
{
	((void (*)(int, unsigned, unsigned, uint64_t, const void *))runtime_callbacks[26])(
		kind, 0, 0, object, runtime_here());
}

void runtime_mutex_acquired(int kind, uint64_t object)
{
	((void (*)(int, uint64_t, const void *))runtime_callbacks[27])(kind, object,
	                                                               runtime_here());
}

void runtime_nest_lock(int endpoint, uint64_t object)
{
	((void (*)(int, uint64_t, const void *))runtime_callbacks[28])(endpoint, object,
	                                                               runtime_here());
}
