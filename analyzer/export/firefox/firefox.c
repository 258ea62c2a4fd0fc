/* firefox.c: the processed profile format of the Firefox Profiler
 * (https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md),
 * version 44, which later ones upgrade when they load it. Each thread is a track of weighted
 * stacks, with its CPU use, and has markers of what happened in it. Times are those of the slices
 * of rows.h. See doc/decisions/33-exports.md. */
#include "analyzer/export/firefox/firefox.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 44, GECKO_VERSION = 24 };

/* The file while it is written. */
struct file {
	struct export_job *job;
	struct export_markers markers;
	struct exp_index pids; /* those that are there */
	size_t repeats;        /* of one of them */
	int has_threads;
};

static void put_string(FILE *out, const char *text)
{
	print_json_string(out, text, strlen(text));
}

static void put_meta(struct export_job *job)
{
	const struct exp_info *info = dataset_next(job->dataset, NULL)->info;
	const char *period = experiment_setting(dataset_next(job->dataset, NULL)->experiment,
	                                        "profile_us", "0");
	double period_ms = strtod(period, NULL) / 1e3; /* viewers draw the last sample so long */

	fprintf(job->out,
	        "{\"meta\": {\"version\": %d, \"preprocessedProfileVersion\": %d, \"startTime\": %.3f, \"interval\": %.6f,\n"
	        "  \"processType\": 0, \"stackwalk\": 1, \"debug\": false, \"symbolicated\": true, \"product\": ",
	        GECKO_VERSION, FORMAT_VERSION, (double)export_start_ns(job->dataset) / 1e6,
	        period_ms > 0 ? period_ms : 1);
	put_string(job->out, info->argc > 0 ? info->argv[0] : info->name);
	fputs(", \"importedFrom\": \"xer_print " XER_VERSION "\",\n  \"oscpu\": ", job->out);
	put_string(job->out, info->os ? info->os : "");
	fprintf(job->out, ", \"physicalCPUs\": 0, \"logicalCPUs\": %llu,\n",
	        (unsigned long long)info->cpus);
	firefox_put_categories(job->out);
	firefox_put_schemas(job->out);
	fputs("  \"sampleUnits\": {\"time\": \"ms\", \"eventDelay\": \"ms\", \"threadCPUDelta\": \"ns\"},\n"
	      "  \"usesOnlyOneStackType\": true, \"doesNotUseFrameImplementation\": true,\n"
	      "  \"sourceCodeIsNotOnSearchfox\": true, \"keepProfileThreadOrder\": true},\n"
	      " \"pages\": [], \"threads\": [",
	      job->out);
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

/* ---- a process ---- */

static uint32_t thread_of_row(const struct firefox_process *process, size_t row)
{
	uint32_t thread = process->rows.rows[row].thread;

	return thread <= process->at->whole->thread_count ? thread : 0;
}

/* All threads that have samples or markers. Rows and markers are in order of threads, but that of
 * threads which are not known. */
static void put_threads(struct file *file, struct firefox_process *process)
{
	const struct export_markers *markers = process->markers;
	struct firefox_thread thread = {.process = process};

	while (thread.row < process->rows.count || thread.marker < markers->count) {
		uint32_t number = UINT32_MAX;

		if (thread.row < process->rows.count)
			number = thread_of_row(process, thread.row);
		if (thread.marker < markers->count &&
		    markers->markers[thread.marker].thread < number)
			number = markers->markers[thread.marker].thread;
		thread.number = number;
		thread.row_end = thread.row;
		while (thread.row_end < process->rows.count &&
		       thread_of_row(process, thread.row_end) == number)
			thread.row_end++;
		thread.marker_end = thread.marker;
		while (thread.marker_end < markers->count &&
		       markers->markers[thread.marker_end].thread == number)
			thread.marker_end++;
		firefox_put_thread(&thread, !file->has_threads);
		file->has_threads = 1;
		thread.row = thread.row_end;
		thread.marker = thread.marker_end;
	}
}

/* An image that another one has executed is another process in the file. */
static char *name_pid(struct file *file, int64_t pid)
{
	if (exp_index_find(&file->pids, (uint64_t)pid) != EXP_INDEX_NONE)
		return memory_format("%lld.%zu", (long long)pid, ++file->repeats);
	if (exp_index_add(&file->pids, (uint64_t)pid, 0) != 0)
		memory_fail();
	return memory_format("%lld", (long long)pid);
}

static void place_stacks(struct firefox_process *process)
{
	const struct dataset *dataset = process->job->dataset;
	const struct tree_view view = {.mode = dataset->mode,
	                               .stand_in = dataset->tables->stand_in,
	                               .shown = dataset->shown};

	process->tree = tree_create(TREE_FRAMES, symbols_total(dataset->symbols));
	tree_place_experiment(process->tree, dataset->symbols, process->at->experiment,
	                      process->at->whole, &view, &process->places);
	export_number_functions(process->job, process->tree);
	process->stacks = memory_take(process->tree->count, sizeof(*process->stacks));
	process->frames = memory_take(process->tree->item_count, sizeof(*process->frames));
	process->functions = memory_take(export_function_count(process->job),
	                                 sizeof(*process->functions));
}

static void read_events(struct file *file, struct firefox_process *process)
{
	struct output *output = file->job->output;

	if (export_rows_read(file->job->dataset, process->at, 1, &process->rows) != 0)
		memory_fail();
	export_rows_check(&process->rows, process->at, output);
	export_markers_read(process->markers, process->at);
	if (process->markers->left_out > 0)
		output_say(
			output,
			"export: %s: only %d events are exported, the longest; %zu are not (%zu of them user events and samples)",
			process->at->info->path, (int)EXPORT_MARKERS_MAX,
			process->markers->left_out, process->markers->instants_left_out);
}

static void put_process(struct file *file, const struct dataset_experiment *at)
{
	const char *program = at->info->argc > 0 ? at->info->argv[0] : at->info->name;
	char *name = memory_format("%s %lld", text_base(program), (long long)at->info->pid);
	char *pid = name_pid(file, at->info->pid);
	struct firefox_process process = {
		.job = file->job, .at = at, .name = name, .pid = pid, .markers = &file->markers};

	place_stacks(&process);
	read_events(file, &process);
	put_threads(file, &process);
	export_rows_fini(&process.rows);
	tree_places_fini(&process.places);
	tree_destroy(process.tree);
	exp_index_fini(&process.tids);
	free(process.stacks);
	free(process.frames);
	free(process.functions);
	free(pid);
	free(name);
}

void export_firefox(struct export_job *job)
{
	const struct dataset_experiment *at = NULL;
	struct file file = {.job = job};

	put_meta(job);
	export_markers_init(&file.markers, job);
	while ((at = dataset_next(job->dataset, at)))
		put_process(&file, at);
	export_markers_fini(&file.markers);
	exp_index_fini(&file.pids);
	put_libraries(job);
}
