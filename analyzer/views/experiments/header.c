/* header.c: describes an experiment: its notes, command, host, settings, end, and what went
 * wrong. */
#include "analyzer/views/view.h"

#include "analyzer/report/absent.h"
#include "analyzer/report/data.h"
#include "analyzer/report/heapsampled.h"
#include "analyzer/report/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/ticked.h"
#include "analyzer/base/text.h"

#include "format/fxt.h"
#include "format/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* If the share of samples asked for is below this, many threads end before their first one. */
#define SAMPLED_LITTLE 0.8

static void put_field(FILE *out, const char *what, const char *text)
{
	fprintf(out, "%-10s ", what);
	text_put(out, text);
	fputc('\n', out);
}

static const char *known(const char *text)
{
	return text && text[0] != '\0' ? text : "?";
}

static void put_host(FILE *out, const struct exp_info *info)
{
	fputs("Host       ", out);
	text_put(out, known(info->host));
	fputs(", ", out);
	text_put(out, known(info->os));
	fputc(' ', out);
	text_put(out, known(info->release));
	fputs(", ", out);
	text_put(out, known(info->arch));
	fprintf(out, "\nCPUs       %llu x ", (unsigned long long)info->cpus);
	text_put(out, known(info->cpu_model));
	fprintf(out, "\nMemory     %llu MiB, page size %llu\n",
	        (unsigned long long)info->memory_kib / 1024, (unsigned long long)info->page_size);
}

static void put_start(FILE *out, const struct exp_info *info)
{
	time_t start = (time_t)(info->start_real_ns / 1000000000);
	struct tm date;
	char text[64];

	if (info->start_real_ns <= 0 || !gmtime_r(&start, &date) ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &date) == 0)
		snprintf(text, sizeof(text), "?");
	put_field(out, "Started", text);
	fprintf(out, "Duration   %.3f seconds\n", info->duration_s);
}

