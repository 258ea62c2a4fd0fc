/* programs.c: group processes by their program. See programs.h. */
#include "analyzer/report/programs.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/report.h"

#include <stdlib.h>
#include <string.h>

static struct program of_one(const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;

	return (struct program){
		.path = info->program && info->program[0] != '\0' ? info->program : "?",
		.processes = 1,
		.failed = info->status == EXP_ENDED && info->exit_code > 0,
		.died = info->status == EXP_DIED,
		.cpu_ns = report_cpu_ns(at),
		.wall_s = info->duration_s,
		.longest_s = info->duration_s,
	};
}

static int by_path(const void *left, const void *right)
{
	return strcmp(((const struct program *)left)->path, ((const struct program *)right)->path);
}

static int by_cpu(const void *left, const void *right)
{
	const struct program *a = left, *b = right;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns < b->cpu_ns ? 1 : -1;
	return strcmp(a->path, b->path);
}

static void add(struct program *to, const struct program *from)
{
	to->processes += from->processes;
	to->failed += from->failed;
	to->died += from->died;
	to->cpu_ns += from->cpu_ns;
	to->wall_s += from->wall_s;
	if (from->longest_s > to->longest_s)
		to->longest_s = from->longest_s;
}

/* Make one of each run of equal paths. Returns how many are left. */
static size_t merge(struct program *programs, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && strcmp(programs[kept - 1].path, programs[i].path) == 0)
			add(&programs[kept - 1], &programs[i]);
		else
			programs[kept++] = programs[i];
	}
	return kept;
}

size_t programs_gather(const struct dataset *dataset, unsigned founder, struct program **out)
{
	const struct dataset_experiment *at = NULL;
	size_t count = 0;

	*out = memory_take(dataset->count, sizeof(**out));
	while ((at = dataset_next(dataset, at)))
		if (founder == 0 || at->founder == founder)
			(*out)[count++] = of_one(at);
	qsort(*out, count, sizeof(**out), by_path);
	count = merge(*out, count);
	qsort(*out, count, sizeof(**out), by_cpu);
	return count;
}
