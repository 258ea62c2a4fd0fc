/* heapmaps.c: memory mapped without a file, by call stack, and its totals. */
#include "analyzer/views/view.h"

#include "analyzer/views/events/heapmaps.h"
#include "analyzer/report/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"

#include <stdlib.h>

static uint64_t count_of(const struct metric_values *values, const void *context)
{
	(void)context;
	return values->of[METRIC_HEAPMAPCNT];
}

static uint64_t bytes_of(const struct metric_values *values, const void *context)
{
	(void)context;
	return values->of[METRIC_HEAPMAPPEAK];
}

static void put_head(struct session *session, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	const struct metric_values *values = &tree->own[node];

	(void)context;
	fprintf(session->out,
	        "Mapping #%zu, Instances = %llu, Bytes Mapped = %llu, At Peak = %llu, Still Mapped = %llu\n",
	        number, (unsigned long long)values->of[METRIC_HEAPMAPCNT],
	        (unsigned long long)values->of[METRIC_HEAPMAPBYTES],
	        (unsigned long long)values->of[METRIC_HEAPMAPPEAK],
	        (unsigned long long)values->of[METRIC_HEAPMAPLIVE]);
}

/* When each process had most mapped. */
static void put_peaks(struct session *session)
{
	const struct session_experiment *at = NULL;

	while ((at = session_next(session, at))) {
		const struct exp_heap_maps *maps = &at->data->heap.maps;

		if (maps->maps == 0)
			continue;
		fprintf(session->out, "Time of Peak = %.3f (secs.)", maps->peak_time_s);
		if (session->count > 1)
			fprintf(session->out, ", Experiment Id = %u, Bytes Mapped = %llu", at->id,
			        (unsigned long long)maps->peak_bytes);
		fputc('\n', session->out);
	}
}

/* context: how many stacks there are, in any group. */
static void put_summary(struct session *session, const struct tree *tree, const void *context)
{
	const struct metric_values *sum = &tree->total[TREE_ROOT];

	fprintf(session->out,
	        "Summary Results: Distinct Mappings = %zu, Total Instances = %llu, Total Bytes Mapped = %llu, At Peak = "
	        "%llu, Still Mapped = %llu\n",
	        *(const size_t *)context, (unsigned long long)sum->of[METRIC_HEAPMAPCNT],
	        (unsigned long long)sum->of[METRIC_HEAPMAPBYTES],
	        (unsigned long long)sum->of[METRIC_HEAPMAPPEAK],
	        (unsigned long long)sum->of[METRIC_HEAPMAPLIVE]);
}

void view_heapmaps(struct session *session, const struct command_argument *argument)
{
	static const struct stacks_kind kind = {count_of, bytes_of,   put_head,
	                                        NULL,     "heapmaps", EXP_DATA_HEAP};
	const struct tree *tree = session_tree(session, TREE_FRAMES);
	size_t count;
	uint32_t *stacks = stacks_find(tree, &kind, &count);

	(void)argument;
	quality_put(session);
	fputs("# Mappings: memory without a file, mapped by the program or by growth of the program break\n",
	      session->out);
	stacks_put_parts(session, tree, put_summary, &count);
	put_peaks(session);
	stacks_put(session, tree, &kind, stacks, count);
	if (count != 0) {
		report_put_next(session, "allocs", NULL,
		                "the blocks of the heap, some of which lie in them");
		fputc('\n', session->out);
	}
	free(stacks);
}

struct exp_heap_maps heapmaps_sum(const struct session *session)
{
	const struct session_experiment *at = NULL;
	struct exp_heap_maps sum = {0};

	while ((at = session_next(session, at))) {
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

void heapmaps_put_totals(struct session *session)
{
	struct exp_heap_maps sum = heapmaps_sum(session);
	FILE *out = session->out;

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
