/* dot.c: the graph of calls for Graphviz: a node a function, the hotter the redder; an edge
 * a caller and a callee, the thicker the more passes through it. What is below half a percent is
 * left out, and counted in the label. The metric is the one that tables are sorted by; all others
 * stand in tooltips. */
#include "analyzer/export/export.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"

#include "experiment/base/printable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_SHARE = 200, EDGE_SHARE = 500 }; /* a part of the total as small as this is not drawn */

struct graph {
	struct export_job *job;
	const struct tree *tree;
	const struct fold *fold;
	uint64_t sum;
};

/* Text inside double quotes: what DOT gives a meaning is escaped, and \xNN stands for what cannot
 * be printed. */
static void put_text(FILE *out, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (size == 0)
			fprintf(out, "\\\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
}

static double share(const struct graph *graph, uint64_t value)
{
	return graph->sum != 0 ? (double)value / (double)graph->sum : 0;
}

static uint64_t own_of(const struct graph *graph, uint32_t item)
{
	return columns_at(&graph->fold->own, item, graph->job->metric);
}

static uint64_t total_of(const struct graph *graph, uint32_t item)
{
	return columns_at(&graph->fold->total, item, graph->job->metric);
}

static int is_drawn(const struct graph *graph, uint32_t item)
{
	uint64_t total = total_of(graph, item);

	return item != 0 && total != 0 && total >= graph->sum / NODE_SHARE;
}

static void put_tooltip(const struct graph *graph, uint32_t item)
{
	const struct export_job *job = graph->job;
	const struct sym_function *function = graph->tree->items[item].function;
	char own[METRIC_TEXT_MAX], total[METRIC_TEXT_MAX];

	fputs(", tooltip=\"", job->out);
	put_text(job->out, function->name);
	if (function->object) {
		fputs(" in ", job->out);
		put_text(job->out, function->object->path);
	}
	for (size_t i = 0; i < job->metric_count; i++) {
		unsigned metric = job->metrics[i];

		fprintf(job->out, "\\n%s: %s of %s", metric_meaning(metric),
		        metric_format(metric, columns_at(&graph->fold->own, item, metric), own),
		        metric_format(metric, columns_at(&graph->fold->total, item, metric),
		                      total));
	}
	fputc('"', job->out);
}

static void put_node(const struct graph *graph, uint32_t item)
{
	const struct export_job *job = graph->job;
	char own[METRIC_TEXT_MAX], total[METRIC_TEXT_MAX];
	char *name = name_function(job->choices, graph->tree->items[item].function);
	double hot = share(graph, own_of(graph, item));

	fprintf(job->out, "  n%u [label=\"", item);
	put_text(job->out, name);
	fprintf(job->out, "\\n%s (%.1f %%)\\nof %s (%.1f %%)\"",
	        metric_format(job->metric, own_of(graph, item), own), 100 * hot,
	        metric_format(job->metric, total_of(graph, item), total),
	        100 * share(graph, total_of(graph, item)));
	/* Hue 0 is red; the saturation tells how hot. A tenth of the total is already half the way.
	 */
	fprintf(job->out, ", fillcolor=\"0.0 %.3f 1.0\", fontsize=%d",
	        hot <= 0 ? 0.0 : hot / (hot + 0.1), 10 + (int)(14 * fmin(hot, 1)));
	put_tooltip(graph, item);
	fputs("]\n", job->out);
	free(name);
}

static void put_edge(const struct graph *graph, const struct fold_edges *edges, size_t number)
{
	const struct fold_edge *edge = &edges->edges[number];
	uint64_t value = columns_at(&edges->as_caller, number, graph->job->metric);
	char text[METRIC_TEXT_MAX];

	if (!is_drawn(graph, edge->caller) || !is_drawn(graph, edge->callee) || value == 0 ||
	    value < graph->sum / EDGE_SHARE)
		return;
	fprintf(graph->job->out, "  n%u -> n%u [label=\"%s\", penwidth=%.2f, weight=%d]\n",
	        edge->caller, edge->callee, metric_format(graph->job->metric, value, text),
	        0.5 + 5 * share(graph, value), 1 + (int)(100 * fmin(share(graph, value), 1)));
}

void export_dot(struct export_job *job)
{
	struct graph graph = {.job = job,
	                      .tree = dataset_tree(job->dataset, TREE_FUNCTIONS),
	                      .fold = dataset_fold(job->dataset, TREE_FUNCTIONS)};
	const struct fold_edges *edges = dataset_edges(job->dataset);
	size_t hidden = 0, items = graph.tree->item_count;
	char text[METRIC_TEXT_MAX];

	graph.sum = graph.tree->sum.of[job->metric];
	for (uint32_t item = 1; item < items; item++)
		hidden += total_of(&graph, item) != 0 && !is_drawn(&graph, item);
	fprintf(job->out,
	        "digraph calls {\n  graph [label=\"%s: %s in all; %zu functions of less than 0.5 %% not shown\", labelloc=t]\n",
	        metric_meaning(job->metric), metric_format(job->metric, graph.sum, text), hidden);
	fputs("  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"]\n"
	      "  edge [fontname=\"sans-serif\", fontsize=9]\n",
	      job->out);
	for (uint32_t item = 1; item < items; item++)
		if (is_drawn(&graph, item))
			put_node(&graph, item);
	for (size_t i = 0; i < edges->count; i++)
		put_edge(&graph, edges, i);
	fputs("}\n", job->out);
}
