/* ompt_abi.h: the parts of the tool interface of OpenMP (specification 5.1, chapter 4) that are
 * used here, so that building needs no header of a runtime. Names and numbers are those of the
 * specification. */
#ifndef XER_COLLECTOR_OMPT_ABI_H
#define XER_COLLECTOR_OMPT_ABI_H

#include <stdint.h>

typedef union {
	uint64_t value;
	void *ptr;
} ompt_data_t;

typedef struct {
	ompt_data_t exit_frame, enter_frame;
	int exit_frame_flags, enter_frame_flags;
} ompt_frame_t;

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int which, ompt_callback_t callback);
typedef int (*ompt_get_task_info_t)(int ancestor_level, int *flags, ompt_data_t **task_data,
                                    ompt_frame_t **task_frame, ompt_data_t **parallel_data,
                                    int *thread_num);

typedef struct {
	int (*initialize)(ompt_function_lookup_t lookup, int initial_device_num,
	                  ompt_data_t *tool_data);
	void (*finalize)(ompt_data_t *tool_data);
	ompt_data_t tool_data;
} ompt_start_tool_result_t;

enum { ompt_scope_begin = 1, ompt_scope_end = 2 };

enum {
	ompt_callback_parallel_begin = 3,
	ompt_callback_parallel_end = 4,
	ompt_callback_task_create = 5,
	ompt_callback_task_schedule = 6,
	ompt_callback_implicit_task = 7,
	ompt_callback_sync_region_wait = 16,
	ompt_callback_work = 20,
	ompt_callback_masked = 21,
	ompt_callback_mutex_acquire = 26,
	ompt_callback_mutex_acquired = 27,
	ompt_callback_nest_lock = 28,
	ompt_callback_reduction = 31
};

enum {
	ompt_sync_region_barrier = 1,
	ompt_sync_region_barrier_implicit = 2,
	ompt_sync_region_barrier_explicit = 3,
	ompt_sync_region_barrier_implementation = 4,
	ompt_sync_region_taskwait = 5,
	ompt_sync_region_taskgroup = 6,
	ompt_sync_region_reduction = 7,
	ompt_sync_region_barrier_implicit_workshare = 8,
	ompt_sync_region_barrier_implicit_parallel = 9,
	ompt_sync_region_barrier_teams = 10
};

enum {
	ompt_mutex_lock = 1,
	ompt_mutex_test_lock = 2,
	ompt_mutex_nest_lock = 3,
	ompt_mutex_test_nest_lock = 4,
	ompt_mutex_critical = 5,
	ompt_mutex_atomic = 6,
	ompt_mutex_ordered = 7
};

enum {
	ompt_work_loop = 1,
	ompt_work_sections = 2,
	ompt_work_single_executor = 3,
	ompt_work_single_other = 4,
	ompt_work_workshare = 5,
	ompt_work_distribute = 6,
	ompt_work_taskloop = 7,
	ompt_work_scope = 8,
	ompt_work_loop_static = 10, /* these four: specification 6.0 */
	ompt_work_loop_dynamic = 11,
	ompt_work_loop_guided = 12,
	ompt_work_loop_other = 13
};

enum { ompt_task_initial = 1, ompt_task_implicit = 2, ompt_task_explicit = 4 };

enum {
	ompt_task_complete = 1,
	ompt_task_cancel = 3,
	ompt_task_detach = 4,
	ompt_task_late_fulfill = 6,
	ompt_task_switch = 7
};

#endif
