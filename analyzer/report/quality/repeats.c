/* repeats.c: see repeats.h.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/report/quality/repeats.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What was recorded together: a founder with its descendants. */
struct founder {
	const struct exp_info *info; /* of the founder; if it is not selected, of a descendant */
	unsigned id, group, run;
};

static unsigned founder_of(const struct dataset_experiment *at)
{
	return at->founder != 0 ? at->founder : at->id;
}

static int by_id(const void *left, const void *right)
{
	const struct founder *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static int by_group_and_time(const void *left, const void *right)
{
	const struct founder *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->info->start_real_ns != b->info->start_real_ns)
		return a->info->start_real_ns < b->info->start_real_ns ? -1 : 1;
	return by_id(a, b);
}

/* Founders were opened before their descendants, and have smaller numbers. */
static struct founder *list_founders(const struct dataset *dataset, enum repeats_of of,
                                     size_t *count)
{
	struct founder *founders = memory_take(dataset->count, sizeof(*founders));
	const struct dataset_experiment *at = NULL;
	size_t all = 0;

	while ((at = dataset_next(dataset, at)))
		founders[all++] = (struct founder){at->info, founder_of(at),
		                                   of == REPEATS_OF_ALL ? 0 : at->group, 0};
	if (all > 1)
		qsort(founders, all, sizeof(*founders), by_id);
	*count = 0;
	for (size_t i = 0; i < all; i++) {
		if (*count == 0 || founders[*count - 1].id != founders[i].id)
			founders[(*count)++] = founders[i];
		else if (founders[i].info->lineage[0] == '\0')
			founders[*count - 1] = founders[i];
	}
	if (*count > 1)
		qsort(founders, *count, sizeof(*founders), by_group_and_time);
	return founders;
}

static int is_same_command(const struct exp_info *a, const struct exp_info *b)
{
	if (a->argc != b->argc)
		return 0;
	for (size_t i = 0; i < a->argc; i++)
		if (strcmp(a->argv[i], b->argv[i]) != 0)
			return 0;
	return 1;
}

/* In ns since 1970; an experiment may claim any time. */
static double end_of(const struct exp_info *info)
{
	return (double)info->start_real_ns + info->duration_s * 1e9;
}

/* Number the runs of one group, from *run. */
static void number_runs(struct founder *founders, size_t count, unsigned *run)
{
	double end = end_of(founders[0].info);
	int is_repeated = 1;

	for (size_t i = 1; i < count && is_repeated; i++)
		is_repeated = is_same_command(founders[0].info, founders[i].info);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && is_repeated && (double)founders[i].info->start_real_ns >= end)
			(*run)++;
		if (end_of(founders[i].info) > end)
			end = end_of(founders[i].info);
		founders[i].run = *run;
	}
	(*run)++;
}

static unsigned number_all(struct founder *founders, size_t count)
{
	unsigned runs = 0;
	size_t end;

	for (size_t from = 0; from < count; from = end) {
		for (end = from; end < count && founders[end].group == founders[from].group; end++)
			continue;
		number_runs(&founders[from], end - from, &runs);
	}
	return runs;
}

/* The dataset with the runs for groups; all else is shared. founders[count] are in order of their
 * numbers. */
static struct dataset by_run(const struct dataset *dataset, const struct founder *founders,
                             size_t count, const struct repeats *repeats)
{
	struct dataset runs = *dataset;

	runs.focus = DATASET_ALL;
	runs.experiments = memory_take(dataset->count, sizeof(*runs.experiments));
	memcpy(runs.experiments, dataset->experiments, dataset->count * sizeof(*runs.experiments));
	for (size_t i = 0; i < dataset->count; i++) {
		struct dataset_experiment *at = &runs.experiments[i];
		const struct founder wanted = {.id = founder_of(at)},
				     *founder = bsearch(&wanted, founders, count, sizeof(*founders),
		                                        by_id);

		if (at->is_selected && founder)
			at->group = founder->run;
	}
	runs.groups = memory_take(repeats->count, sizeof(*runs.groups));
	runs.group_count = repeats->count;
	for (size_t i = 0; i < repeats->count; i++)
		runs.groups[i].path = dataset->groups[repeats->groups[i]].path;
	return runs;
}

/* The tables of one run are those of the whole. */
static int is_split(const struct repeats *repeats)
{
	return repeats->count > 1 || repeats->before != TREE_COMPARE_OFF;
}

void repeats_begin(struct repeats *repeats, const struct dataset *dataset, enum repeats_of of)
{
	size_t count;
	struct founder *founders = list_founders(dataset, of, &count);

	repeats->count = number_all(founders, count);
	repeats->groups = memory_take(repeats->count, sizeof(*repeats->groups));
	for (size_t i = 0; i < count; i++)
		repeats->groups[founders[i].run] = founders[i].group;
	if (count > 1)
		qsort(founders, count, sizeof(*founders), by_id);
	repeats->dataset = by_run(dataset, founders, count, repeats);
	free(founders);
	repeats->before = dataset->tables->compare;
	if (is_split(repeats))
		dataset_forget_tables(dataset);
	dataset->tables->compare = TREE_COMPARE_ON;
}

void repeats_end(struct repeats *repeats)
{
	if (is_split(repeats))
		dataset_forget_tables(&repeats->dataset);
	repeats->dataset.tables->compare = repeats->before;
	free(repeats->dataset.experiments);
	free(repeats->dataset.groups);
	free(repeats->groups);
}
