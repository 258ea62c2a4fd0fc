/* speedscope.c: the file format of speedscope
 * (https://www.speedscope.app/file-format-schema.json): an evented profile for each metric of all
 * threads together, then one for each thread and metric, in which every node of the call tree opens
 * and closes once, so that the file grows with the tree and not with stacks times depth. Frames are
 * functions. */
#include "analyzer/export/export.h"

#include "analyzer/model/name.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

static const char *const units[3] = {"nanoseconds", "bytes", "none"};

static void put_string(FILE *out, const char *text)
{
	print_json_string(out, text, strlen(text));
}

static void put_event(struct export_job *job, int *is_first, char type, const struct tree *tree,
                      uint32_t node, uint64_t at)
{
	fprintf(job->out, "%s\n    {\"type\": \"%c\", \"frame\": %zu, \"at\": %llu}",
	        *is_first ? "" : ",", type,
	        export_function_number(job, tree->items[tree->nodes[node].item].function),
	        (unsigned long long)at);
	*is_first = 0;
}

/* Depth first: a node opens, its own value passes, its children follow, it closes. */
static void put_events(struct export_job *job, const struct tree *tree, unsigned metric)
{
	uint32_t node = tree->nodes[TREE_ROOT].first_child;
	uint64_t at = tree_own(tree, TREE_ROOT, metric);
	int is_first = 1;

	while (node != TREE_NONE) {
		int is_worth = tree_total(tree, node, metric) != 0;

		if (is_worth) {
			put_event(job, &is_first, 'O', tree, node, at);
			at += tree_own(tree, node, metric);
			if (tree->nodes[node].first_child != TREE_NONE) {
				node = tree->nodes[node].first_child;
				continue;
			}
			put_event(job, &is_first, 'C', tree, node, at);
		}
		while (tree->nodes[node].next_sibling == TREE_NONE &&
		       tree->nodes[node].parent != TREE_ROOT) {
			node = tree->nodes[node].parent;
			put_event(job, &is_first, 'C', tree, node, at);
		}
		node = tree->nodes[node].next_sibling;
	}
}

static void put_profile(struct export_job *job, const struct export_part *part, unsigned metric,
                        int is_first)
{
	char name[512];

	if (part->at)
		snprintf(name, sizeof(name), "%s, %s: %s", part->name, part->thread_name,
		         metric_meaning(metric));
	else
		snprintf(name, sizeof(name), "All threads: %s", metric_meaning(metric));
	fprintf(job->out, "%s\n  {\"type\": \"evented\", \"name\": ", is_first ? "" : ",");
	put_string(job->out, name);
	fprintf(job->out,
	        ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %llu, \"events\": [",
	        export_unit(metric, units), (unsigned long long)part->tree->sum.of[metric]);
	put_events(job, part->tree, metric);
	fputs("]}", job->out);
}

/* The metric that tables are sorted by comes first: the viewer opens with it. */
static void put_part(struct export_job *job, const struct export_part *part, void *context)
{
	int *is_first = context;

	for (size_t i = 0; i <= job->metric_count; i++) {
		unsigned metric = i == 0 ? job->metric : job->metrics[i - 1];

		if (part->tree->sum.of[metric] == 0 || (i > 0 && metric == job->metric))
			continue;
		put_profile(job, part, metric, *is_first);
		*is_first = 0;
	}
}

/* All functions by number. They are known only when all parts are done. */
static void put_frames(struct export_job *job)
{
	size_t count = export_function_count(job);

	for (size_t i = 0; i < count; i++) {
		const struct sym_function *function = export_function(job, i);
		char *name = name_function(job->choices, function);

		fprintf(job->out, "%s\n  {\"name\": ", i ? "," : "");
		put_string(job->out, name);
		if (function->file) {
			fputs(", \"file\": ", job->out);
			put_string(job->out, function->file);
		}
		if (function->file && function->line != 0)
			fprintf(job->out, ", \"line\": %u", function->line);
		fputc('}', job->out);
		free(name);
	}
}

void export_speedscope(struct export_job *job)
{
	int is_first = 1;

	fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
	      " \"exporter\": \"xer_print " XER_VERSION "\",\n \"profiles\": [",
	      job->out);
	export_each(job, TREE_FUNCTIONS, EXPORT_ALL, put_part, &is_first);
	export_each(job, TREE_FUNCTIONS, EXPORT_THREADS, put_part, &is_first);
	fputs("],\n \"shared\": {\"frames\": [", job->out);
	put_frames(job);
	fputs("]}}\n", job->out);
}
