/* callgrind.c: the file format of callgrind
 * (https://valgrind.org/docs/manual/cl-format.html), which callgrind_annotate and kcachegrind read:
 * the values of each source line itself, and for each line and function called from there what the
 * call brought about. Values of callees in recursion are those of fold.h: a function's own values
 * and those of its calls add up to its inclusive value. All processes are added up. How often
 * something was called is not known: `calls=` has the number of different stacks. */
#include "analyzer/export/export.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/report/report.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	struct export_job *job;
	const struct tree *tree; /* of lines */
	const struct fold *own;  /* of the lines themselves */
	struct tree *calls;      /* below its root the lines that call, below them what they call */
	uint64_t *stacks;        /* stacks[call]: how many stacks hold it */
	size_t stack_capacity;
	size_t *path; /* path[depth]: nodes from the root */
	size_t path_capacity;
	size_t *before; /* before[depth]: what innermost had for the function of that node */
	size_t before_capacity;
	size_t *innermost; /* innermost[function]: depth + 1 of its innermost frame, 0: none */
	unsigned char *is_named; /* is_named[function]: its name was written */
};

static const struct sym_frame *frame_of(const struct writer *writer, size_t node)
{
	return &writer->tree->items[writer->tree->nodes[node].item];
}

static size_t function_of(const struct writer *writer, size_t node)
{
	return export_function_number(writer->job, frame_of(writer, node)->function);
}

/* The call of a node from its caller. */
static uint32_t find_call(struct writer *writer, size_t caller, size_t callee)
{
	struct sym_frame function = {.function = frame_of(writer, callee)->function};
	uint32_t line = tree_child(writer->calls, TREE_ROOT, frame_of(writer, caller));
	uint32_t call = tree_child(writer->calls, line, &function);

	writer->stacks = memory_reach(writer->stacks, call, &writer->stack_capacity,
	                              sizeof(*writer->stacks));
	return call;
}

/* Credit the totals of a node to a call, or take them away from it. */
static void credit(struct writer *writer, uint32_t call, size_t node, int is_less)
{
	uint32_t row = tree_row(writer->calls, call);

	for (unsigned i = 0; i < METRIC_VALUES; i++) {
		uint64_t total = tree_total(writer->tree, (uint32_t)node, i);

		if (total != 0)
			columns_add(&writer->calls->own.values, row, i, is_less ? -total : total);
	}
}

static void enter(struct writer *writer, size_t node, size_t depth)
{
	size_t function = function_of(writer, node), last = writer->innermost[function];
	uint32_t call;

	writer->path = memory_grow(writer->path, depth, &writer->path_capacity,
	                           sizeof(*writer->path));
	writer->before = memory_grow(writer->before, depth, &writer->before_capacity,
	                             sizeof(*writer->before));
	writer->path[depth] = node;
	writer->before[depth] = last;
	writer->innermost[function] = depth + 1;
	if (depth < 2) /* <Total> calls nobody */
		return;
	call = find_call(writer, writer->path[depth - 1], node);
	credit(writer, call, node, 0);
	writer->stacks[call]++;
	if (last == 0)
		return;
	/* From here on this frame is the function's innermost: the way through the one before
	 * counts no more. */
	call = find_call(writer, writer->path[last - 1], writer->path[last]);
	credit(writer, call, node, 1);
}

static void gather(struct writer *writer)
{
	uint32_t node = TREE_ROOT;
	size_t depth = 0, above;

	while (node != TREE_NONE) {
		enter(writer, node, depth);
		above = depth + 1;
		node = tree_next(writer->tree, node, &depth);
		while (node != TREE_NONE && above > depth) {
			above--;
			writer->innermost[function_of(writer,
			                              writer->path[above])] = writer->before[above];
		}
	}
}

/* Names are written once and numbered: "(3) name", then "(3)". */
static void put_function(struct writer *writer, const char *key,
                         const struct sym_function *function)
{
	size_t index = export_function_number(writer->job, function);
	FILE *out = writer->job->out;
	char *name;

	fprintf(out, "%s=(%zu)", key, index);
	if (!writer->is_named[index]) {
		name = name_function(writer->job->choices, function);
		fputc(' ', out);
		text_put(out, name);
		free(name);
	}
	writer->is_named[index] = 1;
	fputc('\n', out);
}

static void put_file(FILE *out, const char *key, const char *file)
{
	fprintf(out, "%s=", key);
	text_put(out, file ? file : "???");
	fputc('\n', out);
}

static void put_values(struct writer *writer, unsigned line, const struct metric_values *values)
{
	fprintf(writer->job->out, "%u", line);
	for (size_t i = 0; i < writer->job->metric_count; i++)
		fprintf(writer->job->out, " %llu",
		        (unsigned long long)values->of[writer->job->metrics[i]]);
	fputc('\n', writer->job->out);
}

static int compare_texts(const char *left, const char *right)
{
	return strcmp(left ? left : "", right ? right : "");
}

