/* firefox.c: the processed profile format of the Firefox Profiler
 * (https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md),
 * version 44, which later ones upgrade when they load it. Each thread and metric is a track of
 * weighted stacks. A track has its own tables: only of what occurs in it. Times are those of the
 * slices of rows.h.
 * See doc/decisions/33-exports.md. */
#include "analyzer/export/export.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 44, GECKO_VERSION = 24 };

/* A track while it is written. */
struct track {
	struct export_job *job;
	const struct export_part *part;
	unsigned metric;
	size_t column;       /* of the metric in job->metrics */
	uint32_t *stacks;    /* stacks[node]: its number + 1, 0: does not occur */
	uint32_t *frames;    /* frames[item]: likewise */
	uint32_t *functions; /* functions[function]: likewise */
	uint32_t stack_count, frame_count, function_count;
	const struct sym_frame **frame_list;       /* by number */
	const struct sym_function **function_list; /* by number */
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

static uint32_t number_of(const uint32_t *numbers, size_t index)
{
	return numbers[index] - 1;
}

/* Number what occurs: the nodes with values below them, their frames, their functions; parents come
 * first. */
static void number_all(struct track *track)
{
	const struct tree *tree = track->part->tree;

	for (uint32_t node = TREE_ROOT + 1; node < tree->count; node++) {
		uint32_t item = tree->nodes[node].item;
		const struct sym_frame *frame = &tree->items[item];
		size_t function = export_function_number(track->job, frame->function);

		if (tree_total(tree, node, track->metric) == 0)
			continue;
		track->stacks[node] = ++track->stack_count;
		if (track->frames[item] == 0) {
			track->frames[item] = ++track->frame_count;
			track->frame_list[track->frame_count - 1] = frame;
		}
		if (track->functions[function] == 0) {
			track->functions[function] = ++track->function_count;
			track->function_list[track->function_count - 1] = frame->function;
		}
	}
}

/* Times are told in ms, of what the weights are is told apart. */
static void put_weight(const struct track *track, uint64_t value)
{
	if (metric_unit_of(track->metric) == METRIC_UNIT_SECONDS)
		fprintf(track->job->out, "%llu.%06llu", (unsigned long long)(value / 1000000),
		        (unsigned long long)(value % 1000000));
	else
		fprintf(track->job->out, "%llu", (unsigned long long)value);
}

/* In ms from the earliest start of all processes. */
static void put_time(const struct track *track, const struct export_sample *sample)
{
	int64_t start_ns = track->part->at->info->start_real_ns -
	                   export_start_ns(track->job->dataset);
	uint64_t at_ns = (uint64_t)(start_ns > 0 ? start_ns : 0) + sample->time_ns;

	fprintf(track->job->out, "%llu.%06llu", (unsigned long long)(at_ns / 1000000),
	        (unsigned long long)(at_ns % 1000000));
}

static void put_stack(const struct track *track, const struct export_sample *sample)
{
	if (sample->node == TREE_ROOT)
		fputs("null", track->job->out);
	else
		fprintf(track->job->out, "%u", number_of(track->stacks, sample->node));
}

static uint64_t value_of(const struct track *track, size_t sample)
{
	return track->part->values[sample * track->job->metric_count + track->column];
}

enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT };

/* A column of the samples that the metric has. Returns how many. */
static size_t put_column(const struct track *track, enum sample_column column)
{
	const struct export_part *part = track->part;
	size_t count = 0;

	for (size_t i = 0; i < part->sample_count; i++) {
		if (value_of(track, i) == 0)
			continue;
		if (count++ > 0)
			fputc(',', track->job->out);
		switch (column) {
		case SAMPLE_STACK:
			put_stack(track, &part->samples[i]);
			break;
		case SAMPLE_TIME:
			put_time(track, &part->samples[i]);
			break;
		case SAMPLE_WEIGHT:
			put_weight(track, value_of(track, i));
			break;
		}
	}
	return count;
}

/* What a stack brought in one slice of time is a sample. */
static void put_samples(struct track *track)
{
	static const char *const kinds[3] = {"tracing-ms", "bytes", "samples"};
	FILE *out = track->job->out;

	fprintf(out, "\n   \"samples\": {\"weightType\": \"%s\", \"stack\": [",
	        export_unit(track->metric, kinds));
	put_column(track, SAMPLE_STACK);
	fputs("], \"time\": [", out);
	put_column(track, SAMPLE_TIME);
	fputs("], \"weight\": [", out);
	fprintf(out, "], \"length\": %zu},\n", put_column(track, SAMPLE_WEIGHT));
}

