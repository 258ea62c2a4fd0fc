/* listing.c: see listing.h. Each kind of data has a line, which is put by put_ID, with ID of
 * format/datakind.def: without that this file does not compile. */
#include "collect/experiment/listing.h"

#include "collect/base/quote.h"
#include "collect/machine/counters.h"

typedef void put_setting(const struct listing *listing, FILE *out);

static const char *on_off(int is_on)
{
	return is_on ? "on" : "off";
}

/* ---- what is recorded ---- */

static void put_experiment(const struct listing *listing, FILE *out)
{
	fputs(listing->experiment, out);
}

static void put_program(const struct listing *listing, FILE *out)
{
	fputs(listing->target->path, out);
}

static void put_command(const struct listing *listing, FILE *out)
{
	static char line[QUOTE_MAX];

	quote_command(listing->target->argv, line, sizeof(line));
	fputs(line, out);
}

/* ---- kinds of data ---- */

static void put_PROFILE(const struct listing *listing, FILE *out)
{
	const struct profileclock *clock = &listing->request->clock;
	uint64_t us = listing->request->profile_us;

	fprintf(out, "%llu us%s", (unsigned long long)us, us ? "" : " (off)");
	if (us && clock->kind != PROFILECLOCK_NONE)
		fputs(clock->kind == PROFILECLOCK_PERF ? " (perf events)" : " (CPU timers)", out);
}

static void put_SYNC(const struct listing *listing, FILE *out)
{
	fputs(on_off(listing->request->sync != 0), out);
	if (listing->request->sync)
		fprintf(out, ", waits of at least %llu ns",
		        (unsigned long long)listing->request->sync_threshold_ns);
}

/* Those that are on or off. */
#define SWITCH(field, kind, key, form, meaning) \
	static void put_##kind(const struct listing *listing, FILE *out) \
	{ \
		fputs(on_off(listing->request->field != 0), out); \
	}
#include "format/datakind.def"

static void put_MPI(const struct listing *listing, FILE *out)
{
	fprintf(out, "%s, launcher %s", on_off(options_traces_mpi(listing->request)),
	        listing->request->mpi_launcher);
}

static void put_USER(const struct listing *listing, FILE *out)
{
	const struct hooks *hooks = &listing->request->hooks;

	fprintf(out, "%s%s", on_off(!hooks->is_off), hooks->is_list ? ", some hooks" : "");
}

static void put_sampler(const struct listing *listing, FILE *out)
{
	const struct request *request = listing->request;

	fprintf(out, "%llu us%s%s%s", (unsigned long long)request->sampler_ns / 1000,
	        request->sampler_ns ? "" : " (off)",
	        request->sampler_timers  ? " (by timers)"
	        : request->sampler_stack ? " (stacks)"
	                                 : "",
	        request->sampler_cpus ? " (of each CPU)" : "");
}

static void put_COUNTERS(const struct listing *listing, FILE *out)
{
	char counters[COUNTERS_TEXT];

	counters_text(&listing->request->counters, counters);
	fputs(counters[0] ? counters : "off", out);
}

static void put_kernel(const struct listing *listing, FILE *out)
{
	fputs(on_off(listing->request->kernel), out);
}

static void put_OMP(const struct listing *listing, FILE *out)
{
	fputs(options_omp(listing->request), out);
}

static void put_java(const struct listing *listing, FILE *out)
{
	fputs(on_off(listing->request->java != JAVA_OFF), out);
}

static void put_FUNCTRACE(const struct listing *listing, FILE *out)
{
	const struct calls *calls = &listing->request->calls;

	fputs(on_off(listing->request->functrace != 0), out);
	if (calls->names[0])
		fprintf(out, ", %s", calls->names);
	if (calls->depth)
		fprintf(out, ", depth %llu", (unsigned long long)calls->depth);
	if (calls->min_ns)
		fprintf(out, ", calls of at least %llu ns", (unsigned long long)calls->min_ns);
	fputs(calls->returns ? ", returns" : "", out);
}

/* ---- how much, and of whom ---- */

static void put_samples(const struct listing *listing, FILE *out)
{
	uint64_t ms = listing->request->sample_ms;

	fprintf(out, "%llu ms%s", (unsigned long long)ms, ms ? "" : " (off)");
}

static void put_archive(const struct listing *listing, FILE *out)
{
	fputs(listing->request->archive, out);
}

static void put_descendants(const struct listing *listing, FILE *out)
{
	fputs(listing->request->follow, out);
}

static void put_library(const struct listing *listing, FILE *out)
{
	fputs(listing->library, out);
}

/* When events are recorded, which of them, how many, and how small: nothing if it is as always. */
static void print_bounds(const struct request *request, FILE *out)
{
	if (request->compress == COMPRESS_ON)
		fputs("data files   compressed at the end\n", out);
	if (request->heap_mean)
		fprintf(out, "heap mean    %llu bytes\n", (unsigned long long)request->heap_mean);
	if (request->from_ms || request->to_ms)
		fprintf(out, "from         %llu ms\n", (unsigned long long)request->from_ms);
	if (request->to_ms)
		fprintf(out, "to           %llu ms\n", (unsigned long long)request->to_ms);
	if (request->pause_signal)
		fprintf(out, "pauses       signal %d, %s at the start\n", request->pause_signal,
		        request->start_paused ? "paused" : "recording");
	if (request->sample_signal)
		fprintf(out, "sample       signal %d\n", request->sample_signal);
	if (request->snapshot_signal)
		fprintf(out, "snapshot     signal %d\n", request->snapshot_signal);
	if (request->snapshot_crash)
		fprintf(out, "snapshot     after a crash\n");
	if (request->snapshot_wait_ms)
		fprintf(out, "snapshot     waits for locks of %llu ms\n",
		        (unsigned long long)request->snapshot_wait_ms);
	if (request->limit_bytes)
		fprintf(out, "limit        %llu MiB\n",
		        (unsigned long long)request->limit_bytes >> 20);
	if (request->keep_bytes)
		fprintf(out, "keep         the newest %.10g MiB\n",
		        (double)request->keep_bytes / (1 << 20));
	if (request->keep_ms)
		fprintf(out, "keep         the last %.10g s\n", (double)request->keep_ms / 1e3);
}

static const struct {
	const char *label;
	put_setting *put;
} lines[] = {
	{"experiment", put_experiment}, {"program", put_program}, {"command", put_command},
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, ...) \
	{word, put_##id},
#include "format/datakind.def"
	{"sampler", put_sampler},       {"kernel", put_kernel},   {"java", put_java},
	{"samples", put_samples},       {"archive", put_archive}, {"descendants", put_descendants},
	{"collector", put_library},
};

void listing_print(const struct listing *listing, FILE *out)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fprintf(out, "%-12s ", lines[i].label);
		lines[i].put(listing, out);
		fputc('\n', out);
	}
	print_bounds(listing->request, out);
}
