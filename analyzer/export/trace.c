/* trace.c: gives the selected experiments to a format, one after the other. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

void trace_put_experiment(struct trace *trace, const struct dataset_experiment *at)
{
	const struct trace_process process = {.trace = trace,
	                                      .at = at,
	                                      .id = (uint64_t)at->info->pid,
	                                      .start_ns = at->info->start_real_ns -
	                                                  trace->origin_ns};

	trace_process_put(&process);
	trace_events_put(&process);
}

struct trace *trace_open(struct export_job *job, const struct trace_format *format, void *context)
{
	struct trace *trace = memory_take(1, sizeof(*trace));

	trace->job = job;
	trace->format = format;
	trace->context = context;
	trace->origin_ns = export_start_ns(job->dataset);
	trace->sink.out = job->out;
	format->begin(trace);
	trace_names_begin(trace);
	dataset_load(job->dataset, job->output);
	if (job->dataset->have & EXP_DATA_WALL)
		trace->writers = writers_create(job->dataset);
	return trace;
}

void trace_close(struct trace *trace)
{
	trace->format->end(trace);
	sink_flush(&trace->sink);
	if (trace->writers)
		writers_destroy(trace->writers);
	trace_names_fini(trace);
	free(trace);
}

void trace_export(struct export_job *job, const struct trace_format *format)
{
	struct trace *trace = trace_open(job, format, NULL);
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(job->dataset, at)))
		trace_put_experiment(trace, at);
	trace_close(trace);
}
