/* samples.c: resource usage, from sample to sample and of the whole run. */
#include "analyzer/views/view.h"

#include "analyzer/report/data.h"
#include "format/record.h"
#include "analyzer/report/report.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* What happened between two usage records; counters that went back count as unchanged. */
#define USAGE_COUNTERS(X) \
	X(minflt, "Minor page faults") \
	X(majflt, "Major page faults") \
	X(nswap, "Process swaps") \
	X(inblock, "Input blocks") \
	X(oublock, "Output blocks") \
	X(nvcsw, "Voluntary context switches") \
	X(nivcsw, "Involuntary context switches")

static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static double share(uint64_t part, double duration_s)
{
	return duration_s > 0 ? 100.0 * report_seconds(part) / duration_s : 0.0;
}

static void put_seconds(FILE *out, const char *what, uint64_t ns, double duration_s)
{
	fprintf(out, "%30s: %12.3f (%6.2f %%)\n", what, report_seconds(ns), share(ns, duration_s));
}

static void put_usage(FILE *out, const struct exp_usage *before, const struct exp_usage *after)
{
	double duration_s = after->time_s - before->time_s;

	fprintf(out, "%30s: %12.3f\n", "Start Time (sec.)", before->time_s);
	fprintf(out, "%30s: %12.3f\n", "End Time (sec.)", after->time_s);
	fprintf(out, "%30s: %12.3f\n", "Duration (sec.)", duration_s);
	put_seconds(out, "User CPU (sec.)", grown(before->user_ns, after->user_ns), duration_s);
	put_seconds(out, "System CPU (sec.)", grown(before->system_ns, after->system_ns),
	            duration_s);
	put_seconds(out, "Total CPU (sec.)", grown(before->cpu_ns, after->cpu_ns), duration_s);
	fprintf(out, "%30s: %12llu KiB\n", "Peak resident set",
	        (unsigned long long)after->maxrss_kib);
	fprintf(out, "%30s: %12llu\n", "Threads so far", (unsigned long long)after->threads);
#define X(field, what) \
	fprintf(out, "%30s: %12llu\n", what, \
	        (unsigned long long)grown(before->field, after->field));
	USAGE_COUNTERS(X)
#undef X
	fputc('\n', out);
}

static void put_name(FILE *out, const struct exp_info *info)
{
	fputs("Experiment: ", out);
	text_put(out, info->path);
	fputc('\n', out);
}

static int is_empty(FILE *out, const struct exp_data_set *data)
{
	if (data->usage_count >= 2)
		return 0;
	fputs("  no two usage samples were recorded\n\n", out);
	return 1;
}

/* What all selected processes together have used, in the time from the first's start to the last's
 * end. */
static void put_sum(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	const struct exp_usage none = {.time_s = 0};
	struct exp_usage sum = {.time_s = report_wall_seconds(dataset)};
	size_t count = 0;

	while ((at = dataset_next(dataset, at))) {
		const struct exp_usage *first = at->data->usage, *last;

		count++;
		if (at->data->usage_count < 2)
			continue;
		last = first + at->data->usage_count - 1;
		sum.user_ns += grown(first->user_ns, last->user_ns);
		sum.system_ns += grown(first->system_ns, last->system_ns);
		sum.cpu_ns += grown(first->cpu_ns, last->cpu_ns);
		sum.threads += last->threads;
		sum.maxrss_kib = last->maxrss_kib > sum.maxrss_kib ? last->maxrss_kib
		                                                   : sum.maxrss_kib;
#define X(field, what) sum.field += grown(first->field, last->field);
		USAGE_COUNTERS(X)
#undef X
	}
	if (count < 2)
		return;
	fprintf(output->out, "Sum of %zu experiments, and the highest peak:\n", count);
	put_usage(output->out, &none, &sum);
}

void view_statistics(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = NULL;

	(void)choices;
	if (argument->number == 0 && !print_is_data(output))
		put_sum(dataset, output);
	while ((at = view_next_experiment(dataset, output, "statistics", argument, at))) {
		const struct exp_data_set *data = at->data;

		if (print_is_data(output)) {
			data_usage(dataset, output, "statistics", at, 1);
			continue;
		}
		put_name(output->out, at->info);
		if (!is_empty(output->out, data))
			put_usage(output->out, &data->usage[0],
			          &data->usage[data->usage_count - 1]);
	}
}

static const char *reason_name(unsigned reason)
{
	const char *name = fmt_enum_name("sample_reason", reason);

	return name ? name : "?";
}

enum { SHARE_SIZE = 16 };

/* The first interval has also what was used before it, while the program was loaded: that is no
 * share of its time. */
static void put_share(char out[SHARE_SIZE], uint64_t part, double duration_s, uint64_t threads)
{
	if (share(part, duration_s) > 100.0 * (double)(threads > 0 ? threads : 1) + 1)
		snprintf(out, SHARE_SIZE, "-");
	else
		snprintf(out, SHARE_SIZE, "%.1f", share(part, duration_s));
}

/* One line for each interval; the first words of a row are numbers, so that it can be sorted and
 * plotted. */
static void put_interval(FILE *out, const struct exp_usage *before, const struct exp_usage *after)
{
	double duration_s = after->time_s - before->time_s;
	uint64_t user_ns = grown(before->user_ns, after->user_ns);
	uint64_t system_ns = grown(before->system_ns, after->system_ns);

	char user[SHARE_SIZE], system[SHARE_SIZE];

	put_share(user, user_ns, duration_s, after->threads);
	put_share(system, system_ns, duration_s, after->threads);
	fprintf(out, "%6u %10.3f %10.3f %9.3f %6s %9.3f %6s %9llu %7llu %8llu %8llu %10llu  %s",
	        after->number, before->time_s, duration_s, report_seconds(user_ns), user,
	        report_seconds(system_ns), system,
	        (unsigned long long)grown(before->minflt, after->minflt),
	        (unsigned long long)grown(before->majflt, after->majflt),
	        (unsigned long long)grown(before->nvcsw, after->nvcsw),
	        (unsigned long long)grown(before->nivcsw, after->nivcsw),
	        (unsigned long long)after->maxrss_kib, reason_name(after->reason));
	if (after->label && after->label[0] != '\0') {
		fputs(": ", out);
		text_put(out, after->label);
	}
	fputc('\n', out);
}

void view_sample_detail(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = NULL;
	FILE *out = output->out;

	(void)choices;
	if (print_is_data(output)) {
		at = argument->number != 0 ? view_next_experiment(dataset, output, "sample_detail",
		                                                  argument, NULL)
		                           : NULL;
		if (at || argument->number == 0)
			data_usage(dataset, output, "sample_detail", at, 0);
		return;
	}
	while ((at = view_next_experiment(dataset, output, "sample_detail", argument, at))) {
		const struct exp_data_set *data = at->data;

		put_name(out, at->info);
		if (is_empty(out, data))
			continue;
		fprintf(out, "%6s %10s %10s %9s %6s %9s %6s %9s %7s %8s %8s %10s  %s\n", "Sample",
		        "Start", "Duration", "User", "", "System", "", "Minor", "Major", "Vol.",
		        "Invol.", "Peak RSS", "End");
		fprintf(out, "%6s %10s %10s %9s %6s %9s %6s %9s %7s %8s %8s %10s\n", "", "sec.",
		        "sec.", "sec.", "%", "sec.", "%", "faults", "faults", "switches",
		        "switches", "KiB");
		for (size_t j = 1; j < data->usage_count; j++)
			put_interval(out, &data->usage[j - 1], &data->usage[j]);
		fputc('\n', out);
	}
}
