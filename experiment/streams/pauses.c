/* pauses.c: the CPU time and the times of pauses: between the pauses and resumptions that log.xml
 * has; and the names of samples, which are there too.
 * See doc/decisions/36-pauses.md. */
#include "experiment/streams/pauses.h"

#include "experiment/base/xmlread.h"
#include "experiment/streams/load_context.h"
#include "experiment/table/arena.h"

#include <stdlib.h>
#include <string.h>

static const char *attribute(const struct exp_event *event, const char *name)
{
	for (size_t i = 0; i < event->attribute_count; i++)
		if (strcmp(event->attributes[i].name, name) == 0)
			return event->attributes[i].value;
	return NULL;
}

/* Returns 1 and *out, or 0 if there is no such number. */
static int number(const struct exp_event *event, const char *name, uint64_t *out)
{
	const char *value = attribute(event, name);

	return value && exp_number_parse(value, out) == 0;
}

uint64_t experiment_paused_ns(const struct experiment *experiment, uint64_t cpu_ns)
{
	const struct exp_info *info = &experiment->info;
	uint64_t paused_ns = 0, since = 0, at;
	int is_paused = 0;

	for (size_t i = 0; i < info->event_count; i++) {
		const struct exp_event *event = &info->events[i];
		int pauses = strcmp(event->kind, "pause") == 0;

		if ((!pauses && strcmp(event->kind, "resume") != 0) || pauses == is_paused ||
		    !number(event, "cpu_ns", &at))
			continue;
		at = at < cpu_ns ? at : cpu_ns;
		if (pauses)
			since = at;
		else if (at > since)
			paused_ns += at - since;
		is_paused = pauses;
	}
	return is_paused && cpu_ns > since ? paused_ns + cpu_ns - since : paused_ns;
}

int exp_pauses_read(const struct experiment *experiment, struct exp_pauses *out)
{
	const struct exp_info *info = &experiment->info;
	int is_paused = 0;

	*out = (struct exp_pauses){0};
	for (size_t i = 0; i < info->event_count; i++) {
		int pauses = strcmp(info->events[i].kind, "pause") == 0;
		uint64_t at = experiment->event_ticks[i];

		if ((!pauses && strcmp(info->events[i].kind, "resume") != 0) || pauses == is_paused)
			continue;
		/* Threads that write at the same time may be a little out of order. */
		if (out->count > 0 && at < out->pauses[out->count - 1].from)
			at = out->pauses[out->count - 1].from;
		if (pauses) {
			if (exp_array_reserve(&out->pauses, &out->capacity, out->count,
			                      sizeof(*out->pauses)) != 0)
				return -ENOMEM;
			out->pauses[out->count++] = (struct exp_pause){.from = at,
			                                               .to = UINT64_MAX};
		} else {
			out->pauses[out->count - 1].to = at;
		}
		is_paused = pauses;
	}
	return 0;
}

void exp_pauses_fini(struct exp_pauses *pauses)
{
	free(pauses->pauses);
	*pauses = (struct exp_pauses){0};
}

uint64_t exp_pauses_outside(const struct exp_pauses *pauses, uint64_t from, uint64_t to)
{
	uint64_t outside = to - from;

	for (size_t i = 0; i < pauses->count && pauses->pauses[i].from < to; i++) {
		const struct exp_pause *pause = &pauses->pauses[i];
		uint64_t begin = pause->from > from ? pause->from : from;
		uint64_t end = pause->to < to ? pause->to : to;

		outside -= end > begin ? end - begin : 0;
	}
	return outside;
}

int exp_pauses_has(const struct exp_pauses *pauses, uint64_t ticks)
{
	size_t low = 0, high = pauses->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pauses->pauses[middle].to <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pauses->count && pauses->pauses[low].from <= ticks;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct exp_usage *x = *(const struct exp_usage *const *)a;
	const struct exp_usage *y = *(const struct exp_usage *const *)b;

	return (x->number > y->number) - (x->number < y->number);
}

int exp_usage_name(struct exp_load *load)
{
	const struct exp_info *info = &load->experiment->info;
	struct exp_usage **sorted = exp_arena_alloc(&load->arena,
	                                            load->usage_count * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < load->usage_count; i++)
		sorted[i] = &load->usage[i];
	qsort(sorted, load->usage_count, sizeof(*sorted), compare_numbers);
	for (size_t i = 0; i < info->event_count; i++) {
		struct exp_usage key = {.label = NULL}, *wanted = &key, **found;
		uint64_t ordinal;

		if (strcmp(info->events[i].kind, "sample") != 0 ||
		    !number(&info->events[i], "number", &ordinal))
			continue;
		key.number = (uint32_t)ordinal;
		found = bsearch(&wanted, sorted, load->usage_count, sizeof(*sorted),
		                compare_numbers);
		if (found)
			(*found)->label = attribute(&info->events[i], "name");
	}
	return 0;
}
