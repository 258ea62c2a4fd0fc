/* export.c: the command that writes call stacks for other tools, and what their formats have in common. */
#include "export.h"

#include "nearest.h"
#include "output.h"
#include "report.h"
#include "view.h"

#include "format/fxt.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	void (*run)(struct export_job *job);
} formats[] = {
	{"folded", export_folded},       {"folded-threads", export_folded_threads},
	{"speedscope", export_speedscope}, {"pprof", export_pprof},
	{"callgrind", export_callgrind}, {"firefox", export_firefox},
	{"dot", export_dot},
	{"fxt", export_fxt},             {"chrome", export_chrome},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

const char *export_unit(unsigned metric, const char *const names[3])
{
	switch (metric_unit_of(metric)) {
	case METRIC_UNIT_SECONDS:
		return names[0];
	case METRIC_UNIT_BYTES:
		return names[1];
	case METRIC_UNIT_COUNT:
	case METRIC_UNIT_HEX:
	case METRIC_UNIT_TEXT:
	case METRIC_UNIT_RATIO:
		return names[2];
	}
	return names[2];
}

size_t export_function_number(struct export_job *job, const struct sym_function *function)
{
	const struct sym_frame frame = {.function = function};
	uint32_t node = tree_child(job->functions, TREE_ROOT, &frame);

	return job->functions->nodes[node].item;
}

const struct sym_function *export_function(const struct export_job *job, size_t number)
{
	return job->functions->items[number].function;
}

size_t export_function_count(const struct export_job *job)
{
	return job->functions->item_count;
}

void export_number_functions(struct export_job *job, const struct tree *tree)
{
	for (size_t i = 0; i < tree->item_count; i++)
		export_function_number(job, tree->items[i].function);
}

size_t export_pcs(const struct exp_nodes *nodes, uint32_t node, uint64_t *pcs)
{
	size_t count = 0;

	while (node < nodes->count && count < FXT_SAMPLE_PCS_MAX) {
		if (nodes->pc[node] >= FMT_PC_MARKS)
			pcs[count++] = nodes->pc[node];
		node = nodes->parent[node] < node ? nodes->parent[node] : EXP_NO_INDEX;
	}
	return count;
}

int64_t export_start_ns(const struct session *session)
{
	int64_t start_ns = 0;
	const struct session_experiment *at = NULL;

	while ((at = session_next(session, at)) != NULL)
		if (start_ns == 0 || at->info->start_real_ns < start_ns)
			start_ns = at->info->start_real_ns;
	return start_ns;
}

/* The metrics that have data, and the one to be sorted by if it is measured. */
static void choose_metrics(struct export_job *job)
{
	const struct session *session = job->session;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) & session->have && metric_unit_of(id) != METRIC_UNIT_RATIO)
			job->metrics[job->metric_count++] = id;
	job->metric = session->sort.metric.id;
	if (job->metric_count > 0 && (job->metric >= METRIC_VALUES || !(metric_data_of(job->metric) & session->have)))
		job->metric = job->metrics[0];
}

/* Returns 0, or -1 after a message. */
static int run_to(struct session *session, size_t format, const char *path, FILE *out)
{
	struct export_job job = {.session = session, .out = out};

	choose_metrics(&job);
	if (job.metric_count == 0 || session_next(session, NULL) == NULL) {
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
	if (out == NULL) {
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

	if (argument->text == NULL) {
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
	session_fail(session, EXIT_USAGE,
		     "export: '%.40s' is not folded, folded-threads, speedscope, pprof, callgrind, firefox, dot, fxt, chrome or sampler%s%s%s", argument->text,
		     near != NULL ? " (did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?)" : "");
}
