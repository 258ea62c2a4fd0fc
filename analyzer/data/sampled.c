/* sampled.c: see sampled.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/data/sampled.h"

#include "analyzer/data/ticked.h"

#include <math.h>

static int is_counter(unsigned metric)
{
	return metric >= METRIC_COUNTER0 && metric <= METRIC_COUNTER7;
}

static int is_time(unsigned metric)
{
	return metric == METRIC_TOTALCPU || metric == METRIC_USER || metric == METRIC_SYSTEM;
}

static int is_heap(unsigned metric)
{
	return metric == METRIC_HEAPALLOCBYTES || metric == METRIC_HEAPLEAKBYTES ||
	       metric == METRIC_HEAPPEAKBYTES;
}

static int is_heap_count(unsigned metric)
{
	return metric == METRIC_HEAPALLOCCNT || metric == METRIC_HEAPLEAKCNT ||
	       metric == METRIC_HEAPPEAKCNT || metric == METRIC_HEAPTEMPCNT;
}

/* User and system time are parts of all CPU time. */
static void add(struct sampled *sampled, const struct dataset_experiment *at, unsigned metric)
{
	const struct exp_quality *quality = &at->data->quality;

	if (is_time(metric)) {
		sampled->sum += (double)quality->sampled_ns;
		sampled->squares += quality->sampled_squares * ticked_effect(at);
	} else if (metric == METRIC_SAMPLES) {
		sampled->sum += (double)quality->samples;
		sampled->squares += (double)quality->samples * ticked_effect(at);
	} else if (is_counter(metric)) {
		sampled->squares += quality->counter_squares[metric - METRIC_COUNTER0];
	}
}

struct sampled sampled_in(const struct dataset *dataset, unsigned group, unsigned metric,
                          uint64_t sum)
{
	struct sampled sampled = {.sum = is_counter(metric) ? (double)sum : 0};
	const struct dataset_experiment *at = NULL;

	if (!is_time(metric) && !is_counter(metric) && !is_heap(metric) && !is_heap_count(metric) &&
	    metric != METRIC_SAMPLES)
		return sampled;
	while ((at = dataset_next(dataset, at))) {
		if (group != DATASET_ALL && at->group != group)
			continue;
		if (is_heap(metric))
			sampled.unit = fmax(sampled.unit, (double)at->data->heap.sampled_every);
		else if (is_heap_count(metric))
			sampled.is_estimate |= at->data->heap.sampled_every != 0;
		else
			add(&sampled, at, metric);
	}
	return sampled;
}