static void put_settings(FILE *out, const struct exp_info *info)
{
	fputs("Settings  ", out);
	for (size_t i = 0; i < info->setting_count; i++) {
		if (strcmp(info->settings[i].name, "command") == 0 ||
		    info->settings[i].value[0] == '\0')
			continue;
		fputc(' ', out);
		text_put(out, info->settings[i].name);
		fputc('=', out);
		text_put(out, info->settings[i].value);
	}
	fprintf(out, "\nClock      %s, %.3f MHz\n",
	        info->clock_is_tsc ? "TSC" : "CLOCK_MONOTONIC_RAW", info->clock_hz / 1e6);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Samples that are in the files but in no table. */
static void put_of_archiver(FILE *out, uint64_t count)
{
	if (count > 0)
		fprintf(out, " (%llu of xer_archive, left out of tables)",
		        (unsigned long long)count);
}

static void put_sampler_stacks(FILE *out, const struct experiment *experiment, uint64_t samples)
{
	unsigned long long copied = strtoull(experiment_setting(experiment, "sampler_stack", "0"),
	                                     NULL, 10);
	uint64_t one_frame = experiment_counter(experiment, "sampler_one_frame", 0),
		 cut = experiment_counter(experiment, "sampler_cut_stacks", 0);
	uint64_t deep = experiment_counter(experiment, "sampler_deep_stacks", 0);
	char remedy[160];
	double share;

	fprintf(out,
	        "           stacks by %s: %.1f %% have one frame only, %.1f %% are cut %s; %llu without any frame dropped%s\n",
	        copied > 0 ? "unwinding tables" : "frame pointers",
	        percent((double)one_frame, (double)samples), percent((double)cut, (double)samples),
	        copied > 0 ? "before the outermost" : "at a wrong address",
	        (unsigned long long)experiment_counter(experiment, "sampler_bad_stacks", 0),
	        experiment_counter(experiment, "sampler_in_kernel", 1)
	                ? ""
	                : "; none taken in system calls: the system forbade that");
	if (deep > 0)
		fprintf(out, "           %.1f %% have more than %d frames and are cut there\n",
		        percent((double)deep, (double)samples), FXT_SAMPLE_PCS_MAX);
	if (copied == 0 && (one_frame + cut) * 4 > samples)
		fputs("           code without frame pointers: for whole stacks record with --sampler=1m,stack\n",
		      out);
	if (quality_cut(experiment, &share, remedy, sizeof(remedy)))
		fprintf(out, "           %s\n", remedy);
}

/* What --sampler did. Without counts, it was refused, or its helper is still writing. */
static void put_sampler(FILE *out, const struct experiment *experiment)
{
	double period_us = strtod(experiment_setting(experiment, "sampler_ns", "0"), NULL) * 1e-3;
	double cpu_s = (double)experiment_counter(experiment, "sampler_cpu_ns", 0) * 1e-9;
	double samples = (double)experiment_counter(experiment, "sampler_samples", 0);
	double cost_us = (double)experiment_counter(experiment, "sampler_cost_ns", 0) * 1e-3;
	uint64_t lost = experiment_counter(experiment, "lost_sampler", 0) +
	                experiment_counter(experiment, "lost_sampler_room", 0);

	if (period_us <= 0)
		return;
	fprintf(out, "Sampler    period %g us", period_us);
	if (strcmp(experiment_setting(experiment, "sampler_timers", "0"), "1") == 0) {
		fputs(": the system refused it, timers took the samples\n", out);
		return;
	}
	if (experiment_info(experiment)->lineage[0] != '\0') {
		fputs(": the counts of all processes stand with the founder\n", out);
		return;
	}
	if (cpu_s <= 0) {
		fprintf(out, ": there are no counts: %s\n",
		        experiment_info(experiment)->untold > 0
		                ? "samples may be missing"
		                : "nothing was sampled, or it is not yet complete");
		return;
	}
	fprintf(out, ", %.0f samples", samples);
	put_of_archiver(out, experiment_counter(experiment, "sampler_archiver_samples", 0));
	fprintf(out,
	        " of %.3f s of CPU time: %.0f a second, %.1f %% of those asked for; %llu lost, throttled %llu times\n",
	        cpu_s, samples / cpu_s, percent(samples * period_us * 1e-6, cpu_s),
	        (unsigned long long)lost,
	        (unsigned long long)experiment_counter(experiment, "sampler_throttled", 0));
	if (cost_us > 0)
		fprintf(out,
		        "           a sample took about %.1f us from the program (measured afterwards): %.1f %% of that time; the helper beside it used %.1f %%\n",
		        cost_us, percent(samples * cost_us * 1e-6, cpu_s),
		        percent((double)experiment_counter(experiment, "sampler_beside_ns", 0) *
		                        1e-9,
		                cpu_s));
	if (samples * period_us * 1e-6 < SAMPLED_LITTLE * cpu_s)
		fputs("           threads shorter than the period have no samples: clock profiling (-p) weighs their time too\n",
		      out);
	put_sampler_stacks(out, experiment, (uint64_t)samples);
}

/* A count of the n-th counter's helper; the format takes its directory. */
static unsigned long long helper_count(const struct experiment *experiment, const char *format,
                                       unsigned n, uint64_t fallback)
{
	char directory[16], name[64];

	snprintf(directory, sizeof(directory), "%s%u", FMT_DIR_COUNTER, n);
	snprintf(name, sizeof(name), format, directory);
	return experiment_counter(experiment, name, fallback);
}

static void put_counter(FILE *out, const struct experiment *experiment, unsigned n,
                        unsigned long long period)
{
	unsigned long long samples = helper_count(experiment, "%s_samples", n, UINT64_MAX);

	fprintf(out, ": every %llu, ", period);
	if (samples == UINT64_MAX) {
		fprintf(out, "its helper has not reported%s how many\n",
		        experiment_info(experiment)->untold > 0 ? "" : " yet");
		return;
	}
	fprintf(out, "%llu counted, %llu in samples", helper_count(experiment, "%s_counted", n, 0),
	        samples * period);
	put_of_archiver(out, helper_count(experiment, "%s_archiver_samples", n, 0) * period);
	fprintf(out, ", %llu samples lost\n",
	        helper_count(experiment, "lost_%s", n, 0) +
	                helper_count(experiment, "lost_%s_room", n, 0));
}

/* The counters of -h, of which setting is "NAME,INTERVAL NAME,INTERVAL ...". */
static void put_counters(FILE *out, const struct experiment *experiment)
{
	const char *at = experiment_setting(experiment, "counters", "");

	if (experiment_info(experiment)->lineage[0] != '\0')
		return; /* the founder's counters include all processes */
	for (unsigned i = 0; *at != '\0' && i < FMT_COUNTERS_MAX; i++) {
		size_t len = strcspn(at, ",");

		fputs("Counter    ", out);
		text_put_bytes(out, at, len);
		put_counter(out, experiment, i,
		            at[len] == ',' ? strtoull(at + len + 1, NULL, 10) : 0);
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
}

/* Sampling from outside is not a fault. */
static int is_trouble(const struct dataset *dataset, const struct dataset_experiment *at,
                      const struct exp_event *event)
{
	return strcmp(event->kind, "warning") == 0 || strcmp(event->kind, "loss") == 0 ||
	       (strcmp(event->kind, "unrecorded") == 0 &&
	        !absent_is_outside(dataset, at, report_attribute(event, "lineage")));
}

/* "WHAT NAME: REASON" */
static void put_reason(FILE *out, const struct exp_event *event, const char *what, const char *name)
{
	fputs(what, out);
	text_put(out, known(report_attribute(event, name)));
	fputs(": ", out);
	text_put(out, known(report_attribute(event, "reason")));
}

static void put_trouble(FILE *out, const struct dataset_experiment *at,
                        const struct exp_event *event)
{
	const char *error = report_attribute(event, "errno");

	fputs("  ", out);
	if (event->time_s != 0) /* written by a helper at the end: it has no time */
		fprintf(out, "at %.3f s: ", event->time_s);
	if (strcmp(event->kind, "warning") == 0) {
		text_put(out, known(report_attribute(event, "text")));
	} else if (strcmp(event->kind, "unrecorded") == 0) {
		put_reason(out, event, "not recorded: ", "path");
		fputs(view_remedy(at, event), out);
	} else {
		put_reason(out, event, "data lost in ", "stream");
		if (error && strcmp(error, "0") != 0) {
			fputs(" (errno ", out);
			text_put(out, error);
			fputc(')', out);
		}
	}
	fputc('\n', out);
}

static void put_troubles(FILE *out, const struct dataset *dataset,
                         const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	char unseen[256], left_out[1024], ticked[256], rings[256];
	struct ticked clock = {.clock = NULL};
	int is_left_out = quality_left_out(at, left_out, sizeof(left_out));
	int is_unseen = quality_unseen(at, unseen, sizeof(unseen));
	int has_rings = quality_rings(at, rings, sizeof(rings));
	int is_ticked;
	size_t count = (is_unseen != 0) + (has_rings != 0) + (info->untold > 0) +
	               (is_left_out != 0);

	ticked_add(&clock, at);
	is_ticked = ticked_text(&clock, ticked, sizeof(ticked));
	count += is_ticked != 0;
	for (size_t i = 0; i < info->event_count; i++)
		count += is_trouble(dataset, at, &info->events[i]) != 0;
	for (size_t i = 0; i < info->counter_count; i++)
		count += strncmp(info->counters[i].name, "lost_", 5) == 0 &&
		         strcmp(info->counters[i].value, "0") != 0;
	if (count == 0 && !info->damaged) {
		fputs("Warnings   none\n", out);
		return;
	}
	fputs("Warnings\n", out);
	for (size_t i = 0; i < info->event_count; i++)
		if (is_trouble(dataset, at, &info->events[i]))
			put_trouble(out, at, &info->events[i]);
	for (size_t i = 0; i < info->counter_count; i++) {
		const struct exp_pair *counter = &info->counters[i];

		if (strncmp(counter->name, "lost_", 5) != 0 || strcmp(counter->value, "0") == 0)
			continue;
		fputs("  ", out);
		text_put(out, counter->value);
		fputs(" events lost: ", out);
		text_put(out, counter->name + 5);
		fputc('\n', out);
	}
	if (info->untold > 0)
		fputs("  " QUALITY_UNTOLD "\n", out);
	if (has_rings)
		fprintf(out, "  %s\n", rings);
	if (is_unseen)
		fprintf(out, "  %s\n", unseen);
	if (is_ticked)
		fprintf(out, "  %s\n", ticked);
	if (is_left_out) {
		fputs("  ", out);
		text_put(out, left_out);
		fputc('\n', out);
	}
	if (info->damaged)
		fputs("  damaged: parts of the experiment could not be read\n", out);
}

/* The lineage of the next image of the process: it had no recorder, but may have been sampled from
 * outside. */
static const char *became(const struct dataset *dataset, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;

	for (size_t i = info->event_count; i-- > 0 && !info->executed_as;) {
		const char *path = report_attribute(&info->events[i], "path"),
			   *lineage = report_attribute(&info->events[i], "lineage");

		if (strcmp(info->events[i].kind, "unrecorded") == 0 && path &&
		    strcmp(path, info->executed) == 0 && absent_is_outside(dataset, at, lineage))
			return lineage;
	}
	return info->executed_as ? info->executed_as : "not recorded";
}

static void put_status(FILE *out, const struct dataset *dataset,
                       const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	char text[64];

	/* From outside, only the end of the sampling is known. */
	fprintf(out, "Status     %s",
	        info->outside && info->status == EXP_ENDED
	                ? "over"
	                : report_status(info, text, sizeof(text)));
	if (info->status == EXP_DIED)
		fputs(": killed, or the recorder could not write its end; exit status unknown",
		      out);
	if (info->status == EXP_EXECED) {
		fputs(", ", out);
		text_put(out, became(dataset, at));
		fputs(": ", out);
		text_put(out, info->executed);
	}
	if (info->status == EXP_DETACHED)
		fputs(": the recording was ended, the process went on", out);
	if (info->status == EXP_RUNNING)
		fputs(": what is recorded so far", out);
	if (info->outside) {
		fputs("; sampled from outside, exit status unknown: ", out);
		text_put(out, info->outside);
	}
	fputc('\n', out);
}

static int has_ranks(const struct dataset *dataset, const struct dataset_experiment *founder)
{
	for (size_t i = 0; i < dataset->count; i++)
		if ((&dataset->experiments[i] == founder ||
		     dataset->experiments[i].founder == founder->id) &&
		    dataset->experiments[i].info->mpi_rank >= 0)
			return 1;
	return 0;
}

/* The rank of the process in an MPI job, if it has one. */
static void put_mpi(FILE *out, const struct dataset *dataset, const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;

	if (info->mpi_rank >= 0) {
		fprintf(out, "MPI        rank %lld of %lld, ", (long long)info->mpi_rank,
		        (long long)info->mpi_size);
		text_put(out, info->mpi_library);
		fputc('\n', out);
	}
	for (size_t i = 0; i < info->event_count; i++) {
		const struct exp_event *event = &info->events[i];

		if (strcmp(event->kind, "mpi_launched") == 0 && info->mpi_rank < 0 &&
		    info->status != EXP_EXECED) {
			fputs("MPI        started as rank ", out);
			text_put(out, known(report_attribute(event, "rank")));
			fputs("; MPI_Init has not been called, or did not end\n", out);
		} else if (strcmp(event->kind, "mpi_abort") == 0) {
			fputs("MPI        MPI_Abort was called, error code ", out);
			text_put(out, known(report_attribute(event, "code")));
			fputc('\n', out);
		}
	}
	if (info->lineage[0] == '\0' &&
	    strcmp(experiment_setting(at->experiment, "mpi_launcher", "off"), "off") != 0 &&
	    !has_ranks(dataset, at))
		fputs("MPI        no process called MPI_Init\n", out);
}

static void put_java(FILE *out, const struct experiment *experiment)
{
	const struct exp_function *functions;
	size_t count = experiment_functions(experiment, &functions), compiled = 0,
	       classes = experiment_java_classes(experiment);

	for (size_t i = 0; i < count; i++)
		compiled += functions[i].method != 0;
	if (classes != 0)
		fprintf(out, "Java       %zu classes, %zu times a method was compiled\n", classes,
		        compiled);
}

static void put_heap(FILE *out, const struct dataset_experiment *at)
{
	struct heapsampled heap = {0};
	char text[320];

	heapsampled_add(&heap, at);
	if (heapsampled_text(&heap, text, sizeof(text)))
		put_field(out, "Heap", text);
}

static void put_header(const struct dataset *dataset, struct output *output,
                       const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	FILE *out = output->out;

	if (info->notes)
		text_put_lines(out, info->notes, "");
	put_field(out, "Experiment", info->path);
	fputs("Command    ", out);
	report_put_command(out, info);
	fputc('\n', out);
	put_field(out, "Program", known(info->program));
	fprintf(out, "Process    pid %lld, parent %lld%s%s\n", (long long)info->pid,
	        (long long)info->ppid, info->lineage[0] ? ", lineage " : "", info->lineage);
	if (info->is_attached)
		fprintf(out,
		        "Attached   after %.3f seconds of CPU time: what was before is not recorded, and blocks from before are unknown\n",
		        (double)info->earlier_ns * 1e-9);
	put_mpi(out, dataset, at);
	put_field(out, "Directory", known(info->cwd));
	put_host(out, info);
	put_start(out, info);
	put_status(out, dataset, at);
	put_field(out, "Recorded", known(experiment_setting(at->experiment, "command", "")));
	put_settings(out, info);
	put_sampler(out, at->experiment);
	put_counters(out, at->experiment);
	put_heap(out, at);
	for (size_t i = 0; i < info->jit_note_count; i++)
		put_field(out, i == 0 ? "JIT code" : "", info->jit_notes[i]);
	put_java(out, at->experiment);
	put_field(out, "Format", info->version);
	put_troubles(out, dataset, at);
}

void view_header(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = NULL;

	(void)choices;
	while ((at = view_next_experiment(dataset, output, "header", argument, at))) {
		if (print_is_data(output)) {
			data_header(output, at);
			continue;
		}
		put_header(dataset, output, at);
		fputc('\n', output->out);
	}
	quality_put(dataset, output);
	fputc('\n', output->out);
}
