/* firefox_samples.c: the samples of a thread. A row of rows.h is what a stack brought in a slice of
 * time. The CPU time of a slice was spent before the slice ends: its samples share that time, one
 * after the other, and behind a time without any, longer than half of that, there is a sample
 * without a stack, so that the viewer's graph of CPU use falls there. See
 * doc/decisions/33-exports.md. */
#include "analyzer/export/firefox/firefox.h"

#include "analyzer/base/memory.h"
#include "experiment/base/clock.h"

#include <stdlib.h>

static struct metric_values values_of(const struct export_rows *rows, size_t row)
{
	const struct exp_nodes *values = &rows->set->nodes;
	uint32_t at = rows->values[row];
	uint64_t totals[EXP_METRICS] = {0};

	for (size_t i = 0; i < EXP_METRICS && at < values->row_count; i++)
		if (values->value[i])
			totals[i] = values->value[i][at];
	return tree_values_of(totals);
}

/* Where values of a metric stand in the tree. */
static uint32_t place_of(const struct firefox_process *process, uint32_t node, unsigned metric)
{
	if (node >= process->places.count)
		return process->places.no_stack;
	return metric_data_of(metric) == EXP_DATA_PROFILE ? process->places.clock[node]
	                                                  : process->places.own[node];
}

static void add(struct firefox_samples *out, const struct firefox_sample *sample)
{
	out->samples = memory_grow(out->samples, out->count, &out->capacity, sizeof(*out->samples));
	out->samples[out->count++] = *sample;
}

/* What a stack brought in a slice. */
struct stack {
	uint32_t node; /* of the experiment */
	struct metric_values values;
};

struct slice {
	const struct firefox_process *process;
	uint64_t begin_ns; /* of the thread */
	uint64_t end_ns;
	struct stack *stacks; /* stacks[count] */
	size_t count, capacity;
};

/* The rows of the slice that begins at `row`; those that became equal when slices were made wider
 * are one stack. Returns the end of the rows. */
static size_t read_slice(struct slice *slice, size_t row, size_t to)
{
	const struct export_rows *rows = &slice->process->rows;
	uint64_t number = rows->rows[row].slice;

	slice->count = 0;
	slice->end_ns = (number + 1) * rows->width_ns;
	for (; row < to && rows->rows[row].slice == number; row++) {
		const struct metric_values values = values_of(rows, row);
		struct stack *last = slice->count > 0 ? &slice->stacks[slice->count - 1] : NULL;

		if (!last || last->node != rows->rows[row].node) {
			slice->stacks = memory_grow(slice->stacks, slice->count, &slice->capacity,
			                            sizeof(*slice->stacks));
			slice->stacks[slice->count++] = (struct stack){.node = rows->rows[row].node,
			                                               .values = values};
			continue;
		}
		for (size_t i = 0; i < METRIC_VALUES; i++)
			last->values.of[i] += values.of[i];
	}
	return row;
}

/* Those with CPU time. */
static void add_running(const struct slice *slice, struct firefox_samples *out)
{
	unsigned metric = slice->process->job->metric;
	int is_clock = metric_data_of(metric) == EXP_DATA_PROFILE;
	uint64_t last_ns = out->count > 0 ? out->samples[out->count - 1].time_ns : 0;
	uint64_t sum_ns = 0, spent_ns = 0, begin_ns;

	for (size_t i = 0; i < slice->count; i++)
		sum_ns += slice->stacks[i].values.of[METRIC_TOTALCPU];
	if (sum_ns == 0)
		return;
	begin_ns = slice->end_ns > sum_ns ? slice->end_ns - sum_ns : 0;
	if (begin_ns < slice->begin_ns)
		begin_ns = slice->begin_ns < slice->end_ns ? slice->begin_ns : slice->end_ns;
	if (out->count == 0 || begin_ns > last_ns + sum_ns / 2)
		add(out, &(struct firefox_sample){.time_ns = begin_ns, .node = TREE_ROOT});
	else
		begin_ns = last_ns;
	for (size_t i = 0; i < slice->count; i++) {
		const struct metric_values *values = &slice->stacks[i].values;
		uint64_t cpu_ns = values->of[METRIC_TOTALCPU];
		double share;

		if (cpu_ns == 0)
			continue;
		spent_ns += cpu_ns;
		share = (double)spent_ns / (double)sum_ns;
		add(out, &(struct firefox_sample){
				 .time_ns = begin_ns +
		                            (uint64_t)((double)(slice->end_ns - begin_ns) * share),
				 .node = place_of(slice->process, slice->stacks[i].node,
		                                  METRIC_TOTALCPU),
				 .weight = is_clock ? values->of[metric] : 0,
				 .cpu_ns = cpu_ns});
	}
}

/* Those with a value of a metric, of which the CPU time is told by others. */
static void add_weighted(const struct slice *slice, unsigned metric, int with_running,
                         struct firefox_samples *out)
{
	for (size_t i = 0; i < slice->count; i++) {
		const struct metric_values *values = &slice->stacks[i].values;

		if (values->of[metric] == 0 || (with_running && values->of[METRIC_TOTALCPU] != 0))
			continue;
		add(out, &(struct firefox_sample){
				 .time_ns = slice->end_ns,
				 .node = place_of(slice->process, slice->stacks[i].node, metric),
				 .weight = values->of[metric]});
	}
}

/* is_main: the samples of the thread, else only those of the metric. */
static void find(const struct firefox_thread *thread, unsigned metric, int is_main,
                 struct firefox_samples *out)
{
	const struct firefox_process *process = thread->process;
	int is_clock = metric_data_of(metric) == EXP_DATA_PROFILE;
	struct slice slice = {.process = process};

	*out = (struct firefox_samples){.count = 0};
	if (thread->number != 0)
		slice.begin_ns = exp_whole(process->at->whole->threads[thread->number - 1].time_s *
		                           1e9);
	for (size_t row = thread->row; row < thread->row_end;) {
		row = read_slice(&slice, row, thread->row_end);
		if (is_main)
			add_running(&slice, out);
		add_weighted(&slice, metric, is_main && is_clock, out);
	}
	free(slice.stacks);
}

void firefox_find_samples(const struct firefox_thread *thread, struct firefox_samples *out)
{
	find(thread, thread->process->job->metric, 1, out);
}

void firefox_find_allocations(const struct firefox_thread *thread, struct firefox_samples *out)
{
	find(thread, METRIC_HEAPALLOCBYTES, 0, out);
}
