/* heap.c: leaks, the peak and allocations by call stack, and statistics of the heap. */
#include "analyzer/base/terminal.h"
#include "analyzer/views/view.h"

#include "analyzer/report/compare/beside.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/quality/unseen.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/heapmaps.h"
#include "analyzer/views/events/kept.h"

#include <stdlib.h>

/* What a list of stacks counts. */
struct subject {
	unsigned count, bytes;         /* metrics */
	const char *one, *many, *verb; /* "Leak", "Leaks", "Leaked" */
	const char *meaning, *name;
	void (*put_note)(const struct dataset *dataset, const struct choices *choices,
	                 struct output *output); /* what else there is to say, NULL: nothing */
	int with_temps;                          /* say how many of them were temporary */
	int with_leaks;                          /* and how many were not freed */
	const struct subject
		*kept; /* what the C library keeps is listed apart, as this; NULL: it is not */
};

/* "N (P %)" of allocations that the next heap call of their thread freed. */
static void put_temps(FILE *out, uint64_t temps, uint64_t allocs)
{
	char percent[METRIC_TEXT_MAX];

	fprintf(out, "%llu (%s %%)", (unsigned long long)temps,
	        metric_format_percent(temps, allocs, percent));
}

/* When each process held most. */
static void put_peaks(const struct dataset *dataset, const struct choices *choices,
                      struct output *output)
{
	const struct dataset_experiment *at = NULL;

	(void)choices;
	while ((at = dataset_next(dataset, at))) {
		const struct exp_heap *heap = &at->data->heap;

		if (heap->allocs == 0)
			continue;
		fprintf(output->out, "Time of Peak = %.3f (secs.)", heap->peak_time_s);
		if (dataset->count > 1)
			fprintf(output->out, ", Experiment Id = %u, Bytes Live = %llu", at->id,
			        (unsigned long long)heap->peak_bytes);
		fputc('\n', output->out);
	}
}

static const struct subject kept = {
	.count = METRIC_HEAPLEAKCNT,
	.bytes = METRIC_HEAPLEAKBYTES,
	.one = "Kept Block",
	.many = "Kept Blocks",
	.verb = "Kept",
	.meaning = "kept by the C library for its own use until the process ends",
	.name = "kept"};
static const struct subject leaks = {.count = METRIC_HEAPLEAKCNT,
                                     .bytes = METRIC_HEAPLEAKBYTES,
                                     .one = "Leak",
                                     .many = "Leaks",
                                     .verb = "Leaked",
                                     .meaning = "not freed at the end of the recording",
                                     .name = "leaks",
                                     .kept = &kept};
static const struct subject peak = {.count = METRIC_HEAPPEAKCNT,
                                    .bytes = METRIC_HEAPPEAKBYTES,
                                    .one = "Peak Stack",
                                    .many = "Peak Stacks",
                                    .verb = "Live",
                                    .meaning = "live when the heap was largest",
                                    .name = "peak",
                                    .put_note = put_peaks};
static const struct subject allocs = {.count = METRIC_HEAPALLOCCNT,
                                      .bytes = METRIC_HEAPALLOCBYTES,
                                      .one = "Allocation",
                                      .many = "Allocations",
                                      .verb = "Allocated",
                                      .meaning = "allocated, freed later or not",
                                      .name = "allocs",
                                      .with_temps = 1};
static const struct subject both = {.count = METRIC_HEAPALLOCCNT,
                                    .bytes = METRIC_HEAPALLOCBYTES,
                                    .one = "Stack",
                                    .many = "Stacks",
                                    .verb = "Allocated",
                                    .meaning = "allocated, and what of it was not freed",
                                    .name = "heap",
                                    .with_leaks = 1};

static uint64_t count_of(const struct metric_view *values, const void *context)
{
	return metric_at(values, ((const struct subject *)context)->count);
}

static uint64_t bytes_of(const struct metric_view *values, const void *context)
{
	return metric_at(values, ((const struct subject *)context)->bytes);
}

/* Those that its list shows. */
static metric_set metrics_of(const struct subject *subject)
{
	const metric_set leaks_too = METRIC_BIT(METRIC_HEAPLEAKCNT) |
	                             METRIC_BIT(METRIC_HEAPLEAKBYTES);

	return METRIC_BIT(subject->count) | METRIC_BIT(subject->bytes) |
	       (subject->with_temps ? METRIC_BIT(METRIC_HEAPTEMPCNT) : 0) |
	       (subject->with_leaks ? leaks_too : 0);
}

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	const struct subject *subject = context;
	const struct metric_view values = tree_own_view(tree, node);
	char count[TERMINAL_NUMBER_MAX], bytes[TERMINAL_NUMBER_MAX];

	(void)dataset;
	(void)choices;
	fprintf(output->out, "%s #%zu, Instances = %s, Bytes %s = %s", subject->one, number,
	        terminal_number(output->out, metric_at(&values, subject->count), count),
	        subject->verb,
	        terminal_number(output->out, metric_at(&values, subject->bytes), bytes));
	if (subject->with_temps && metric_at(&values, METRIC_HEAPTEMPCNT) != 0) {
		fputs(", Temporary = ", output->out);
		put_temps(output->out, metric_at(&values, METRIC_HEAPTEMPCNT),
		          metric_at(&values, subject->count));
	}
	if (subject->with_leaks)
		fprintf(output->out, ", Leaks = %s, Bytes Leaked = %s",
		        terminal_number(output->out, metric_at(&values, METRIC_HEAPLEAKCNT), count),
		        terminal_number(output->out, metric_at(&values, METRIC_HEAPLEAKBYTES),
		                        bytes));
	fputc('\n', output->out);
}

