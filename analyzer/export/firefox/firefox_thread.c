/* firefox_thread.c: a thread in a profile for the Firefox Profiler: its samples, its markers, and
 * the tables of what occurs in them. See firefox.h. */
#include "analyzer/export/firefox/firefox_tables.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

/* In ms. */
static void put_ms(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%06llu", (unsigned long long)(ns / 1000000),
	        (unsigned long long)(ns % 1000000));
}

/* From the earliest start of all processes. */
static uint64_t on_axis(const struct firefox_process *process, uint64_t ns)
{
	int64_t start_ns = process->at->info->start_real_ns - process->markers->trace->origin_ns;

	return ns + (uint64_t)(start_ns > 0 ? start_ns : 0);
}

/* ---- samples ---- */

static void put_weight(FILE *out, unsigned metric, uint64_t value)
{
	if (metric_unit_of(metric) == METRIC_UNIT_SECONDS)
		put_ms(out, value);
	else
		fprintf(out, "%llu", (unsigned long long)value);
}

static void put_samples(const struct firefox_tables *tables, const char *name, unsigned metric,
                        int with_cpu, const struct firefox_samples *samples)
{
	static const char *const kinds[3] = {"tracing-ms", "bytes", "samples"};
	FILE *out = tables->out;

	fprintf(out, "\n   \"%s\": {\"weightType\": \"%s\", \"stack\": [", name,
	        export_unit(metric, kinds));
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		firefox_tables_put_stack(tables, samples->samples[i].node);
	}
	fputs("], \"time\": [", out);
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		put_ms(out, on_axis(tables->process, samples->samples[i].time_ns));
	}
	fputs("], \"weight\": [", out);
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		put_weight(out, metric, samples->samples[i].weight);
	}
	fputc(']', out);
	if (with_cpu)
		FIREFOX_PUT_ARRAY(out, "threadCPUDelta", samples->count, "%llu",
		                  (unsigned long long)samples->samples[i].cpu_ns);
	fprintf(out, ", \"length\": %zu},", samples->count);
}

/* ---- markers ---- */

static void put_argument(const struct trace *trace, FILE *out,
                         const struct trace_argument *argument)
{
	const struct trace_name *key = &trace->names[argument->name], *text;

	fputs(", ", out);
	print_json_string(out, key->text, key->size);
	fputs(": ", out);
	switch (argument->type) {
	case TRACE_NUMBER:
		fprintf(out, "%llu", (unsigned long long)argument->value);
		break;
	case TRACE_ADDRESS:
		fprintf(out, "\"0x%llx\"", (unsigned long long)argument->value);
		break;
	case TRACE_NAME:
		text = &trace->names[argument->value];
		print_json_string(out, text->text, text->size);
		break;
	}
}

static uint32_t marker_stack(const struct firefox_process *process,
                             const struct export_marker *marker)
{
	return marker->node < process->places.count ? process->places.own[marker->node] : TREE_ROOT;
}

static void put_data(const struct firefox_tables *tables, const struct export_marker *marker)
{
	const struct export_markers *markers = tables->process->markers;
	const char *type = firefox_type(marker);
	uint32_t stack = marker_stack(tables->process, marker);

	if (!type) {
		fputs("null", tables->out);
		return;
	}
	fprintf(tables->out, "{\"type\": \"%s\"", type);
	for (unsigned i = 0; i < marker->argument_count; i++)
		put_argument(markers->trace, tables->out,
		             &markers->arguments[marker->arguments + i]);
	if (stack != TREE_ROOT) {
		fputs(", \"cause\": {\"stack\": ", tables->out);
		firefox_tables_put_stack(tables, stack);
		fputc('}', tables->out);
	}
	fputc('}', tables->out);
}

static void put_end(FILE *out, const struct export_marker *marker)
{
	if (marker->is_instant)
		fputs("null", out);
	else
		put_ms(out, marker->end_ns);
}

