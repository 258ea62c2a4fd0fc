/* epoch.c: generations of the address map that stand for a moment too. */
#include "experiment/base/epoch.h"

uint32_t exp_epoch_add(struct experiment *experiment, uint64_t ticks, uint32_t generation)
{
	if (exp_array_reserve(&experiment->epochs, &experiment->epoch_capacity,
	                      experiment->epoch_count, sizeof(*experiment->epochs)) != 0 ||
	    experiment->epoch_count >= EXP_GENERATION_EPOCHS)
		return 0;
	experiment->epochs[experiment->epoch_count] = (struct exp_epoch){ticks, generation};
	return EXP_GENERATION_EPOCHS | (uint32_t)experiment->epoch_count++;
}

struct exp_epoch exp_epoch_of(const struct experiment *experiment, uint32_t generation)
{
	uint32_t index = generation & ~EXP_GENERATION_EPOCHS;

	if (generation >= EXP_GENERATION_EPOCHS && index < experiment->epoch_count)
		return experiment->epochs[index];
	return (struct exp_epoch){UINT64_MAX, generation};
}
