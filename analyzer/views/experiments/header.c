/* header.c: describes an experiment: its notes, command, host, settings, end, and what went
 * wrong. */
#include "analyzer/views/experiments/header.h"
#include "analyzer/views/view.h"

#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"
#include "analyzer/data/newest.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/absent.h"
#include "analyzer/report/quality/heapsampled.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_field(FILE *out, const char *what, const char *text)
{
	fprintf(out, "%-10s ", what);
	text_put(out, text);
	fputc('\n', out);
}

static void put_host(FILE *out, const struct exp_info *info)
{
	fputs("Host       ", out);
	text_put(out, header_known(info->host));
	fputs(", ", out);
	text_put(out, header_known(info->os));
	fputc(' ', out);
	text_put(out, header_known(info->release));
	fputs(", ", out);
	text_put(out, header_known(info->arch));
	fprintf(out, "\nCPUs       %llu x ", (unsigned long long)info->cpus);
	text_put(out, header_known(info->cpu_model));
	fprintf(out, "\nMemory     %llu MiB, page size %llu\n",
	        (unsigned long long)info->memory_kib / 1024, (unsigned long long)info->page_size);
}

/* The moment that is so many seconds after the start, in text[size]. Returns text. */
static char *put_moment(const struct exp_info *info, double after_s, char *text, size_t size)
{
	time_t moment = (time_t)((double)info->start_real_ns * 1e-9 + after_s);
	struct tm date;

	if (info->start_real_ns <= 0 || !gmtime_r(&moment, &date) ||
	    strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &date) == 0)
		snprintf(text, size, "?");
	return text;
}

static void put_snapshot(FILE *out, const struct exp_info *info)
{
	char text[64];

	if (!info->snapshot_of)
		return;
	fputs("Snapshot   of ", out);
	text_put(out, info->snapshot_of);
	fprintf(out, " at %.3f seconds, %s, for process %llu\n", info->snapshot_s,
	        put_moment(info, info->snapshot_s, text, sizeof(text)),
	        (unsigned long long)info->snapshot_pid);
}

static void put_start(FILE *out, const struct exp_info *info)
{
	char text[64];

	put_field(out, "Started", put_moment(info, 0, text, sizeof(text)));
	fprintf(out, "Duration   %.3f seconds\n", info->duration_s);
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
	        info->outside && info->status == EXP_ENDED ? "over"
	                                                   : report_status(at, text, sizeof(text)));
	if (info->status == EXP_DIED && at->killed_by)
		fprintf(out, " (signal %d)%s, as its parent was told", at->killed_by,
		        at->has_core ? ", with a core dump" : "");
	else if (info->status == EXP_DIED)
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
	if (info->status == EXP_SNAPSHOT)
		fputs(", when the snapshot was made; the process went on", out);
	if (info->status == EXP_RUNNING)
		fputs(": what is recorded so far", out);
	if (info->outside) {
		fputs("; sampled from outside, exit status unknown: ", out);
		text_put(out, info->outside);
	}
	fputc('\n', out);
}

/* Lines of a page, also where no terminal sets a width. */
static size_t page_columns(const FILE *out)
{
	size_t columns = terminal_columns(out);
	const size_t page = 100, least = 40;

	if (columns == 0 || columns > page)
		return page;
	return columns < least ? least : columns;
}

static void put_newest(FILE *out, const struct dataset_experiment *at)
{
	char text[256];

	if (newest_text(at, text, sizeof(text)))
		put_field(out, "Kept", text);
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
			text_put(out, header_known(report_attribute(event, "rank")));
			fputs("; MPI_Init has not been called, or did not end\n", out);
		} else if (strcmp(event->kind, "mpi_abort") == 0) {
			fputs("MPI        MPI_Abort was called, error code ", out);
			text_put(out, header_known(report_attribute(event, "code")));
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
	put_field(out, "Program", header_known(info->program));
	fprintf(out, "Process    pid %lld, parent %lld%s%s\n", (long long)info->pid,
	        (long long)info->ppid, info->lineage[0] ? ", lineage " : "", info->lineage);
	if (info->is_attached)
		fprintf(out,
		        "Attached   after %.3f seconds of CPU time: what was before is not recorded, and blocks from before are unknown\n",
		        (double)info->earlier_ns * 1e-9);
	put_mpi(out, dataset, at);
	put_field(out, "Directory", header_known(info->cwd));
	put_host(out, info);
	put_start(out, info);
	put_status(out, dataset, at);
	put_snapshot(out, info);
	put_newest(out, at);
	put_field(out, "Recorded", header_known(experiment_setting(at->experiment, "command", "")));
	header_put_settings(out, info, page_columns(out));
	fprintf(out, "Clock      %s, %.3f MHz\n",
	        info->clock_is_tsc ? "TSC" : "CLOCK_MONOTONIC_RAW", info->clock_hz / 1e6);
	header_put_sampler(out, at->experiment);
	header_put_counters(out, at->experiment);
	put_heap(out, at);
	for (size_t i = 0; i < info->jit_note_count; i++)
		put_field(out, i == 0 ? "JIT code" : "", info->jit_notes[i]);
	put_java(out, at->experiment);
	put_field(out, "Format", info->version);
	header_put_troubles(out, dataset, at);
}

/* Without a number, those that came with a founder have a line there instead. */
static int is_summarized(const struct dataset *dataset, const struct command_argument *argument,
                         const struct dataset_experiment *at)
{
	const struct dataset_experiment *founder = NULL;

	if (argument->text || at->founder == 0)
		return 0;
	while ((founder = dataset_next(dataset, founder)) && founder->id != at->founder)
		;
	return founder != NULL;
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
		if (is_summarized(dataset, argument, at))
			continue;
		put_header(dataset, output, at);
		if (!argument->text)
			header_put_descendants(output->out, dataset, at);
		fputc('\n', output->out);
	}
	output_forget(output); /* it is a part of the header, also after other views */
	quality_put(dataset, output);
	fputc('\n', output->out);
}
