/* dynamic.c: gathers JIT functions: those of map.xml, and those that files for perf(1) describe
 * (jitfiles.c); and gives them to the experiment, sorted by address.
 * See doc/decisions/37-jit-code.md. */
#include "experiment/jit/dynamic.h"

#include "experiment/base/xmlread.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_OFFSET UINT64_MAX

int exp_dynamic_add(struct exp_dynamic *dynamic, const struct exp_function *function)
{
	if (exp_array_reserve(&dynamic->functions, &dynamic->capacity, dynamic->count,
	                      sizeof(*function)) != 0)
		return -ENOMEM;
	dynamic->functions[dynamic->count++] = *function;
	return 0;
}

int exp_dynamic_load(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	const struct exp_clock *clock = &dynamic->experiment->clock;
	struct exp_function added = {
		.name = exp_element_get(element, "name", ""),
		.alias = exp_element_get(element, "alias", NULL),
		.source = exp_element_get(element, "source", NULL),
		.address = exp_element_number(element, "address", 0),
		.size = exp_element_number(element, "size", 0),
		.generation_from = (uint32_t)exp_element_number(element, "generation", 0),
		.generation_to = UINT32_MAX,
		.time_s = exp_clock_seconds(
			clock, exp_element_number(element, "time", clock->start.ticks)),
		.text_offset = exp_element_number(element, "offset", NO_OFFSET),
		.line_count = exp_element_number(element, "lines", 0),
		.ticks_to = UINT64_MAX,
		.method = (uint32_t)exp_element_number(element, "method", 0),
		.is_machine = strcmp(exp_element_get(element, "kind", ""), "jvm") == 0,
		.place_count = exp_element_number(element, "places", 0),
		.call_count = exp_element_number(element, "calls", 0),
	};

	added.has_text = added.text_offset != NO_OFFSET;
	if (added.size != 0 && added.address + added.size >= added.address)
		return exp_dynamic_add(dynamic, &added);
	exp_warn(dynamic->experiment, FMT_FILE_MAP ": the range of a function is damaged");
	return 0;
}

int exp_dynamic_code(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	struct experiment *experiment = dynamic->experiment;
	struct exp_function added = {
		.address = exp_element_number(element, "address", 0),
		.size = exp_element_number(element, "size", 0),
		.generation_to = UINT32_MAX,
		.time_s = exp_clock_seconds(
			&experiment->clock,
			exp_element_number(element, "time", experiment->clock.start.ticks)),
		.text_offset = exp_element_number(element, "offset", NO_OFFSET),
		.origin = EXP_ORIGIN_NOBODY,
		.ticks_from = exp_element_number(element, "time", 0),
		.ticks_to = UINT64_MAX,
	};

	added.has_text = added.text_offset != NO_OFFSET;
	added.name = exp_arena_printf(
		&experiment->arena, "<jit>+0x%llx",
		(unsigned long long)(added.address -
	                             exp_element_number(element, "start", added.address)));
	if (!added.name)
		return -ENOMEM;
	if (added.size != 0 && added.address + added.size >= added.address)
		return exp_dynamic_add(dynamic, &added);
	exp_warn(experiment, FMT_FILE_MAP ": the range of code is damaged");
	return 0;
}

/* The last one loaded at the address, if it is still there, ends with `generation`. */
static void end_at(struct exp_dynamic *dynamic, size_t count, uint64_t address, uint32_t generation)
{
	for (size_t i = count; i-- > 0;) {
		struct exp_function *function = &dynamic->functions[i];

		if (function->address != address || function->origin != EXP_ORIGIN_ANNOUNCED)
			continue;
		if (function->generation_to == UINT32_MAX)
			function->generation_to = generation;
		return;
	}
}

int exp_dynamic_unload(struct exp_dynamic *dynamic, const struct exp_element *element)
{
	end_at(dynamic, dynamic->count, exp_element_number(element, "address", 0),
	       (uint32_t)exp_element_number(element, "generation", UINT32_MAX));
	return 0;
}

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct exp_function *functions = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (functions[x].address != functions[y].address)
		return functions[x].address < functions[y].address ? -1 : 1;
	return (x > y) - (x < y); /* of several at one address the last is found first */
}

int exp_dynamic_finish(struct exp_dynamic *dynamic)
{
	struct experiment *experiment = dynamic->experiment;
	size_t count = dynamic->count;
	uint64_t highest = 0;
	int has_times = 0;

	experiment->functions = exp_arena_alloc(&experiment->arena,
	                                        count * sizeof(*experiment->functions));
	experiment->functions_by_start = exp_arena_alloc(&experiment->arena,
	                                                 count * sizeof(uint32_t));
	experiment->functions_highest_end = exp_arena_alloc(&experiment->arena,
	                                                    count * sizeof(uint64_t));
	if (!experiment->functions || !experiment->functions_by_start ||
	    !experiment->functions_highest_end) {
		free(dynamic->functions);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		experiment->functions[i] = dynamic->functions[i];
		experiment->functions_by_start[i] = (uint32_t)i;
		has_times |= dynamic->functions[i].ticks_from != 0;
	}
	free(dynamic->functions);
	qsort_r(experiment->functions_by_start, count, sizeof(uint32_t), compare_starts,
	        experiment->functions);
	for (size_t i = 0; i < count; i++) {
		const struct exp_function
			*function = &experiment->functions[experiment->functions_by_start[i]];
		uint64_t end = function->address + function->size;

		experiment->has_reuse |= has_times && function->address < highest;
		highest = end > highest ? end : highest;
		experiment->functions_highest_end[i] = highest;
	}
	experiment->function_count = count;
	return 0;
}
