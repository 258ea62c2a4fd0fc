/* instant.c: generations of the address map that stand for a moment too. */
#include "experiment/base/instant.h"

uint32_t exp_instant_add(struct experiment *experiment, uint64_t ticks, uint32_t generation)
{
	if (exp_array_reserve(&experiment->instants, &experiment->instant_capacity,
	                      experiment->instant_count, sizeof(*experiment->instants)) != 0 ||
	    experiment->instant_count >= EXP_GENERATION_INSTANTS)
		return 0;
	experiment->instants[experiment->instant_count] = (struct exp_instant){ticks, generation};
	return EXP_GENERATION_INSTANTS | (uint32_t)experiment->instant_count++;
}

struct exp_instant exp_instant_of(const struct experiment *experiment, uint32_t generation)
{
	uint32_t index = generation & ~EXP_GENERATION_INSTANTS;

	if (generation >= EXP_GENERATION_INSTANTS && index < experiment->instant_count)
		return experiment->instants[index];
	return (struct exp_instant){UINT64_MAX, generation};
}
