/* stackends.c: see stackends.h.
 * See doc/decisions/38-frames-without-tables.md. */
#include "analyzer/data/stackends.h"

#include "analyzer/base/memory.h"

#include "experiment/base/totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_IN = 20 /* one of so many events without a whole stack is worth a line */ };

/* Codes of a dataset: few. */
struct codes {
	struct stackends_code *code;
	size_t count, capacity;
};

static const char *last_component(const char *path)
{
	const char *slash = !path ? NULL : strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int is_code(const struct stackends_code *code, const char *name, int is_jit)
{
	return code->is_jit == is_jit && strcmp(code->name, name) == 0;
}

static void add(struct codes *codes, const char *name, int is_jit, uint64_t events)
{
	size_t i = 0;

	while (i < codes->count && !is_code(&codes->code[i], name, is_jit))
		i++;
	if (i == codes->count) {
		codes->code = memory_grow(codes->code, codes->count, &codes->capacity,
		                          sizeof(*codes->code));
		codes->code[codes->count++] = (struct stackends_code){.name = name,
		                                                      .is_jit = is_jit};
	}
	codes->code[i].events += events;
}

static void add_end(const struct dataset *dataset, const struct dataset_experiment *at,
                    const struct exp_stack_end *end, struct codes *codes)
{
	const struct exp_nodes *nodes = &at->whole->nodes;
	const struct sym_frame *frames;
	const struct sym_object *object;
	int is_jit;
	int count = symbols_frames(dataset->symbols, at->experiment, nodes->pc[end->node],
	                           nodes->generation[end->node], 0, &frames);

	if (count < 1)
		return;
	object = frames[count - 1].function->object;
	is_jit = strcmp(object->path, "<Dynamic>") == 0;
	add(codes, is_jit && at->info->program ? last_component(at->info->program) : object->name,
	    is_jit, end->events);
}

static int by_events(const void *a, const void *b)
{
	const struct stackends_code *one = a, *other = b;

	if (one->events != other->events)
		return one->events < other->events ? 1 : -1;
	return strcmp(one->name, other->name);
}

/* Were they walked by frame pointers alone? Then other code is cut off, and something else helps.
 */
static int is_by_frame_pointers(const struct experiment *experiment)
{
	return experiment_counter(experiment, "sampler_samples", 0) > 0 &&
	       strcmp(experiment_setting(experiment, "sampler_stack", "0"), "0") == 0;
}

struct stackends stackends_find(const struct dataset *dataset)
{
	struct stackends ends = {.events = 0};
	const struct dataset_experiment *at = NULL;
	struct codes codes = {.count = 0};

	while ((at = dataset_next(dataset, at))) {
		if (is_by_frame_pointers(at->experiment))
			continue;
		ends.events += at->whole->quality.stack_events;
		ends.cut += at->whole->quality.truncated_events;
		for (size_t i = 0; i < at->whole->stack_end_count; i++) {
			const struct exp_stack_end *end = &at->whole->stack_ends[i];

			if (end->is_deep)
				ends.deep += end->events;
			else
				add_end(dataset, at, end, &codes);
		}
	}
	if (codes.count > 0)
		qsort(codes.code, codes.count, sizeof(*codes.code), by_events);
	for (size_t i = 0; i < codes.count && i < STACKENDS_SHOWN; i++)
		ends.most[i] = codes.code[i];
	free(codes.code);
	return ends;
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

int stackends_are_many(const struct stackends *ends)
{
	return ends->cut != 0 && ends->cut * MANY_IN >= ends->events;
}

const char *stackends_name(const struct stackends_code *code, char *text, size_t size)
{
	snprintf(text, size, "%s%s", code->is_jit ? "JIT code of " : "", code->name);
	return text;
}

int stackends_text(const struct stackends *ends, char *text, size_t size)
{
	const struct stackends_code *code = ends->most;
	char name[STACKENDS_NAME];
	int length;

	if (!stackends_are_many(ends))
		return 0;
	length = snprintf(text, size, "%.1f %% are cut", percent(ends->cut, ends->events));
	if (code->events != 0)
		length += snprintf(text + length, size - (size_t)length,
		                   ", where neither unwinding tables nor frame pointers lead on");
	for (size_t i = 0; i < STACKENDS_SHOWN && code[i].events != 0; i++)
		length += snprintf(text + length, size - (size_t)length, "%s %.1f %%%s in %s",
		                   i == 0 ? ":" : ",", percent(code[i].events, ends->cut),
		                   i == 0 ? " of them" : "",
		                   stackends_name(&code[i], name, sizeof(name)));
	if (ends->deep != 0)
		snprintf(text + length, size - (size_t)length, "%s %.1f %% of them for their depth",
		         code->events != 0 ? ";" : ",", percent(ends->deep, ends->cut));
	return 1;
}
