/* firefox_thread.c: the tables of a thread in a profile for the Firefox Profiler: only of what
 * occurs in it. See firefox.h. */
#include "analyzer/export/firefox.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

/* What occurs in the thread, in the order of its tables. */
struct tables {
	struct firefox_process *process;
	FILE *out;
	uint32_t *nodes; /* nodes[stack_count]: callers first */
	size_t stack_count, stack_capacity;
	uint32_t *items; /* items[frame_count] */
	size_t frame_count, frame_capacity;
	const struct sym_function **functions; /* functions[function_count] */
	size_t function_count, function_capacity;
	struct exp_index names; /* the name of a marker -> its place behind the other strings */
	uint32_t *name_list;
	size_t name_count, name_capacity;
};

static void put_string(FILE *out, const char *text)
{
	print_json_string(out, text, strlen(text));
}

/* "NAME": [VALUE of 0, VALUE of 1, ...] */
#define PUT_ARRAY(out, name, count, format, value) \
	do { \
		fprintf(out, ", \"" name "\": ["); \
		for (size_t i = 0; i < (count); i++) \
			fprintf(out, i ? "," format : format, value); \
		fputc(']', out); \
	} while (0)

/* The same number, or word, so many times. */
static void put_same(FILE *out, const char *name, size_t count, const char *value)
{
	fprintf(out, ", \"%s\": [", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	fputc(']', out);
}

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

/* ---- what occurs ---- */

static void use_stack(struct tables *tables, uint32_t node)
{
	const struct tree *tree = tables->process->tree;
	uint32_t *stacks = tables->process->stacks;

	while (node != TREE_ROOT && stacks[node] == 0) {
		tables->nodes = memory_grow(tables->nodes, tables->stack_count,
		                            &tables->stack_capacity, sizeof(*tables->nodes));
		tables->nodes[tables->stack_count++] = node;
		stacks[node] = 1;
		node = tree->nodes[node].parent;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void number_frame(struct tables *tables, uint32_t item)
{
	struct firefox_process *process = tables->process;
	const struct sym_function *function = process->tree->items[item].function;
	size_t number = export_function_number(process->job, function);

	if (process->frames[item] != 0)
		return;
	tables->items = memory_grow(tables->items, tables->frame_count, &tables->frame_capacity,
	                            sizeof(*tables->items));
	tables->items[tables->frame_count++] = item;
	process->frames[item] = (uint32_t)tables->frame_count;
	if (process->functions[number] != 0)
		return;
	tables->functions = memory_grow(tables->functions, tables->function_count,
	                                &tables->function_capacity, sizeof(*tables->functions));
	tables->functions[tables->function_count++] = function;
	process->functions[number] = (uint32_t)tables->function_count;
}

/* Parents have smaller numbers in the tree, and so in the table. */
static void number_all(struct tables *tables)
{
	const struct tree *tree = tables->process->tree;

	if (tables->stack_count > 1)
		qsort(tables->nodes, tables->stack_count, sizeof(*tables->nodes), compare_numbers);
	for (size_t i = 0; i < tables->stack_count; i++) {
		tables->process->stacks[tables->nodes[i]] = (uint32_t)i + 1;
		number_frame(tables, tree->nodes[tables->nodes[i]].item);
	}
}

static uint32_t function_number(const struct tables *tables, const struct sym_function *function)
{
	return tables->process->functions[export_function_number(tables->process->job, function)] -
	       1;
}

/* The numbers are those of this thread alone. */
static void fini(struct tables *tables)
{
	struct firefox_process *process = tables->process;

	for (size_t i = 0; i < tables->stack_count; i++)
		process->stacks[tables->nodes[i]] = 0;
	for (size_t i = 0; i < tables->frame_count; i++)
		process->frames[tables->items[i]] = 0;
	for (size_t i = 0; i < tables->function_count; i++)
		process->functions[export_function_number(process->job, tables->functions[i])] = 0;
	free(tables->nodes);
	free(tables->items);
	free(tables->functions);
	free(tables->name_list);
	exp_index_fini(&tables->names);
}

/* ---- samples ---- */

static void put_stack(const struct tables *tables, uint32_t node)
{
	if (node == TREE_ROOT)
		fputs("null", tables->out);
	else
		fprintf(tables->out, "%u", tables->process->stacks[node] - 1);
}

static void put_weight(FILE *out, unsigned metric, uint64_t value)
{
	if (metric_unit_of(metric) == METRIC_UNIT_SECONDS)
		put_ms(out, value);
	else
		fprintf(out, "%llu", (unsigned long long)value);
}

static void put_samples(const struct tables *tables, const char *name, unsigned metric,
                        int with_cpu, const struct firefox_samples *samples)
{
	static const char *const kinds[3] = {"tracing-ms", "bytes", "samples"};
	FILE *out = tables->out;

	fprintf(out, "\n   \"%s\": {\"weightType\": \"%s\", \"stack\": [", name,
	        export_unit(metric, kinds));
	for (size_t i = 0; i < samples->count; i++) {
		fputs(i ? "," : "", out);
		put_stack(tables, samples->samples[i].node);
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
		PUT_ARRAY(out, "threadCPUDelta", samples->count, "%llu",
		          (unsigned long long)samples->samples[i].cpu_ns);
	fprintf(out, ", \"length\": %zu},", samples->count);
}

/* ---- markers ---- */

static size_t name_place(struct tables *tables, uint32_t name)
{
	uint32_t known = exp_index_find(&tables->names, name);

	if (known != EXP_INDEX_NONE)
		return known;
	tables->name_list = memory_grow(tables->name_list, tables->name_count,
	                                &tables->name_capacity, sizeof(*tables->name_list));
	tables->name_list[tables->name_count] = name;
	if (exp_index_add(&tables->names, name, (uint32_t)tables->name_count) != 0)
		memory_fail();
	return tables->name_count++;
}

/* Strings: 2 i is the name of function i, 2 i + 1 its file; the objects stand behind them, then
 * the names of markers. */
static size_t first_object(const struct tables *tables)
{
	return 2 * tables->function_count;
}

static size_t first_name(const struct tables *tables)
{
	return first_object(tables) + symbols_object_count(tables->process->job->dataset->symbols);
}

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

static void put_data(const struct tables *tables, const struct export_marker *marker)
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
		put_stack(tables, stack);
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

static void put_markers(struct tables *tables, const struct firefox_thread *thread)
{
	enum { INSTANT, INTERVAL };
	const struct export_marker *markers = tables->process->markers->markers + thread->marker;
	size_t count = thread->marker_end - thread->marker;
	FILE *out = tables->out;

	fprintf(out, "\n   \"markers\": {\"length\": %zu", count);
	PUT_ARRAY(out, "name", count, "%zu",
	          first_name(tables) + name_place(tables, markers[i].name));
	PUT_ARRAY(out, "category", count, "%u",
	          firefox_category(tables->process->markers->trace, &markers[i]));
	PUT_ARRAY(out, "phase", count, "%d", markers[i].is_instant ? INSTANT : INTERVAL);
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

/* ---- stacks, frames, functions ---- */

static void put_stacks(const struct tables *tables)
{
	const struct tree *tree = tables->process->tree;
	FILE *out = tables->out;

	fprintf(out, "   \"stackTable\": {\"length\": %zu", tables->stack_count);
	PUT_ARRAY(out, "frame", tables->stack_count, "%u",
	          tables->process->frames[tree->nodes[tables->nodes[i]].item] - 1);
	fputs(", \"prefix\": [", out);
	for (size_t i = 0; i < tables->stack_count; i++) {
		fputs(i ? "," : "", out);
		put_stack(tables, tree->nodes[tables->nodes[i]].parent);
	}
	fputc(']', out);
	put_same(out, "category", tables->stack_count, "0");
	put_same(out, "subcategory", tables->stack_count, "0");
	fputs("},\n", out);
}

static void put_line(FILE *out, unsigned line)
{
	if (line != 0)
		fprintf(out, "%u", line);
	else
		fputs("null", out);
}

static void put_frames(const struct tables *tables)
{
	const struct sym_frame *items = tables->process->tree->items;
	FILE *out = tables->out;
	size_t count = tables->frame_count;

	fprintf(out, "   \"frameTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "address", count, "%llu",
	          (unsigned long long)items[tables->items[i]].address);
	PUT_ARRAY(out, "inlineDepth", count, "%u", (unsigned)items[tables->items[i]].inlined);
	PUT_ARRAY(out, "func", count, "%u",
	          function_number(tables, items[tables->items[i]].function));
	fputs(", \"line\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, items[tables->items[i]].line);
	}
	fputc(']', out);
	put_same(out, "category", count, "0");
	put_same(out, "subcategory", count, "0");
	put_same(out, "nativeSymbol", count, "null");
	put_same(out, "innerWindowID", count, "null");
	put_same(out, "implementation", count, "null");
	put_same(out, "column", count, "null");
	fputs("},\n", out);
}

static void put_functions(const struct tables *tables)
{
	FILE *out = tables->out;
	size_t count = tables->function_count;

	fprintf(out, "   \"funcTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "name", count, "%zu", 2 * i);
	fputs(", \"fileName\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		if (tables->functions[i]->file)
			fprintf(out, "%zu", 2 * i + 1);
		else
			fputs("null", out);
	}
	fputs("], \"lineNumber\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, tables->functions[i]->line);
	}
	fputc(']', out);
	PUT_ARRAY(out, "resource", count, "%zu",
	          tables->functions[i]->object ? tables->functions[i]->object->index : 0);
	put_same(out, "isJS", count, "false");
	put_same(out, "relevantForJS", count, "false");
	put_same(out, "columnNumber", count, "null");
	fputs("},\n", out);
}

enum { RESOURCE_LIBRARY = 1 };

static void put_resources(const struct tables *tables)
{
	FILE *out = tables->out;
	size_t count = symbols_object_count(tables->process->job->dataset->symbols);
	char type[16];

	snprintf(type, sizeof(type), "%d", RESOURCE_LIBRARY);
	fprintf(out, "   \"resourceTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "name", count, "%zu", first_object(tables) + i);
	PUT_ARRAY(out, "lib", count, "%zu", i);
	put_same(out, "host", count, "null");
	put_same(out, "type", count, type);
	fputs("},\n   \"nativeSymbols\": {\"length\": 0, \"address\": [], \"functionSize\": [], \"libIndex\": [], "
	      "\"name\": []},\n",
	      out);
}

static void put_strings(const struct tables *tables)
{
	const struct export_job *job = tables->process->job;
	const struct trace *trace = tables->process->markers->trace;
	const struct symbols *symbols = job->dataset->symbols;
	const char *separator = "\n    ";
	FILE *out = tables->out;

	fputs("   \"stringArray\": [", out);
	for (size_t i = 0; i < tables->function_count; i++) {
		const struct sym_function *function = tables->functions[i];
		char *name = name_function(job->choices, function);

		fputs(separator, out);
		put_string(out, name);
		fputc(',', out);
		put_string(out, function->file ? function->file : "");
		free(name);
		separator = ",\n    ";
	}
	for (size_t i = 0; i < symbols_object_count(symbols); i++) {
		fputs(separator, out);
		put_string(out, symbols_object(symbols, i)->name);
		separator = ",\n    ";
	}
	for (size_t i = 0; i < tables->name_count; i++) {
		const struct trace_name *name = &trace->names[tables->name_list[i]];

		fputs(separator, out);
		print_json_string(out, name->text, name->size);
		separator = ",\n    ";
	}
	fputs("]}", out);
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
	put_string(out, name);
	fputs(", \"processName\": ", out);
	put_string(out, process->name);
	fputc(',', out);
	free(tid);
	free(name);
}

void firefox_put_thread(struct firefox_thread *thread, int is_first)
{
	struct firefox_process *process = thread->process;
	const struct export_job *job = process->job;
	struct tables tables = {.process = process, .out = job->out};
	int with_cpu = (job->dataset->have & EXP_DATA_PROFILE) != 0;
	struct firefox_samples samples, allocations = {.count = 0};

	firefox_find_samples(thread, &samples);
	if (job->metric != METRIC_HEAPALLOCBYTES)
		firefox_find_allocations(thread, &allocations);
	for (size_t i = 0; i < samples.count; i++)
		use_stack(&tables, samples.samples[i].node);
	for (size_t i = 0; i < allocations.count; i++)
		use_stack(&tables, allocations.samples[i].node);
	for (size_t i = thread->marker; i < thread->marker_end; i++)
		use_stack(&tables, marker_stack(process, &process->markers->markers[i]));
	number_all(&tables);
	put_head(thread, is_first);
	put_samples(&tables, "samples", job->metric, with_cpu, &samples);
	if (allocations.count > 0)
		put_samples(&tables, "nativeAllocations", METRIC_HEAPALLOCBYTES, 0, &allocations);
	put_markers(&tables, thread);
	put_stacks(&tables);
	put_frames(&tables);
	put_functions(&tables);
	put_resources(&tables);
	put_strings(&tables);
	fini(&tables);
	free(samples.samples);
	free(allocations.samples);
}