static void put_stacks(struct track *track)
{
	const struct tree *tree = track->part->tree;
	FILE *out = track->job->out;
	const char *separator = "";

	fprintf(out, "   \"stackTable\": {\"length\": %u, \"frame\": [", track->stack_count);
	for (uint32_t node = 1; node < tree->count; node++) {
		if (track->stacks[node] == 0)
			continue;
		fprintf(out, "%s%u", separator, number_of(track->frames, tree->nodes[node].item));
		separator = ",";
	}
	fputs("], \"prefix\": [", out);
	separator = "";
	for (uint32_t node = 1; node < tree->count; node++) {
		if (track->stacks[node] == 0)
			continue;
		if (tree->nodes[node].parent == TREE_ROOT)
			fprintf(out, "%snull", separator);
		else
			fprintf(out, "%s%u", separator,
			        number_of(track->stacks, tree->nodes[node].parent));
		separator = ",";
	}
	fputc(']', out);
	put_same(out, "category", track->stack_count, "0");
	put_same(out, "subcategory", track->stack_count, "0");
	fputs("},\n", out);
}

static void put_line(FILE *out, unsigned line)
{
	if (line != 0)
		fprintf(out, "%u", line);
	else
		fputs("null", out);
}

static void put_frames(struct track *track)
{
	FILE *out = track->job->out;
	size_t count = track->frame_count;

	fprintf(out, "   \"frameTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "address", count, "%llu", (unsigned long long)track->frame_list[i]->address);
	PUT_ARRAY(out, "inlineDepth", count, "%u", (unsigned)track->frame_list[i]->inlined);
	PUT_ARRAY(out, "func", count, "%u",
	          number_of(track->functions,
	                    export_function_number(track->job, track->frame_list[i]->function)));
	fputs(", \"line\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, track->frame_list[i]->line);
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

/* Strings: 2 i is the name of function i, 2 i + 1 its file; resources are the objects, named behind
 * them. */
static void put_functions(struct track *track)
{
	FILE *out = track->job->out;
	size_t count = track->function_count;

	fprintf(out, "   \"funcTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "name", count, "%zu", 2 * i);
	fputs(", \"fileName\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		if (track->function_list[i]->file)
			fprintf(out, "%zu", 2 * i + 1);
		else
			fputs("null", out);
	}
	fputs("], \"lineNumber\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		put_line(out, track->function_list[i]->line);
	}
	fputc(']', out);
	PUT_ARRAY(out, "resource", count, "%zu",
	          track->function_list[i]->object ? track->function_list[i]->object->index : 0);
	put_same(out, "isJS", count, "false");
	put_same(out, "relevantForJS", count, "false");
	put_same(out, "columnNumber", count, "null");
	fputs("},\n", out);
}

enum { RESOURCE_LIBRARY = 1 };

static void put_resources(struct track *track)
{
	FILE *out = track->job->out;
	size_t count = symbols_object_count(track->job->dataset->symbols);
	char type[16];

	snprintf(type, sizeof(type), "%d", RESOURCE_LIBRARY);
	fprintf(out, "   \"resourceTable\": {\"length\": %zu", count);
	PUT_ARRAY(out, "name", count, "%zu", 2 * (size_t)track->function_count + i);
	PUT_ARRAY(out, "lib", count, "%zu", i);
	put_same(out, "host", count, "null");
	put_same(out, "type", count, type);
	fputs("},\n   \"nativeSymbols\": {\"length\": 0, \"address\": [], \"functionSize\": [], \"libIndex\": [], "
	      "\"name\": []},\n",
	      out);
}

static void put_strings(struct track *track)
{
	const struct symbols *symbols = track->job->dataset->symbols;
	FILE *out = track->job->out;

	fputs("   \"stringArray\": [", out);
	for (size_t i = 0; i < track->function_count; i++) {
		const struct sym_function *function = track->function_list[i];
		char *name = name_function(track->job->choices, function);

		fputs(i ? ",\n    " : "\n    ", out);
		put_string(out, name);
		fputc(',', out);
		put_string(out, function->file ? function->file : "");
		free(name);
	}
	for (size_t i = 0; i < symbols_object_count(symbols); i++) {
		fputs(i || track->function_count ? ",\n    " : "\n    ", out);
		put_string(out, symbols_object(symbols, i)->name);
	}
	fputs("]}", out);
}

static void put_head(struct track *track, size_t number)
{
	const struct exp_info *info = track->part->at->info;
	const struct exp_thread *thread = track->part->info;
	double start_ms = (double)(info->start_real_ns - export_start_ns(track->job->dataset)) /
	                  1e6;
	FILE *out = track->job->out;
	char name[512];

	snprintf(name, sizeof(name), "%s: %s", track->part->thread_name,
	         metric_meaning(track->metric));
	fprintf(out,
	        "%s\n  {\"processType\": \"default\", \"processStartupTime\": %.3f, \"processShutdownTime\": null, "
	        "\"registerTime\": %.3f, \"unregisterTime\": null, \"pausedRanges\": [], \"isMainThread\": false, "
	        "\"showMarkersInTimeline\": false, \"pid\": \"%lld\", \"tid\": \"%u/%u.%s\", \"name\": ",
	        number ? "," : "", start_ms, start_ms + (thread ? thread->time_s * 1e3 : 0),
	        (long long)info->pid, thread ? thread->tid : 0, track->part->thread,
	        metric_keyword(track->metric));
	put_string(out, name);
	fputs(", \"processName\": ", out);
	put_string(out, track->part->name);
	fputs(",\n   \"markers\": {\"length\": 0, \"category\": [], \"data\": [], \"endTime\": [], \"name\": [], "
	      "\"phase\": [], \"startTime\": []},",
	      out);
}

static void put_track(struct export_job *job, const struct export_part *part, size_t column,
                      size_t number)
{
	struct track track = {
		.job = job, .part = part, .metric = job->metrics[column], .column = column};
	size_t functions;

	export_number_functions(job, part->tree);
	functions = export_function_count(job);
	track.stacks = memory_take(part->tree->count, sizeof(*track.stacks));
	track.frames = memory_take(part->tree->item_count, sizeof(*track.frames));
	track.functions = memory_take(functions, sizeof(*track.functions));
	track.frame_list = memory_take(part->tree->item_count, sizeof(*track.frame_list));
	track.function_list = memory_take(functions, sizeof(*track.function_list));
	number_all(&track);
	put_head(&track, number);
	put_samples(&track);
	put_stacks(&track);
	put_frames(&track);
	put_functions(&track);
	put_resources(&track);
	put_strings(&track);
	free(track.stacks);
	free(track.frames);
	free(track.functions);
	free(track.frame_list);
	free(track.function_list);
}

static void put_part(struct export_job *job, const struct export_part *part, void *context)
{
	size_t *number = context;

	for (size_t i = 0; i < job->metric_count; i++)
		if (part->tree->sum.of[job->metrics[i]] != 0)
			put_track(job, part, i, (*number)++);
}

static void put_meta(struct export_job *job)
{
	const struct exp_info *info = dataset_next(job->dataset, NULL)->info;
	const char *period = experiment_setting(dataset_next(job->dataset, NULL)->experiment,
	                                        "profile_us", "0");

	fprintf(job->out,
	        "{\"meta\": {\"version\": %d, \"preprocessedProfileVersion\": %d, \"startTime\": %.3f, \"interval\": %.6f,\n"
	        "  \"processType\": 0, \"stackwalk\": 1, \"debug\": false, \"symbolicated\": true, \"product\": ",
	        GECKO_VERSION, FORMAT_VERSION, (double)export_start_ns(job->dataset) / 1e6,
	        strtod(period, NULL) / 1e3);
	put_string(job->out, info->argc > 0 ? info->argv[0] : info->name);
	fputs(", \"importedFrom\": \"xer_print " XER_VERSION "\",\n  \"oscpu\": ", job->out);
	put_string(job->out, info->os ? info->os : "");
	fprintf(job->out,
	        ", \"physicalCPUs\": 0, \"logicalCPUs\": %llu,\n"
	        "  \"categories\": [{\"name\": \"Other\", \"color\": \"grey\", \"subcategories\": [\"Other\"]}],\n"
	        "  \"sampleUnits\": {\"time\": \"ms\", \"eventDelay\": \"ms\", \"threadCPUDelta\": \"ns\"},\n"
	        "  \"markerSchema\": [], \"usesOnlyOneStackType\": true, \"doesNotUseFrameImplementation\": true,\n"
	        "  \"sourceCodeIsNotOnSearchfox\": true, \"keepProfileThreadOrder\": true},\n"
	        " \"pages\": [], \"threads\": [",
	        (unsigned long long)info->cpus);
}

static void put_libraries(struct export_job *job)
{
	const struct symbols *symbols = job->dataset->symbols;

	fputs("],\n \"libs\": [", job->out);
	for (size_t i = 0; i < symbols_object_count(symbols); i++) {
		const struct sym_object *object = symbols_object(symbols, i);

		fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", job->out);
		put_string(job->out, object->name);
		fputs(", \"debugName\": ", job->out);
		put_string(job->out, object->name);
		fputs(", \"path\": ", job->out);
		put_string(job->out, object->path);
		fputs(", \"debugPath\": ", job->out);
		put_string(job->out, object->path);
		fputs(", \"breakpadId\": \"\", \"codeId\": ", job->out);
		put_string(job->out, object->build_id ? object->build_id : "");
		fputs(", \"arch\": null}", job->out);
	}
	fputs("]}\n", job->out);
}

void export_firefox(struct export_job *job)
{
	size_t number = 0;

	put_meta(job);
	export_each(job, TREE_FRAMES, EXPORT_TIMES, put_part, &number);
	put_libraries(job);
}
