/* common.c: what the formats of other tools have in common. */
#include "analyzer/export/export.h"

#include "format/fxt.h"
#include "format/record.h"

const char *export_unit(unsigned metric, const char *const names[3])
{
	switch (metric_unit_of(metric)) {
	case METRIC_UNIT_SECONDS:
		return names[0];
	case METRIC_UNIT_BYTES:
		return names[1];
	case METRIC_UNIT_COUNT:
	case METRIC_UNIT_HEX:
	case METRIC_UNIT_TEXT:
	case METRIC_UNIT_RATIO:
		return names[2];
	}
	return names[2];
}

size_t export_function_number(struct export_job *job, const struct sym_function *function)
{
	const struct sym_frame frame = {.function = function};
	uint32_t node = tree_child(job->functions, TREE_ROOT, &frame);

	return job->functions->nodes[node].item;
}

const struct sym_function *export_function(const struct export_job *job, size_t number)
{
	return job->functions->items[number].function;
}

size_t export_function_count(const struct export_job *job)
{
	return job->functions->item_count;
}

void export_number_functions(struct export_job *job, const struct tree *tree)
{
	for (size_t i = 0; i < tree->item_count; i++)
		export_function_number(job, tree->items[i].function);
}

size_t export_pcs(const struct exp_nodes *nodes, uint32_t node, uint64_t *pcs)
{
	size_t count = 0;

	while (node < nodes->count && count < FXT_SAMPLE_PCS_MAX) {
		if (nodes->pc[node] >= FMT_PC_MARKS)
			pcs[count++] = nodes->pc[node];
		node = nodes->parent[node] < node ? nodes->parent[node] : EXP_NO_INDEX;
	}
	return count;
}

int64_t export_start_ns(const struct dataset *dataset)
{
	int64_t start_ns = 0;
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		if (start_ns == 0 || at->info->start_real_ns < start_ns)
			start_ns = at->info->start_real_ns;
	return start_ns;
}
