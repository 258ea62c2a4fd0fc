/* idle.c: see idle.h. */
#include "analyzer/report/idle.h"

#include "experiment/streams/selection.h"
#include "format/record.h"

/* Is it a wait for work? */
static int is_for_work(const struct exp_wait *wait)
{
	switch (wait->state) {
	case FMT_wall_state_POLL:
	case FMT_wall_state_PIPE:
	case FMT_wall_state_SOCKET:
	case FMT_wall_state_SIGNAL:
		return 1;
	case FMT_wall_state_COND:
		break;
	default:
		return 0;
	}
	if (wait->family != FMT_wait_family_SYNC)
		return 1;
	switch (wait->func) {
	case FMT_sync_func_JOIN:
	case FMT_sync_func_TIMEDJOIN:
	case FMT_sync_func_CLOCKJOIN:
	case FMT_sync_func_THRD_JOIN:
	case FMT_sync_func_BARRIER_WAIT:
	case FMT_sync_func_ONCE:
	case FMT_sync_func_CALL_ONCE:
		return 0;
	default:
		return 1;
	}
}

int idle_is(const struct dataset_experiment *at, const struct exp_wait *wait)
{
	const double part = 0.99;
	double span_s = (double)wait->span_ns / 1e9;
	uint32_t thread;

	if (at->data != at->whole || wait->error != EXP_SYNC_OPEN || !is_for_work(wait))
		return 0;
	thread = exp_thread_at(at->whole, wait->tid, wait->time_s);
	return thread != EXP_NO_INDEX && thread != 0 &&
	       span_s >= part * (wait->time_s - at->whole->threads[thread].time_s);
}

const struct exp_wait *idle_next(const struct dataset *dataset,
                                 const struct dataset_experiment **at, size_t *index)
{
	if (*at) {
		++*index;
	} else {
		*at = dataset_next(dataset, NULL);
		*index = 0;
	}
	for (; *at; *at = dataset_next(dataset, *at), *index = 0)
		for (; *index < (*at)->whole->wall.longest_count; ++*index)
			if (idle_is(*at, &(*at)->whole->wall.longest[*index]))
				return &(*at)->whole->wall.longest[*index];
	return NULL;
}
