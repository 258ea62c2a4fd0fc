/* omp: a made-up OpenMP runtime with the tool interface: it keeps the callbacks by their numbers,
 * and reports the task frame that a test has put into made_frame. */
#include "libcollector/omp/ompt_abi.h"

#include <stddef.h>

enum { CALLBACKS = 64 };
extern ompt_callback_t made_callbacks[CALLBACKS];
extern ompt_frame_t *made_frame;
ompt_callback_t made_callbacks[CALLBACKS];
ompt_frame_t *made_frame;
int made_set(int which, ompt_callback_t callback);
int made_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                   ompt_data_t **parallel, int *number);

int made_set(int which, ompt_callback_t callback)
{
	made_callbacks[which] = callback;
	return 5;
}

int made_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                   ompt_data_t **parallel, int *number)
{
	(void)flags;
	(void)task;
	(void)parallel;
	(void)number;
	*frame = made_frame;
	return level == 0 && made_frame ? 2 : 0;
}
