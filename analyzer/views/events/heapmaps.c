/* heapmaps.c: memory mapped without a file, by call stack, and its totals. */
#include "analyzer/base/terminal.h"
#include "analyzer/views/view.h"

#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/heapmaps.h"

#include <stdlib.h>

static uint64_t count_of(const struct metric_view *values, const void *context)
{
	(void)context;
	return metric_at(values, METRIC_HEAPMAPCNT);
}

static uint64_t bytes_of(const struct metric_view *values, const void *context)
{
	(void)context;
	return metric_at(values, METRIC_HEAPMAPPEAK);
}

/* Behind the name of the first. */
static void put_values(FILE *out, const struct metric_view *values, const char *bytes)
{
	char number[TERMINAL_NUMBER_MAX];

	fprintf(out, " = %s", terminal_number(out, metric_at(values, METRIC_HEAPMAPCNT), number));
	fprintf(out, ", %s = %s", bytes,
	        terminal_number(out, metric_at(values, METRIC_HEAPMAPBYTES), number));
	fprintf(out, ", At Peak = %s",
	        terminal_number(out, metric_at(values, METRIC_HEAPMAPPEAK), number));
	fprintf(out, ", Still Mapped = %s\n",
	        terminal_number(out, metric_at(values, METRIC_HEAPMAPLIVE), number));
}

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	const struct metric_view values = tree_own_view(tree, node);

	(void)dataset;
	(void)choices;
	(void)context;
	fprintf(output->out, "Mapping #%zu, Instances", number);
	put_values(output->out, &values, "Bytes Mapped");
}

/* When each process had most mapped. */
static void put_peaks(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at))) {
		const struct exp_heap_maps *maps = &at->data->heap.maps;

		if (maps->maps == 0)
			continue;
		fprintf(output->out, "Time of Peak = %.3f (secs.)", maps->peak_time_s);
		if (dataset->count > 1)
			fprintf(output->out, ", Experiment Id = %u, Bytes Mapped = %llu", at->id,
			        (unsigned long long)maps->peak_bytes);
		fputc('\n', output->out);
	}
}

/* context: how many stacks there are, in any group. */
static void put_summary(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct tree *tree, const void *context)
{
	const struct metric_view sum = metric_view_of(&tree->sum);

	(void)dataset;
	(void)choices;
	fprintf(output->out, "Summary Results: Distinct Mappings = %zu, Total Instances",
	        *(const size_t *)context);
	put_values(output->out, &sum, "Total Bytes Mapped");
}

void view_heapmaps(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	static const struct stacks_kind kind = {count_of, bytes_of,   put_head,
	                                        NULL,     "heapmaps", EXP_DATA_HEAP};
	const metric_set metrics = METRIC_BIT(METRIC_HEAPMAPCNT) | METRIC_BIT(METRIC_HEAPMAPBYTES) |
	                           METRIC_BIT(METRIC_HEAPMAPLIVE) | METRIC_BIT(METRIC_HEAPMAPPEAK);
	const struct tree *tree = stacks_tree(dataset, output, &kind, metrics);
	size_t count;
	uint32_t *stacks = stacks_find(tree, &kind, &count);

	(void)argument;
	quality_put(dataset, output);
	fputs("# Mappings: memory without a file, mapped by the program or by growth of the program break\n",
	      output->out);
	stacks_put_parts(dataset, choices, output, tree, put_summary, &count);
	put_peaks(dataset, output);
	stacks_put(dataset, choices, output, tree, &kind, stacks, count);
	if (count != 0) {
		report_put_next(dataset, choices, output, "allocs", NULL,
		                "the blocks of the heap, some of which lie in them");
		fputc('\n', output->out);
	}
	free(stacks);
}

struct exp_heap_maps heapmaps_sum(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;
	struct exp_heap_maps sum = {0};

	while ((at = dataset_next(dataset, at))) {
		const struct exp_heap_maps *maps = &at->data->heap.maps;

		sum.maps += maps->maps;
		sum.map_bytes += maps->map_bytes;
		sum.unmaps += maps->unmaps;
		sum.unmap_bytes += maps->unmap_bytes;
		sum.live_bytes += maps->live_bytes;
		if (maps->peak_bytes > sum.peak_bytes) {
			sum.peak_bytes = maps->peak_bytes;
			sum.peak_time_s = maps->peak_time_s;
		}
	}
	return sum;
}

void heapmaps_put_totals(const struct dataset *dataset, struct output *output)
{
	struct exp_heap_maps sum = heapmaps_sum(dataset);
	FILE *out = output->out;

	if (sum.maps == 0)
		return;
	fprintf(out, "\nMemory mapped without a file\n");
	report_put_count(out, "Total mappings", sum.maps);
	report_put_count(out, "Total bytes", sum.map_bytes);
	report_put_count(out, "Unmapping calls", sum.unmaps);
	report_put_count(out, "Bytes unmapped", sum.unmap_bytes);
	report_put_count(out, "Bytes still mapped", sum.live_bytes);
	report_put_count(out, "Bytes at the peak", sum.peak_bytes);
	fprintf(out, "  %-23s  %.3f (secs.)\n", "Time of peak", sum.peak_time_s);
}