struct summary {
	const char *title;
	const struct subject *subject;
	const uint32_t *stacks; /* stacks[count] */
	size_t count;
};

static void put_summary(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct tree *tree, const void *context)
{
	const struct summary *summary = context;
	const struct subject *subject = summary->subject;
	uint64_t instances = 0, bytes = 0;
	char of_instances[TERMINAL_NUMBER_MAX], of_bytes[TERMINAL_NUMBER_MAX];
	size_t distinct = 0;

	(void)dataset;
	(void)choices;
	for (size_t i = 0; i < summary->count; i++) {
		struct metric_view values = tree_own_view(tree, summary->stacks[i]);

		instances += count_of(&values, subject);
		bytes += bytes_of(&values, subject);
		distinct += count_of(&values, subject) != 0;
	}
	fprintf(output->out, "%s: Distinct %s = %zu, Total Instances = %s, Total Bytes %s = %s\n",
	        summary->title, subject->many, distinct,
	        terminal_number(output->out, instances, of_instances), subject->verb,
	        terminal_number(output->out, bytes, of_bytes));
}

/* The stacks whose blocks the C library keeps. */
static void put_kept(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct subject *subject, const struct tree *tree,
                     const uint32_t *stacks, size_t count)
{
	const struct stacks_kind kind = {count_of, bytes_of,      put_head,
	                                 subject,  subject->name, EXP_DATA_HEAP};

	fprintf(output->out, "# %s: %s\n", subject->many, subject->meaning);
	stacks_put(dataset, choices, output, tree, &kind, stacks, count);
}

static void put_stacks(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct subject *subject)
{
	const struct stacks_kind kind = {count_of, bytes_of,      put_head,
	                                 subject,  subject->name, EXP_DATA_HEAP};
	const struct tree *tree = stacks_tree(dataset, output, &kind, metrics_of(subject));
	const struct sym_function *function;
	size_t found, count;
	uint32_t *stacks = stacks_find(tree, &kind, &found);

	count = subject->kept ? kept_set_apart(tree, stacks, found) : found;
	quality_put(dataset, output);
	fprintf(output->out, "# %s: %s\n", subject->many, subject->meaning);
	stacks_put_parts(dataset, choices, output, tree, put_summary,
	                 &(struct summary){"Summary Results", subject, stacks, count});
	if (count < found)
		stacks_put_parts(dataset, choices, output, tree, put_summary,
		                 &(struct summary){"Kept by the C library", subject->kept,
		                                   stacks + count, found - count});
	if (subject->put_note)
		subject->put_note(dataset, choices, output);
	stacks_put(dataset, choices, output, tree, &kind, stacks, count);
	if (count < found)
		put_kept(dataset, choices, output, subject->kept, tree, stacks + count,
		         found - count);
	function = count != 0 ? stacks_culprit(tree, stacks[0]) : NULL;
	if (function)
		report_put_next(dataset, choices, output, "csingle", function,
		                "who asked for the greatest of them");
	if (count != 0)
		report_put_next(dataset, choices, output, "heapstat", NULL,
		                "their sizes, and the peak of the heap");
	if (count != 0)
		fputc('\n', output->out);
	free(stacks);
}

void view_leaks(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	(void)argument;
	put_stacks(dataset, choices, output, &leaks);
}

void view_peak(const struct dataset *dataset, const struct choices *choices, struct output *output,
               const struct command_argument *argument)
{
	(void)argument;
	put_stacks(dataset, choices, output, &peak);
}

void view_heap(const struct dataset *dataset, const struct choices *choices, struct output *output,
               const struct command_argument *argument)
{
	(void)argument;
	put_stacks(dataset, choices, output, &both);
}

void view_allocs(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_stacks(dataset, choices, output, &allocs);
}

