/* export.c: the command that writes call stacks for other tools. */
#include "analyzer/export/export.h"

#include "format/nearest.h"
#include "analyzer/base/outfile.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	void (*run)(struct export_job *job);
} formats[] = {
#define FORMAT(name, function) {name, function},
#define DIRECTORY_FORMAT(name)
#include "analyzer/export/format.def"
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* The metrics that have data, and the one to be sorted by if it is measured. */
static void choose_metrics(struct export_job *job)
{
	const struct dataset *dataset = job->dataset;
	const struct choices *choices = job->choices;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) & dataset->have && metric_unit_of(id) != METRIC_UNIT_RATIO)
			job->metrics[job->metric_count++] = id;
	job->metric = choices->sort.metric.id;
	if (job->metric_count > 0 &&
	    (job->metric >= METRIC_VALUES || !(metric_data_of(job->metric) & dataset->have)))
		job->metric = job->metrics[0];
}

/* Returns 0, or -1 after a message. */
static int run_to(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, size_t format, const char *path, FILE *out)
{
	struct export_job job = {
		.dataset = dataset, .choices = choices, .output = output, .out = out};

	choose_metrics(&job);
	if (job.metric_count == 0 || !dataset_next(dataset, NULL)) {
		output_fail(output, EXIT_TROUBLE, "export: no data to export");
		return -1;
	}
	job.functions = tree_create(TREE_FUNCTIONS, symbols_total(dataset->symbols));
	formats[format].run(&job);
	tree_destroy(job.functions);
	if (fflush(out) != 0 || ferror(out) || job.trouble) {
		output_fail(output, EXIT_TROUBLE, "export: %s: cannot be written", path);
		return -1;
	}
	return 0;
}

static void run(const struct dataset *dataset, const struct choices *choices, struct output *output,
                size_t format, const char *path)
{
	FILE *out;
	int status;

	/* An export is no document in itself. */
	if (strcmp(path, "-") == 0) {
		run_to(dataset, choices, output, format, "standard output", print_sink(output));
		return;
	}
	out = outfile_open(path);
	if (!out) {
		output_fail(output, EXIT_TROUBLE, "export: %s: %s", path, strerror(errno));
		return;
	}
	status = run_to(dataset, choices, output, format, path, out);
	if (outfile_close(out, status == 0) != 0 && status == 0)
		output_fail(output, EXIT_TROUBLE, "export: %s: cannot be written", path);
}

void view_export(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	const char *names[FORMATS], *near;

	if (!argument->text) {
		output_fail(output, EXIT_USAGE, "export: needs FORMAT FILE");
		return;
	}
	if (strcasecmp(argument->text, "sampler") == 0) {
		export_sampler(dataset, output, argument->second);
		return;
	}
	for (size_t i = 0; i < FORMATS; i++) {
		names[i] = formats[i].name;
		if (strcasecmp(argument->text, formats[i].name) != 0)
			continue;
		run(dataset, choices, output, i, argument->second);
		return;
	}
	near = nearest_of(argument->text, names, FORMATS);
	output_fail(
		output, EXIT_USAGE,
		"export: '%.40s' is not folded, folded-threads, speedscope, pprof, callgrind, firefox, dot, fxt, chrome or sampler%s%s%s",
		argument->text, near ? " (did you mean '" : "", near ? near : "",
		near ? "'?)" : "");
}
