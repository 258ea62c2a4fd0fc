/* heapweight.c: see heapweight.h. */
#include "experiment/events/heapweight.h"

#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <math.h>

uint64_t exp_heap_mean(const struct experiment *experiment)
{
	const char *text = experiment_setting(experiment, "heap_mean", "0");
	uint64_t mean;

	if (exp_number_parse(text, &mean) != 0)
		return 0;
	return mean < FMT_HEAP_MEAN_MAX ? mean : FMT_HEAP_MEAN_MAX;
}

/* The recorder takes an empty block for one byte, too (heap.c). */
struct exp_heap_weight exp_heap_weigh(uint64_t size, uint64_t mean)
{
	double chance = -expm1(-(double)(size ? size : 1) / (double)mean);

	return (struct exp_heap_weight){
		.units = (uint64_t)((double)EXP_HEAP_UNITS / chance + 0.5),
		.bytes = (uint64_t)((double)size / chance + 0.5),
	};
}
