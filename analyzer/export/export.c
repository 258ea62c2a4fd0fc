/* export.c: the command that writes call stacks for other tools. */
#include "analyzer/export/export.h"

#include "analyzer/base/nearest.h"
#include "analyzer/base/output.h"
#include "analyzer/views/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	void (*run)(struct export_job *job);
} formats[] = {
	{"folded", export_folded},
	{"folded-threads", export_folded_threads},
	{"speedscope", export_speedscope},
	{"pprof", export_pprof},
	{"callgrind", export_callgrind},
	{"firefox", export_firefox},
	{"dot", export_dot},
	{"fxt", export_fxt},
	{"chrome", export_chrome},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* The metrics that have data, and the one to be sorted by if it is measured. */
static void choose_metrics(struct export_job *job)
{
	const struct session *session = job->session;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) & session->have && metric_unit_of(id) != METRIC_UNIT_RATIO)
			job->metrics[job->metric_count++] = id;
	job->metric = session->sort.metric.id;
	if (job->metric_count > 0 &&
	    (job->metric >= METRIC_VALUES || !(metric_data_of(job->metric) & session->have)))
		job->metric = job->metrics[0];
}

/* Returns 0, or -1 after a message. */
static int run_to(struct session *session, size_t format, const char *path, FILE *out)
{
	struct export_job job = {.session = session, .out = out};

	choose_metrics(&job);
	if (job.metric_count == 0 || !session_next(session, NULL)) {
		session_fail(session, EXIT_TROUBLE, "export: no data to export");
		return -1;
	}
	job.functions = tree_create(TREE_FUNCTIONS, symbols_total(session->symbols));
	formats[format].run(&job);
	tree_destroy(job.functions);
	if (fflush(out) != 0 || ferror(out) || job.trouble) {
		session_fail(session, EXIT_TROUBLE, "export: %s: cannot be written", path);
		return -1;
	}
	return 0;
}

static void run(struct session *session, size_t format, const char *path)
{
	FILE *out;
	int status;

	/* An export is no document in itself. */
	if (strcmp(path, "-") == 0) {
		run_to(session, format, "standard output", print_sink(session));
		return;
	}
	out = output_open(path);
	if (!out) {
		session_fail(session, EXIT_TROUBLE, "export: %s: %s", path, strerror(errno));
		return;
	}
	status = run_to(session, format, path, out);
	if (output_close(out, status == 0) != 0 && status == 0)
		session_fail(session, EXIT_TROUBLE, "export: %s: cannot be written", path);
}

void view_export(struct session *session, const struct command_argument *argument)
{
	const char *names[FORMATS], *near;

	if (!argument->text) {
		session_fail(session, EXIT_USAGE, "export: needs FORMAT FILE");
		return;
	}
	if (strcasecmp(argument->text, "sampler") == 0) {
		export_sampler(session, argument->second);
		return;
	}
	for (size_t i = 0; i < FORMATS; i++) {
		names[i] = formats[i].name;
		if (strcasecmp(argument->text, formats[i].name) != 0)
			continue;
		run(session, i, argument->second);
		return;
	}
	near = nearest_of(argument->text, names, FORMATS);
	session_fail(
		session, EXIT_USAGE,
		"export: '%.40s' is not folded, folded-threads, speedscope, pprof, callgrind, firefox, dot, fxt, chrome or sampler%s%s%s",
		argument->text, near ? " (did you mean '" : "", near ? near : "",
		near ? "'?)" : "");
}
