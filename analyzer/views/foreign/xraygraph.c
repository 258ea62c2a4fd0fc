/* xraygraph.c: the calls between functions in a foreign log, as llvm-xray graph prints them. */
#include "analyzer/views/view.h"

#include "experiment/xray/xraylog.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/views/foreign/xraylogs.h"

#include <stdlib.h>

/* Function 0 stands for the callers of the outermost functions. */
struct edge {
	uint32_t caller, function;
};

struct edges {
	struct edge *at; /* at[count] */
	size_t count, capacity;
};

static int by_ends(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Sort, and keep one of each. */
static void unite(struct edges *edges)
{
	size_t kept = 0;

	if (edges->count > 1)
		qsort(edges->at, edges->count, sizeof(*edges->at), by_ends);
	for (size_t i = 0; i < edges->count; i++)
		if (kept == 0 || by_ends(&edges->at[kept - 1], &edges->at[i]) != 0)
			edges->at[kept++] = edges->at[i];
	edges->count = kept;
}

enum { UNITE_AT = 1 << 16 };

/* The edges stay few: equal ones are united whenever there is no room for more. */
static void add(struct edges *edges, uint32_t caller, uint32_t function)
{
	if (edges->count >= UNITE_AT && edges->count == edges->capacity)
		unite(edges);
	edges->at = memory_grow(edges->at, edges->count, &edges->capacity, sizeof(*edges->at));
	edges->at[edges->count++] = (struct edge){caller, function};
}

struct finder {
	struct edges *edges;
	uint32_t *open;
	size_t depth, capacity;
	uint32_t tid;
};

/* A call counts where it ends. */
static int find_edge(void *context, const struct xraylog_record *record)
{
	struct finder *finder = context;
	size_t at;

	if (record->tid != finder->tid)
		finder->depth = 0;
	finder->tid = record->tid;
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		finder->open = memory_grow(finder->open, finder->depth, &finder->capacity,
		                           sizeof(*finder->open));
		finder->open[finder->depth++] = record->function;
	}
	if (record->kind != XRAYLOG_EXIT && record->kind != XRAYLOG_TAIL_EXIT)
		return 0;
	for (at = finder->depth; at > 0 && finder->open[at - 1] != record->function;)
		at--;
	if (at == 0)
		return 0;
	finder->depth = at - 1;
	add(finder->edges, finder->depth == 0 ? 0 : finder->open[finder->depth - 1],
	    record->function);
	return 0;
}

static void find_edges(const struct xraylog *log, struct edges *edges)
{
	struct finder finder = {.edges = edges};

	xraylogs_each(log, find_edge, &finder);
	free(finder.open);
}

static int by_function(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return (a->function > b->function) - (a->function < b->function);
}

/* In the quotes of a graph. */
static void put_label(FILE *out, const char *name)
{
	char *shown = text_escape(name);

	for (const char *at = shown; *at; at++)
		fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
	free(shown);
}

static void put_graph(FILE *out, const struct xraylogs_source *source)
{
	struct edges edges = {.count = 0};

	find_edges(source->log, &edges);
	unite(&edges);
	fputs("digraph xray {\n", out);
	for (size_t i = 0; i < edges.count; i++)
		fprintf(out, "F%u -> F%u [label=\"\"];\n", edges.at[i].caller,
		        edges.at[i].function);
	if (edges.count > 1)
		qsort(edges.at, edges.count, sizeof(*edges.at), by_function);
	for (size_t i = 0; i < edges.count; i++)
		if (i == 0 || edges.at[i].function != edges.at[i - 1].function) {
			char number[XRAYLOGS_NUMBER];

			fprintf(out, "F%u [label=\"", edges.at[i].function);
			put_label(out, xraylogs_name(source, edges.at[i].function, "#", number));
			fputs("\"];\n", out);
		}
	fputs("}\n", out);
	free(edges.at);
}

void view_graph(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	xraylogs_put(dataset, output, "graph", put_graph);
}
