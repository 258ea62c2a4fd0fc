/* judged.c: adds up how much of what happened is in the data. See judged.h. */
#include "analyzer/report/quality/judged.h"

#include "analyzer/data/newest.h"
#include "analyzer/data/ticked.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/quality/absent.h"

#include "experiment/base/totals.h"

static void add_quality(struct exp_quality *to, const struct dataset_experiment *at)
{
	const struct exp_quality *from = &at->whole->quality;

	datakind_add_events(to, from);
	to->sampled_ns += from->sampled_ns;
	to->sampled_squares += from->sampled_squares * ticked_effect(at);
	to->cpu_ns += from->cpu_ns;
	to->lost += from->lost;
	to->stacks += from->stacks;
	to->truncated += from->truncated;
	to->guessed += from->guessed;
	to->failed += from->failed;
	to->stack_events += from->stack_events;
	to->truncated_events += from->truncated_events;
	to->wall_ns += from->wall_ns;
	to->wall_unknown_ns += from->wall_unknown_ns;
}

/* CPU time of a process, but for that in which nothing was to be recorded. */
static void add_used(struct judged *judged, const struct dataset_experiment *at, uint64_t cpu_ns)
{
	uint64_t paused_ns = experiment_paused_ns(at->experiment, cpu_ns);

	judged->cpu_ns += cpu_ns - paused_ns;
	judged->paused_ns += paused_ns;
}

/* Where the beginning was dropped, both sides are known from one usage sample to another one. */
static void add_newest(struct judged *judged, const struct dataset_experiment *at)
{
	const struct exp_data_set *data = at->whole;
	const struct exp_usage *first = newest_usage(at),
			       *last = &data->usage[data->usage_count - 1];

	if (!first || first == last || last->sampled_ns < first->sampled_ns)
		return;
	judged->covered_ns += last->sampled_ns - first->sampled_ns;
	add_used(judged, at, last->cpu_ns);
	judged->cpu_ns -= first->cpu_ns - experiment_paused_ns(at->experiment, first->cpu_ns);
	judged->paused_ns -= experiment_paused_ns(at->experiment, first->cpu_ns);
}

/* For a running or killed process, both sides are known only up to its last usage sample. */
static void add_coverage(struct judged *judged, const struct dataset_experiment *at)
{
	const struct exp_data_set *data = at->whole;
	const struct exp_usage *last = data->usage_count > 1 ? &data->usage[data->usage_count - 1]
	                                                     : NULL;

	if (at->info->kept_from_s > 0)
		add_newest(judged, at);
	else if (at->info->outside)
		judged->outside_ns += data->quality.sampled_ns;
	else if (at->info->status == EXP_ENDED || at->info->status == EXP_EXECED ||
	         at->info->status == EXP_DETACHED) {
		judged->covered_ns += data->quality.sampled_ns;
		add_used(judged, at, data->quality.cpu_ns);
	} else if (last) {
		judged->covered_ns += last->sampled_ns;
		if (data->quality.sampled_ns > last->sampled_ns)
			judged->since_ns += data->quality.sampled_ns - last->sampled_ns;
		add_used(judged, at, last->cpu_ns);
	}
}

/* The metric that counts the first kind of events that there are. */
static unsigned judged_metric(const struct dataset *dataset)
{
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const uint8_t *from = metric_from[id];

		if (from[0] != EXP_METRICS && exp_totals[from[0]].role <= EXP_ROLE_PATHS &&
		    dataset_has_value(dataset, id))
			return id;
	}
	return METRIC_SAMPLES;
}

static void judge_code(const struct dataset *dataset, struct judged *judged)
{
	unsigned metric = judged_metric(dataset);
	const struct tree *tree = dataset_functions(dataset, UINT64_C(1) << metric);

	judged->judged = tree->sum.of[metric];
	for (size_t row = 0; row < tree->own.values.count; row++)
		if (tree->items[tree->nodes[tree->own.node_of[row]].item].function->unresolved)
			judged->unresolved += columns_at(&tree->own.values, row, metric);
}

struct judged judged_of(const struct dataset *dataset)
{
	struct judged judged = {.judged = 0};
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at))) {
		add_quality(&judged.sum, at);
		heapsampled_add(&judged.heap, at);
		if (!(dataset_data_of(at) & EXP_DATA_PROFILE))
			continue;
		add_coverage(&judged, at);
		ticked_add(&judged.ticked, at);
	}
	if (judged.cpu_ns != 0 && judged.outside_ns == 0) {
		judged.absent_ns = absent_cpu_ns(dataset);
		judged.cpu_ns += judged.absent_ns;
	}
	judge_code(dataset, &judged);
	judged.ends = stackends_find(dataset);
	return judged;
}
