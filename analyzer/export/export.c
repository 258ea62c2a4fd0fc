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
#include "analyzer/export/format.def"
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* Formats of files that something else writes. */
static const struct {
	const char *name;
	char *(*run)(struct export_job *job, const char *path);
} file_formats[] = {
#define FILE_FORMAT(name, function) {name, function},
#include "analyzer/export/format.def"
};
enum { FILE_FORMATS = sizeof(file_formats) / sizeof(file_formats[0]) };

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
static int begin(struct export_job *job)
{
	choose_metrics(job);
	if (job->metric_count == 0 || !dataset_next(job->dataset, NULL)) {
		output_fail(job->output, EXIT_TROUBLE, "export: no data to export");
		return -1;
	}
	job->functions = tree_create(TREE_FUNCTIONS, symbols_total(job->dataset->symbols));
	return 0;
}

/* The same. */
static int run_to(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, size_t format, const char *path, FILE *out)
{
	struct export_job job = {
		.dataset = dataset, .choices = choices, .output = output, .out = out};

	if (begin(&job) != 0)
		return -1;
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

static void run_file(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, size_t format, const char *path)
{
	struct export_job job = {.dataset = dataset, .choices = choices, .output = output};
	struct outfile *file;
	const char *name;
	char *trouble;
	int error;

	if (strcmp(path, "-") == 0) {
		output_fail(output, EXIT_USAGE, "export: %s needs a file, not standard output",
		            file_formats[format].name);
		return;
	}
	if (begin(&job) != 0)
		return;
	file = outfile_begin(path, &name);
	if (!file) {
		output_fail(output, EXIT_TROUBLE, "export: %s: %s", path,
		            errno == ENOTSUP ? "not a regular file" : strerror(errno));
		tree_destroy(job.functions);
		return;
	}
	trouble = file_formats[format].run(&job, name);
	error = outfile_end(file, !trouble);
	if (trouble)
		output_fail(output, EXIT_TROUBLE, "export: %s: cannot be written: %s", path,
		            trouble);
	else if (error != 0)
		output_fail(output, EXIT_TROUBLE, "export: %s: %s", path, strerror(-error));
	free(trouble);
	tree_destroy(job.functions);
}

void view_export(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	const char *names[FORMATS + FILE_FORMATS], *near;

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
	for (size_t i = 0; i < FILE_FORMATS; i++) {
		names[FORMATS + i] = file_formats[i].name;
		if (strcasecmp(argument->text, file_formats[i].name) != 0)
			continue;
		run_file(dataset, choices, output, i, argument->second);
		return;
	}
	near = nearest_of(argument->text, names, FORMATS + FILE_FORMATS);
	output_fail(
		output, EXIT_USAGE,
		"export: '%.40s' is not folded, folded-threads, speedscope, pprof, callgrind, firefox, dot, fxt, chrome, sqlite or sampler%s%s%s",
		argument->text, near ? " (did you mean '" : "", near ? near : "",
		near ? "'?)" : "");
}
