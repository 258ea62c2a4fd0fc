/* axis.c: see axis.h. */
#include "analyzer/report/axis.h"

#include "experiment/base/clock.h"

int64_t axis_offset_ns(const struct dataset *dataset, const struct dataset_experiment *at)
{
	const struct dataset_experiment *founder = at->founder ? dataset_find(dataset, at->founder)
	                                                       : NULL;
	int64_t offset_ns = 0;

	if (founder && __builtin_sub_overflow(at->info->start_real_ns, founder->info->start_real_ns,
	                                      &offset_ns))
		return 0;
	return offset_ns;
}

static int64_t sum_of(int64_t offset_ns, int64_t time_ns)
{
	int64_t sum;

	return __builtin_add_overflow(offset_ns, time_ns, &sum) ? 0 : sum;
}

int64_t axis_time_ns(const struct dataset *dataset, const struct dataset_experiment *at,
                     double time_s)
{
	return sum_of(axis_offset_ns(dataset, at), exp_whole_signed(time_s * 1e9));
}

int64_t axis_ticks_ns(const struct experiment *experiment, int64_t offset_ns, uint64_t ticks)
{
	return sum_of(offset_ns, experiment_time_ns(experiment, ticks));
}

struct axis_span axis_span_of(const struct experiment *experiment, int64_t offset_ns,
                              const struct exp_fact *fact)
{
	uint64_t begin = fact->begin_ticks != 0 ? fact->begin_ticks
	                                        : fact->ticks - fact->wait_ticks;
	struct axis_span span = {axis_ticks_ns(experiment, offset_ns, begin),
	                         axis_ticks_ns(experiment, offset_ns, fact->ticks)};

	if (span.begin_ns > span.end_ns)
		span.begin_ns = span.end_ns;
	return span;
}
