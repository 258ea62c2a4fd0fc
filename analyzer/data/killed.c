/* killed.c: see killed.h. Numbers of processes are used again: the one that was killed is the last
 * one of that number that began before. */
#include "analyzer/data/killed.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The two times come from clocks that were read apart. */
#define CLOCKS_DIFFER_S 1e-3

struct killed {
	unsigned long long pid;
	double at_s; /* since 1970 */
	int signal, has_core;
};

static unsigned long long number(const struct exp_event *event, const char *name)
{
	for (size_t i = 0; i < event->attribute_count; i++)
		if (strcmp(event->attributes[i].name, name) == 0)
			return strtoull(event->attributes[i].value, NULL, 10);
	return 0;
}

static double start_s(const struct exp_info *info)
{
	return (double)info->start_real_ns * 1e-9;
}

static int compare(const void *a, const void *b)
{
	const struct killed *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* What the logs of experiments[first..] tell, sorted. Returns how many there are. */
static size_t collect(const struct dataset *dataset, size_t first, struct killed **out)
{
	size_t count = 0, capacity = 0;

	*out = NULL;
	for (size_t i = first; i < dataset->count; i++) {
		const struct exp_info *info = dataset->experiments[i].info;

		for (size_t k = 0; k < info->event_count; k++) {
			const struct exp_event *event = &info->events[k];

			if (strcmp(event->kind, "killed") != 0)
				continue;
			*out = memory_grow(*out, count, &capacity, sizeof(**out));
			(*out)[count++] = (struct killed){
				number(event, "pid"), start_s(info) + event->time_s,
				(int)number(event, "signal"), number(event, "core") != 0};
		}
	}
	if (count > 0)
		qsort(*out, count, sizeof(**out), compare);
	return count;
}

/* The first end of a process of that number after it began, or NULL. */
static const struct killed *end_of(const struct exp_info *info, const struct killed *killed,
                                   size_t count)
{
	const struct killed wanted = {.pid = (unsigned long long)info->pid,
	                              .at_s = start_s(info) - CLOCKS_DIFFER_S};
	size_t from = 0, to = count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(&killed[middle], &wanted) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < count && killed[from].pid == wanted.pid ? &killed[from] : NULL;
}

void killed_find(struct dataset *dataset, size_t first)
{
	struct killed *killed;
	size_t count = collect(dataset, first, &killed);

	for (size_t i = first; i < dataset->count; i++) {
		struct dataset_experiment *at = &dataset->experiments[i];
		const struct killed *end = at->info->status == EXP_DIED
		                                   ? end_of(at->info, killed, count)
		                                   : NULL;

		at->killed_by = end ? end->signal : 0;
		at->has_core = end && end->has_core;
	}
	free(killed);
}
