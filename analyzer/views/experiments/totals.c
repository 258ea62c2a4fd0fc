/* totals.c: what experiments are, their totals and their resource usage as tables. */
#include "analyzer/report/data.h"

#include "format/record.h"
#include "analyzer/report/report.h"
#include "analyzer/views/view.h"

#include <stdlib.h>
#include <string.h>

static void put_pairs(struct output *output, const char *name, const struct exp_pair *pairs,
                      size_t count)
{
	struct print_table *table = print_table_begin(name);

	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_WORD, "value", "Value");
	for (size_t i = 0; i < count; i++) {
		print_word(table, pairs[i].name);
		print_word(table, pairs[i].value);
	}
	print_table_end(output, table, 0);
}

/* Everything in the log but its attributes: when, what kind, and what it says. */
static void put_events(struct output *output, const struct exp_info *info)
{
	struct print_table *table = print_table_begin("events");
	char text[1024];

	print_column(table, PRINT_SECONDS, "time", "Time");
	print_column(table, PRINT_WORD, "kind", "Kind");
	print_column(table, PRINT_LIST, "attributes", "Attributes");
	for (size_t i = 0; i < info->event_count; i++) {
		const struct exp_event *event = &info->events[i];
		size_t len = 0;

		text[0] = '\0';
		for (size_t j = 0; j < event->attribute_count && len < sizeof(text); j++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s=%s\n",
			                        event->attributes[j].name,
			                        event->attributes[j].value);
		print_real(table, event->time_s);
		print_word(table, event->kind);
		print_word(table, text);
	}
	print_table_end(output, table, 0);
}

static void put_host(struct print_table *record, const struct exp_info *info)
{
	print_field_word(record, "host", "Host", info->host);
	print_field_word(record, "os", "System", info->os);
	print_field_word(record, "release", "Release", info->release);
	print_field_word(record, "arch", "Architecture", info->arch);
	print_field_word(record, "cpu_model", "Processor", info->cpu_model);
	print_field(record, PRINT_COUNT, "cpus", "CPUs", info->cpus);
	print_field(record, PRINT_BYTES, "memory", "Memory", info->memory_kib * 1024);
	print_field(record, PRINT_BYTES, "page_size", "Page size", info->page_size);
	print_field_word(record, "clock", "Clock",
	                 info->clock_is_tsc ? "TSC" : "CLOCK_MONOTONIC_RAW");
	print_field_real(record, PRINT_VALUE, "clock_hz", "Clock rate", info->clock_hz);
}

void data_header(struct output *output, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	struct print_table *record = print_record_begin("header");
	char *command = report_command(info), status[64];

	print_field(record, PRINT_ID, "id", "Id", at->id);
	print_field_word(record, "experiment", "Experiment", info->path);
	print_field_word(record, "notes", "Notes", info->notes);
	print_field_word(record, "command", "Command", command);
	print_field_word(record, "program", "Program", info->program);
	print_field(record, PRINT_ID, "pid", "Process", (uint64_t)info->pid);
	print_field(record, PRINT_ID, "ppid", "Parent", (uint64_t)info->ppid);
	print_field_word(record, "lineage", "Lineage", info->lineage);
	if (info->mpi_rank >= 0) {
		print_field(record, PRINT_ID, "mpi_rank", "MPI rank", (uint64_t)info->mpi_rank);
		print_field(record, PRINT_COUNT, "mpi_size", "MPI ranks", (uint64_t)info->mpi_size);
		print_field_word(record, "mpi_library", "MPI", info->mpi_library);
	}
	print_field_word(record, "cwd", "Directory", info->cwd);
	put_host(record, info);
	print_field_real(record, PRINT_SECONDS, "start", "Started (since 1970)",
	                 (double)info->start_real_ns / 1e9);
	print_field_real(record, PRINT_SECONDS, "duration", "Duration", info->duration_s);
	print_field_word(record, "status", "Status", report_status(at, status, sizeof(status)));
	print_field_word(record, "recorded", "Recorded",
	                 experiment_setting(at->experiment, "command", ""));
	if (experiment_java_classes(at->experiment) != 0)
		print_field(record, PRINT_COUNT, "java_classes", "Classes of Java",
		            experiment_java_classes(at->experiment));
	print_field_word(record, "format", "Format", info->version);
	print_field(record, PRINT_COUNT, "damaged", "Damaged", info->damaged != 0);
	print_table_end(output, record, 0);
	put_pairs(output, "settings", info->settings, info->setting_count);
	put_pairs(output, "counters", info->counters, info->counter_count);
	put_events(output, info);
	free(command);
}

