/* moments.c: which of several JIT functions was at an address, and when. */
#include "experiment/jit/moments.h"

#include "experiment/base/internal.h"

size_t experiment_functions(const struct experiment *experiment, const struct exp_function **out)
{
	*out = experiment->functions;
	return experiment->function_count;
}

/* Number of functions that start at or below pc. */
static size_t count_started(const struct experiment *experiment, uint64_t pc)
{
	size_t low = 0, high = experiment->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (experiment->functions[experiment->functions_by_start[middle]].address <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of those that overlap no more are looked at: a file may say that any number do. */
enum { OVERLAPS_MAX = 4096 };

/* The functions at an address, of those that begin highest first, the later of two that begin at
 * the same place first. */
struct overlaps {
	const struct experiment *experiment;
	uint64_t pc;
	uint32_t generation;
	size_t next;
	unsigned seen;
};

static struct overlaps overlaps_at(const struct experiment *experiment, uint64_t pc,
                                   uint32_t generation)
{
	return (struct overlaps){experiment, pc, generation, count_started(experiment, pc), 0};
}

static const struct exp_function *next_overlap(struct overlaps *at)
{
	const struct experiment *experiment = at->experiment;

	while (at->next > 0 && experiment->functions_highest_end[at->next - 1] > at->pc &&
	       at->seen < OVERLAPS_MAX) {
		const struct exp_function *function =
			&experiment->functions[experiment->functions_by_start[--at->next]];

		at->seen++;
		if (at->pc - function->address < function->size &&
		    at->generation >= function->generation_from &&
		    at->generation < function->generation_to)
			return function;
	}
	return NULL;
}

/* Is `left` a better answer than `right` for that time, if both were there, or if both were there
 * only later? */
static int is_better(const struct exp_function *left, const struct exp_function *right,
                     int are_there)
{
	if (left->origin != right->origin)
		return left->origin < right->origin;
	if (left->ticks_from != right->ticks_from)
		return (left->ticks_from > right->ticks_from) == are_there;
	return left->origin != EXP_ORIGIN_ANNOUNCED && (left > right) == are_there;
}

const struct exp_function *exp_function_then(const struct experiment *experiment, uint64_t pc,
                                             struct exp_instant then)
{
	struct overlaps at = overlaps_at(experiment, pc, then.generation);
	const struct exp_function *function, *there = NULL, *later = NULL;

	while ((function = next_overlap(&at))) {
		int is_there = function->ticks_from <= then.ticks;
		const struct exp_function **best = is_there ? &there : &later;

		/* Without a moment, the last one there counts, even if it is gone. */
		if (is_there && function->ticks_to <= then.ticks && then.ticks != UINT64_MAX)
			continue;
		if (!*best || is_better(function, *best, is_there))
			*best = function;
	}
	return there ? there : later;
}

size_t exp_function_moments(const struct experiment *experiment, uint64_t pc, uint32_t generation,
                            uint64_t *out, size_t count, size_t max)
{
	struct overlaps at = overlaps_at(experiment, pc, generation);
	const struct exp_function *function;

	while ((function = next_overlap(&at))) {
		if (count < max)
			out[count++] = function->ticks_from;
		if (count < max && function->ticks_to != UINT64_MAX)
			out[count++] = function->ticks_to;
	}
	return count;
}

const struct exp_function *experiment_function_at(const struct experiment *experiment, uint64_t pc,
                                                  uint32_t generation)
{
	return exp_function_then(experiment, pc, exp_instant_of(experiment, generation));
}