static void put_markers(struct firefox_tables *tables, const struct firefox_thread *thread)
{
	enum { INSTANT, INTERVAL };
	const struct export_marker *markers = tables->process->markers->markers + thread->marker;
	size_t count = thread->marker_end - thread->marker;
	FILE *out = tables->out;

	fprintf(out, "\n   \"markers\": {\"length\": %zu", count);
	FIREFOX_PUT_ARRAY(out, "name", count, "%zu", firefox_tables_name(tables, markers[i].name));
	FIREFOX_PUT_ARRAY(out, "category", count, "%u",
	                  firefox_category(tables->process->markers->trace, &markers[i]));
	FIREFOX_PUT_ARRAY(out, "phase", count, "%d", markers[i].is_instant ? INSTANT : INTERVAL);
	fputs(", \"startTime\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_ms(out, markers[i].begin_ns);
	}
	fputs("], \"endTime\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_end(out, &markers[i]);
	}
	fputs("], \"data\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n    " : "", out);
		put_data(tables, &markers[i]);
	}
	fputs("]},\n", out);
}

/* ---- the thread ---- */

/* A thread of the same id that ended before gets no other. */
static char *name_tid(struct firefox_process *process, uint32_t tid)
{
	uint32_t others = exp_index_find(&process->tids, tid);

	if (others == EXP_INDEX_NONE) {
		if (exp_index_add(&process->tids, tid, 0) != 0)
			memory_fail();
		return memory_format("%u", tid);
	}
	return memory_format("%u/%zu", tid, ++process->repeats);
}

static void put_head(struct firefox_thread *thread, int is_first)
{
	struct firefox_process *process = thread->process;
	const struct exp_info *info = process->at->info;
	const struct exp_thread *known = thread->number != 0
	                                         ? &process->at->whole->threads[thread->number - 1]
	                                         : NULL;
	double start_ms = (double)on_axis(process, 0) / 1e6;
	char *name = export_name_thread(thread->number, known);
	char *tid = name_tid(process, known ? known->tid : 0);
	FILE *out = process->job->out;

	fprintf(out,
	        "%s\n  {\"processType\": \"default\", \"processStartupTime\": %.3f, \"processShutdownTime\": ",
	        is_first ? "" : ",", start_ms);
	if (info->status == EXP_ENDED)
		fprintf(out, "%.3f", start_ms + info->duration_s * 1e3);
	else
		fputs("null", out);
	fprintf(out,
	        ", \"registerTime\": %.3f, \"unregisterTime\": null, \"pausedRanges\": [], \"isMainThread\": %s, "
	        "\"showMarkersInTimeline\": true, \"pid\": \"%s\", \"tid\": \"%s\", \"name\": ",
	        start_ms + (known ? known->time_s * 1e3 : 0),
	        thread->number == 1 ? "true" : "false", process->pid, tid);
	print_json_string(out, name, strlen(name));
	fputs(", \"processName\": ", out);
	print_json_string(out, process->name, strlen(process->name));
	fputc(',', out);
	free(tid);
	free(name);
}

void firefox_put_thread(struct firefox_thread *thread, int is_first)
{
	struct firefox_process *process = thread->process;
	const struct export_job *job = process->job;
	struct firefox_tables tables = {.process = process, .out = job->out};
	int with_cpu = (job->dataset->have & EXP_DATA_PROFILE) != 0;
	struct firefox_samples samples, allocations = {.count = 0};

	firefox_find_samples(thread, &samples);
	if (job->metric != METRIC_HEAPALLOCBYTES)
		firefox_find_allocations(thread, &allocations);
	for (size_t i = 0; i < samples.count; i++)
		firefox_tables_use(&tables, samples.samples[i].node);
	for (size_t i = 0; i < allocations.count; i++)
		firefox_tables_use(&tables, allocations.samples[i].node);
	for (size_t i = thread->marker; i < thread->marker_end; i++)
		firefox_tables_use(&tables, marker_stack(process, &process->markers->markers[i]));
	firefox_tables_number(&tables);
	put_head(thread, is_first);
	put_samples(&tables, "samples", job->metric, with_cpu, &samples);
	if (allocations.count > 0)
		put_samples(&tables, "nativeAllocations", METRIC_HEAPALLOCBYTES, 0, &allocations);
	put_markers(&tables, thread);
	firefox_tables_put(&tables);
	firefox_tables_fini(&tables);
	free(samples.samples);
	free(allocations.samples);
}