static void put_threads(const struct dataset *dataset, struct output *output)
{
	struct print_table *table = print_table_begin("threads");
	const struct dataset_experiment *at = NULL;

	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_ID, "tid", "Thread");
	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_SECONDS, "start", "Start");
	print_column(table, PRINT_COUNT, "samples", "Clock Samples");
	print_column(table, PRINT_NS, "cpu", "CPU Time");
	while ((at = dataset_next(dataset, at))) {
		for (size_t i = 0; i < at->data->thread_count; i++) {
			const struct exp_thread *thread = &at->data->threads[i];

			print_number(table, at->id);
			print_number(table, thread->tid);
			print_word(table, thread->name);
			print_real(table, thread->time_s);
			print_number(table, thread->samples);
			report_put_thread_cpu(dataset, table, thread);
		}
	}
	print_table_end(output, table, 0);
}

void data_totals(const struct dataset *dataset, const struct choices *choices,
                 struct output *output)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	struct print_table *totals = print_record_begin("totals");
	const struct dataset_experiment *at = NULL;
	uint64_t experiments = 0, threads = 0;

	(void)choices;
	print_describe(totals, "Totals", 0);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		enum print_type type = PRINT_COUNT;

		if (!(metric_data_of(id) & dataset->have))
			continue;
		if (metric_unit_of(id) == METRIC_UNIT_SECONDS)
			type = PRINT_NS;
		else if (metric_unit_of(id) == METRIC_UNIT_BYTES)
			type = PRINT_BYTES;
		print_field(totals, type, metric_keyword(id), metric_meaning(id), sum->of[id]);
	}
	for (; (at = dataset_next(dataset, at)); experiments++)
		threads += at->data->thread_count;
	print_field(totals, PRINT_COUNT, "experiments", "Experiments", experiments);
	print_field(totals, PRINT_COUNT, "threads", "Threads", threads);
	print_field_real(totals, PRINT_SECONDS, "wall", "Wall time", report_wall_seconds(dataset));
	print_table_end(output, totals, 0);
}

void data_overview(const struct dataset *dataset, const struct choices *choices,
                   struct output *output)
{
	view_add_experiments(dataset, output);
	data_totals(dataset, choices, output);
	put_threads(dataset, output);
}

/* ---- usage ---- */

/* What grew: USAGE(field, type, key, heading). */
#define USAGE_GROWN(X) \
	X(user_ns, NS, "user", "User CPU") \
	X(system_ns, NS, "system", "System CPU") \
	X(cpu_ns, NS, "cpu", "Total CPU") \
	X(minflt, COUNT, "minor_faults", "Minor page faults") \
	X(majflt, COUNT, "major_faults", "Major page faults") \
	X(nswap, COUNT, "swaps", "Process swaps") \
	X(inblock, COUNT, "input_blocks", "Input blocks") \
	X(oublock, COUNT, "output_blocks", "Output blocks") \
	X(nvcsw, COUNT, "voluntary_switches", "Voluntary context switches") \
	X(nivcsw, COUNT, "involuntary_switches", "Involuntary context switches")

static void add_usage(struct print_table *table, const struct dataset_experiment *at,
                      const struct exp_usage *before, const struct exp_usage *after)
{
	print_number(table, at->id);
	print_number(table, after->number);
	print_real(table, before->time_s);
	print_real(table, after->time_s - before->time_s);
	/* Counters that went back count as unchanged. */
#define X(field, type, key, heading) \
	print_number(table, after->field > before->field ? after->field - before->field : 0);
	USAGE_GROWN(X)
#undef X
	print_number(table, after->maxrss_kib * 1024);
	print_number(table, after->threads);
	print_word(table, fmt_enum_name("sample_reason", after->reason));
}

static void add_experiment(struct print_table *table, const struct dataset_experiment *at,
                           int is_whole)
{
	const struct exp_data_set *data = at->data;

	if (is_whole && data->usage_count >= 2)
		add_usage(table, at, &data->usage[0], &data->usage[data->usage_count - 1]);
	for (size_t i = 1; i < data->usage_count && !is_whole; i++)
		add_usage(table, at, &data->usage[i - 1], &data->usage[i]);
}

void data_usage(const struct dataset *dataset, struct output *output, const char *name,
                const struct dataset_experiment *at, int is_whole)
{
	struct print_table *table = print_table_begin(name);

	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_COUNT, "sample", "Sample");
	print_column(table, PRINT_SECONDS, "start", "Start");
	print_column(table, PRINT_SECONDS, "duration", "Duration");
#define X(field, type, key, heading) print_column(table, PRINT_##type, key, heading);
	USAGE_GROWN(X)
#undef X
	print_column(table, PRINT_BYTES, "peak_rss", "Peak resident set");
	print_column(table, PRINT_COUNT, "threads", "Threads so far");
	print_column(table, PRINT_WORD, "end", "End");
	if (at)
		add_experiment(table, at, is_whole);
	for (const struct dataset_experiment *each = at ? NULL : dataset_next(dataset, NULL); each;
	     each = dataset_next(dataset, each))
		add_experiment(table, each, is_whole);
	print_table_end(output, table, 0);
}
