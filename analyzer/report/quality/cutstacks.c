/* cutstacks.c: stacks of the kernel's samples that are cut. See cutstacks.h. */
#include "analyzer/report/quality/cutstacks.h"

#include "analyzer/report/report.h"
#include "format/layout.h"

#include <stdlib.h>
#include <string.h>

/* Stacks of code without frame pointers, walked by frame pointers, are recognized by their ends. */
static void put_frameless(const struct dataset *dataset, const struct output *output)
{
	uint64_t samples = 0, one_frame = 0, cut = 0;

	for (size_t i = 0; i < dataset->count; i++) {
		const struct experiment *experiment = dataset->experiments[i].experiment;

		if (strcmp(experiment_setting(experiment, "sampler_stack", "0"), "0") != 0)
			continue;
		samples += experiment_counter(experiment, "sampler_samples", 0);
		one_frame += experiment_counter(experiment, "sampler_one_frame", 0);
		cut += experiment_counter(experiment, "sampler_cut_stacks", 0);
	}
	if ((one_frame + cut) * 4 > samples)
		fprintf(output->out,
		        "# sampler: %.1f %% of the stacks have one frame only, %.1f %% are cut: code without frame pointers; "
		        "--sampler=1m,stack finds whole ones\n",
		        report_percent(one_frame, samples), report_percent(cut, samples));
}

int cutstacks_are_many(const struct experiment *experiment, double *share, char *text, size_t size)
{
	uint64_t samples = experiment_counter(experiment, "sampler_samples", 0),
		 cut = experiment_counter(experiment, "sampler_cut_stacks", 0);
	unsigned long long kb = strtoull(experiment_setting(experiment, "sampler_stack", "0"), NULL,
	                                 10) >>
	                        10;

	*share = report_percent(cut, samples);
	snprintf(
		text, size,
		"where they are longer than the %llu KB that were copied, --sampler=1m,stack:%llu finds more",
		kb, kb < FMT_STACK_KB_MAX / 2 ? 2 * kb : FMT_STACK_KB_MAX);
	return kb > 0 && kb<FMT_STACK_KB_MAX && * share> 25;
}

static void put_cut(const struct dataset *dataset, const struct output *output)
{
	char text[160];
	double share;

	for (size_t i = 0; i < dataset->count; i++)
		if (cutstacks_are_many(dataset->experiments[i].experiment, &share, text,
		                       sizeof(text)))
			fprintf(output->out, "# sampler: %.1f %% of the stacks are cut: %s\n",
			        share, text);
}

void cutstacks_put(const struct dataset *dataset, const struct output *output)
{
	put_frameless(dataset, output);
	put_cut(dataset, output);
}
