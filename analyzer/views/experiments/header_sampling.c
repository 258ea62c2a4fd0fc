/* header_sampling.c: what --sampler and the counters of -h did, in the header. */
#include "analyzer/views/experiments/header.h"

#include "analyzer/base/text.h"
#include "analyzer/report/quality/cutstacks.h"
#include "format/fxt.h"
#include "format/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If the share of samples asked for is below this, many threads end before their first one. */
#define SAMPLED_LITTLE 0.8

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
	if (cutstacks_are_many(experiment, &share, remedy, sizeof(remedy)))
		fprintf(out, "           %s\n", remedy);
}

/* What --sampler did. Without counts, it was refused, or its helper is still writing. */
void header_put_sampler(FILE *out, const struct experiment *experiment)
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
	if (samples * period_us * 1e-6 < SAMPLED_LITTLE * cpu_s &&
	    strcmp(experiment_setting(experiment, "sampler_cpus", "off"), "on") != 0)
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
void header_put_counters(FILE *out, const struct experiment *experiment)
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
