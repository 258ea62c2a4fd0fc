/* addressmap.c: the table of an experiment's load objects: which of them contains an address. */
#include "experiment/base/addressmap.h"

#include "experiment/base/instant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct exp_object *objects = context;
	uint64_t x = objects[*(const uint32_t *)a].start;
	uint64_t y = objects[*(const uint32_t *)b].start;

	return (x > y) - (x < y);
}

int exp_map_index(struct experiment *experiment, const struct exp_map_object *objects, size_t count)
{
	uint64_t highest = 0;

	experiment->objects = exp_arena_alloc(&experiment->arena,
	                                      count * sizeof(*experiment->objects));
	experiment->by_start = exp_arena_alloc(&experiment->arena,
	                                       count * sizeof(*experiment->by_start));
	experiment->highest_end = exp_arena_alloc(&experiment->arena,
	                                          count * sizeof(*experiment->highest_end));
	if (!experiment->objects || !experiment->by_start || !experiment->highest_end)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		experiment->objects[i] = objects[i].object;
		experiment->by_start[i] = (uint32_t)i;
	}
	qsort_r(experiment->by_start, count, sizeof(uint32_t), compare_starts, experiment->objects);
	for (size_t i = 0; i < count; i++) {
		const struct exp_object *object = &experiment->objects[experiment->by_start[i]];

		highest = object->end > highest ? object->end : highest;
		experiment->highest_end[i] = highest;
	}
	experiment->object_count = count;
	return 0;
}

size_t experiment_objects(const struct experiment *experiment, const struct exp_object **out)
{
	*out = experiment->objects;
	return experiment->object_count;
}

/* Number of objects that start at or below pc. */
static size_t count_started(const struct experiment *experiment, uint64_t pc)
{
	size_t low = 0, high = experiment->object_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (experiment->objects[experiment->by_start[middle]].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct exp_object *experiment_object_at(const struct experiment *experiment, uint64_t pc,
                                              uint32_t generation)
{
	generation = exp_instant_of(experiment, generation).generation;
	for (size_t i = count_started(experiment, pc); i > 0 && experiment->highest_end[i - 1] > pc;
	     i--) {
		const struct exp_object *object = &experiment->objects[experiment->by_start[i - 1]];

		if (pc < object->end && generation >= object->generation_from &&
		    generation < object->generation_to)
			return object;
	}
	return NULL;
}

static int compare_epochs(const void *left, const void *right)
{
	const struct exp_instant *a = left, *b = right;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return (a->generation > b->generation) - (a->generation < b->generation);
}

int exp_map_set_epochs(struct experiment *experiment, const struct exp_instant *epochs,
                       size_t count)
{
	uint32_t highest = 0;

	experiment->epochs = exp_arena_alloc(&experiment->arena,
	                                     (count + 1) * sizeof(*experiment->epochs));
	if (!experiment->epochs)
		return -ENOMEM;
	if (count != 0)
		memcpy(experiment->epochs, epochs, count * sizeof(*epochs));
	qsort(experiment->epochs, count, sizeof(*epochs), compare_epochs);
	for (size_t i = 0; i < count; i++) { /* clocks of CPUs may disagree a little */
		if (experiment->epochs[i].generation > highest)
			highest = experiment->epochs[i].generation;
		experiment->epochs[i].generation = highest;
	}
	experiment->epoch_count = count;
	return 0;
}

uint32_t exp_map_generation_then(const struct experiment *experiment, uint64_t ticks)
{
	size_t low = 0, high = experiment->epoch_count;

	if (high == 0)
		return EXP_GENERATION_INSTANTS - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (experiment->epochs[middle].ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? 0 : experiment->epochs[low - 1].generation;
}

/* Of those that were not gone yet, the first; of those that were, the last. */
static int is_better(const struct exp_object *object, const struct exp_object *than,
                     uint32_t generation)
{
	int is_there = generation < object->generation_to;

	if (is_there != (generation < than->generation_to))
		return is_there;
	return is_there ? object->generation_from < than->generation_from
	                : object->generation_from > than->generation_from;
}

uint32_t exp_map_generation(const struct experiment *experiment, uint64_t pc, uint32_t generation)
{
	const struct exp_object *best = NULL;

	for (size_t i = count_started(experiment, pc); i > 0 && experiment->highest_end[i - 1] > pc;
	     i--) {
		const struct exp_object *object = &experiment->objects[experiment->by_start[i - 1]];

		if (pc < object->end && (!best || is_better(object, best, generation)))
			best = object;
	}
	return best ? best->generation_from : 0;
}

int exp_map_overlaps(const struct experiment *experiment, const struct exp_object *object)
{
	size_t started = count_started(experiment, object->end - 1);

	return started > 0 && experiment->highest_end[started - 1] > object->start;
}