/* Heap facts of all experiments together; the peak is that of the process with the highest. */
static struct exp_heap sum_up(const struct dataset *dataset,
                              const struct dataset_experiment **highest)
{
	const struct dataset_experiment *at = NULL;
	struct exp_heap sum = {.smallest = UINT64_MAX};

	*highest = dataset_next(dataset, NULL);
	while ((at = dataset_next(dataset, at))) {
		const struct exp_heap *heap = &at->data->heap;

		sum.allocs += heap->allocs;
		sum.alloc_bytes += heap->alloc_bytes;
		sum.temps += heap->temps;
		sum.frees += heap->frees;
		sum.unmatched_frees += heap->unmatched_frees;
		sum.leaks += heap->leaks;
		sum.leak_bytes += heap->leak_bytes;
		if (heap->allocs != 0 && heap->smallest < sum.smallest)
			sum.smallest = heap->smallest;
		if (heap->largest > sum.largest)
			sum.largest = heap->largest;
		for (size_t bits = 0; bits < EXP_HISTOGRAM; bits++) {
			sum.size_count[bits] += heap->size_count[bits];
			sum.leak_size_count[bits] += heap->leak_size_count[bits];
		}
		if (heap->sampled_every > sum.sampled_every)
			sum.sampled_every = heap->sampled_every;
		if (heap->peak_bytes > (*highest)->data->heap.peak_bytes)
			*highest = at;
	}
	if (sum.allocs == 0)
		sum.smallest = 0;
	return sum;
}

/* Live bytes over the time of the recording. */
static void put_moments(FILE *out, const struct exp_heap *heap)
{
	char bytes[TERMINAL_NUMBER_MAX], blocks[TERMINAL_NUMBER_MAX];

	fputs("\nLive in the course of time\n  Time (secs.)          Bytes         Blocks\n", out);
	for (unsigned i = 0; i < heap->moment_count; i++)
		fprintf(out, "  %12.6f %14s %14s\n", heap->moments[i].time_s,
		        terminal_number(out, heap->moments[i].bytes, bytes),
		        terminal_number(out, heap->moments[i].blocks, blocks));
}

static void put_unseen(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	char text[256];

	while ((at = dataset_next(dataset, at)))
		if (unseen_growth(at, text, sizeof(text)))
			fprintf(output->out, "# warning: experiment %u: %s\n", at->id, text);
}

static void put_data(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	const struct dataset_experiment *highest;
	struct exp_heap sum = sum_up(dataset, &highest);

	(void)choices;
	data_heapstat(dataset, output, &sum, highest);
}

static void put_text(const struct dataset *dataset, struct output *output,
                     const struct exp_heap *sum, const struct dataset_experiment *at)
{
	FILE *out = output->out;

	fprintf(out, "%s\n", dataset->count > 1 ? "Process with the highest peak" : "Peak");
	report_put_count(out, "Heap size bytes", at->data->heap.peak_bytes);
	fprintf(out, "  %-23s  %.3f (secs.)\n", "Time of peak", at->data->heap.peak_time_s);
	report_put_count(out, "Experiment Id", at->id);
	fprintf(out, "  %-23s  %lld\n", "Process Id", (long long)at->info->pid);
	put_moments(out, &at->data->heap);
	fputs("\nAllocations\n", out);
	report_put_count(out, "Total allocations", sum->allocs);
	report_put_count(out, "Total bytes", sum->alloc_bytes);
	report_put_count(out, "Smallest bytes", sum->smallest);
	report_put_count(out, "Largest bytes", sum->largest);
	report_put_count(out, "Average bytes",
	                 sum->allocs != 0 ? sum->alloc_bytes / sum->allocs : 0);
	if (sum->sampled_every == 0) { /* else they are not known */
		fprintf(out, "  %-23s  ", "Temporary allocations");
		put_temps(out, sum->temps, sum->allocs);
		fputc('\n', out);
	}
	report_put_count(out, "Total frees", sum->frees);
	if (sum->unmatched_frees != 0)
		report_put_count(out, "Frees of unknown blocks", sum->unmatched_frees);
	report_put_sizes(out, sum->size_count, "Block size", "Allocations");
	fputs("\nLeaks (not freed at the end of the recording)\n", out);
	report_put_count(out, "Total leaks", sum->leaks);
	report_put_count(out, "Total bytes", sum->leak_bytes);
	if (sum->leaks != 0)
		report_put_sizes(out, sum->leak_size_count, "Block size", "Leaks");
	heapmaps_put_totals(dataset, output);
	fputc('\n', out);
}

void view_heapstat(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at;
	struct exp_heap sum = sum_up(dataset, &at);

	(void)argument;
	quality_put(dataset, output);
	put_unseen(dataset, output);
	if (dataset_columns(dataset) > 1)
		compare_beside(dataset, choices, output, put_data);
	else if (print_is_data(output))
		data_heapstat(dataset, output, &sum, at);
	else
		put_text(dataset, output, &sum, at);
	if (print_is_data(output))
		return;
	if (sum.leaks != 0)
		report_put_next(dataset, choices, output, "leaks", NULL,
		                "the stacks that allocated what was not freed");
	if (at->data->heap.peak_bytes != 0)
		report_put_next(dataset, choices, output, "peak", NULL,
		                "the stacks that made up the peak");
	report_put_next(dataset, choices, output, "allocs", NULL, "the stacks that allocate most");
	fputc('\n', output->out);
}