static int by_place(const void *left, const void *right, void *context)
{
	const struct writer *writer = context;
	const struct sym_frame *a = &writer->tree->items[*(const uint32_t *)left];
	const struct sym_frame *b = &writer->tree->items[*(const uint32_t *)right];
	size_t x = export_function_number(writer->job, a->function);
	size_t y = export_function_number(writer->job, b->function);
	int order;

	if (x != y)
		return x < y ? -1 : 1;
	order = compare_texts(a->file, b->file);
	if (order != 0)
		return order;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void put_calls(struct writer *writer, const struct sym_frame *line)
{
	const struct tree *calls = writer->calls;
	uint32_t from = tree_child(writer->calls, TREE_ROOT, line);

	for (uint32_t call = calls->nodes[from].first_child; call != TREE_NONE;
	     call = calls->nodes[call].next_sibling) {
		const struct sym_function *callee = calls->items[calls->nodes[call].item].function;
		struct metric_values values;

		if (!tree_owns_any(calls, call))
			continue;
		values = tree_own_values(calls, call);
		if (callee->object)
			put_file(writer->job->out, "cob", callee->object->path);
		put_file(writer->job->out, "cfi", callee->file);
		put_function(writer, "cfn", callee);
		fprintf(writer->job->out, "calls=%llu %u\n",
		        (unsigned long long)writer->stacks[call], callee->line);
		put_values(writer, line->line, &values);
	}
}

/* The lines of a function: its own, and those of files that were included into it. */
static void put_item(struct writer *writer, uint32_t item, const struct sym_function **function,
                     const char **file)
{
	const struct sym_frame *frame = &writer->tree->items[item];

	if (frame->function != *function) {
		fputc('\n', writer->job->out);
		put_file(writer->job->out, "ob",
		         frame->function->object ? frame->function->object->path : NULL);
		put_file(writer->job->out, "fl", frame->function->file);
		put_function(writer, "fn", frame->function);
		*file = frame->function->file;
	}
	*function = frame->function;
	/* A line that is not known is the function's. */
	if (frame->file && compare_texts(frame->file, *file) != 0) {
		put_file(writer->job->out,
		         compare_texts(frame->file, frame->function->file) == 0 ? "fe" : "fi",
		         frame->file);
		*file = frame->file;
	}
	if (columns_any(&writer->own->own, item)) {
		struct metric_values values = columns_values(&writer->own->own, item);

		put_values(writer, frame->line, &values);
	}
	put_calls(writer, frame);
}

static void put_items(struct writer *writer)
{
	const struct sym_function *function = NULL;
	const char *file = NULL;
	size_t count = writer->tree->item_count;
	uint32_t *items = memory_take(count, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (uint32_t)i;
	qsort_r(items, count, sizeof(*items), by_place, writer);
	for (size_t i = 0; i < count; i++)
		if (items[i] != writer->tree->nodes[TREE_ROOT].item)
			put_item(writer, items[i], &function, &file);
	free(items);
}

static void put_sum(struct writer *writer, const char *key)
{
	fprintf(writer->job->out, "%s:", key);
	for (size_t i = 0; i < writer->job->metric_count; i++)
		fprintf(writer->job->out, " %llu",
		        (unsigned long long)writer->tree->sum.of[writer->job->metrics[i]]);
	fputc('\n', writer->job->out);
}

static void put_head(struct writer *writer)
{
	static const char *const units[3] = {"ns", "bytes", "count"};
	struct export_job *job = writer->job;

	fputs("# callgrind format\nversion: 1\ncreator: xer_print " XER_VERSION "\ncmd: ",
	      job->out);
	report_put_command(job->out, dataset_next(job->dataset, NULL)->info);
	fputs("\npositions: line\n", job->out);
	for (size_t i = 0; i < job->metric_count; i++)
		fprintf(job->out, "event: %s : %s (%s)\n", metric_keyword(job->metrics[i]),
		        metric_meaning(job->metrics[i]), export_unit(job->metrics[i], units));
	fputs("events:", job->out);
	for (size_t i = 0; i < job->metric_count; i++)
		fprintf(job->out, " %s", metric_keyword(job->metrics[i]));
	fputc('\n', job->out);
	put_sum(writer, "summary");
}

void export_callgrind(struct export_job *job)
{
	const struct tree *tree = dataset_tree(job->dataset, TREE_LINES);
	struct writer writer = {
		.job = job, .tree = tree, .own = dataset_fold(job->dataset, TREE_LINES)};
	size_t functions;

	writer.calls = tree_create(TREE_LINES, symbols_total(job->dataset->symbols));
	export_number_functions(job, tree);
	functions = export_function_count(job);
	writer.innermost = memory_take(functions, sizeof(*writer.innermost));
	writer.is_named = memory_take(functions, 1);
	gather(&writer);
	put_head(&writer);
	put_items(&writer);
	fputc('\n', job->out);
	put_sum(&writer, "totals");
	tree_destroy(writer.calls);
	free(writer.innermost);
	free(writer.is_named);
	free(writer.stacks);
	free(writer.path);
	free(writer.before);
}
