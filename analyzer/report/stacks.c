/* stacks.c: call stacks one below the other, as the lists of leaks, waits and I/O calls show them.
 */
#include "analyzer/report/stacks.h"

#include "analyzer/report/data.h"
#include "analyzer/table/compare.h"
#include "analyzer/base/fit.h"
#include "format/record.h"
#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/model/owncode.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* A stack with what it is sorted by. */
struct weighed {
	uint32_t node;
	uint64_t weight, count; /* its values; in a comparison those in the base, or the greatest
	                           differences to these */
	uint64_t all;           /* in a comparison, of all groups together */
};

static uint64_t value_in(const struct tree *tree, uint32_t node, const struct stacks_kind *kind,
                         uint64_t (*of)(const struct metric_view *values, const void *context))
{
	const struct metric_view values = tree_own_view(tree, node);

	return of(&values, kind->context);
}

static uint64_t weight(const struct tree *tree, uint32_t node, const struct stacks_kind *kind,
                       uint64_t (*of)(const struct metric_view *values, const void *context))
{
	uint64_t base, greatest = 0;

	if (tree->part_count == 0)
		return value_in(tree, node, kind, of);
	base = value_in(&tree->parts[0], node, kind, of);
	if (tree->compare != TREE_COMPARE_DELTA)
		return base;
	for (size_t i = 1; i < tree->part_count; i++)
		greatest = tree_greater_difference(greatest, base,
		                                   value_in(&tree->parts[i], node, kind, of));
	return greatest;
}

static struct weighed weigh(const struct tree *tree, uint32_t node, const struct stacks_kind *kind)
{
	return (struct weighed){
		.node = node,
		.weight = weight(tree, node, kind, kind->weigh),
		.count = weight(tree, node, kind, kind->count),
		.all = tree->part_count == 0 ? 0 : value_in(tree, node, kind, kind->weigh)};
}

static int compare(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->all != b->all)
		return a->all > b->all ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

uint32_t *stacks_find(const struct tree *tree, const struct stacks_kind *kind, size_t *count)
{
	struct weighed *weighed = NULL;
	size_t capacity = 0;
	uint32_t *stacks;

	*count = 0;
	for (size_t row = 0; row < tree->own.values.count; row++) {
		const struct metric_view values = columns_view(&tree->own.values, row);

		if (kind->count(&values, kind->context) == 0)
			continue;
		weighed = memory_grow(weighed, *count, &capacity, sizeof(*weighed));
		weighed[(*count)++] = weigh(tree, tree->own.node_of[row], kind);
	}
	if (*count > 1)
		qsort(weighed, *count, sizeof(*weighed), compare);
	stacks = memory_take(*count, sizeof(*stacks));
	for (size_t i = 0; i < *count; i++)
		stacks[i] = weighed[i].node;
	free(weighed);
	return stacks;
}

const struct tree *stacks_tree(const struct dataset *dataset, const struct output *output,
                               const struct stacks_kind *kind, metric_set metrics)
{
	return dataset_stacks(dataset, print_is_data(output) ? metric_set_of(kind->data) : metrics);
}

/* The frames between these are left out of a deeper stack: ten thousand stacks of a deep recursion
 * would have that many frames squared. */
enum { STACK_INNER = 200, STACK_OUTER = 50 };
#define INDENT "  "

static size_t count_frames(const struct tree *tree, uint32_t node)
{
	size_t count = 0;

	for (; node != TREE_ROOT; node = tree->nodes[node].parent)
		count++;
	return count;
}

/* What is shown of a frame behind `indent`, in `columns`, 0: of any width. The caller frees. */
static char *frame_text(const struct choices *choices, const struct sym_frame *item,
                        const char *indent, size_t columns)
{
	char *name = name_item(choices, TREE_FRAMES, item), *text;

	if (columns != 0)
		columns = columns > strlen(indent) ? columns - strlen(indent) : 1;
	text = fit_cut(name, columns);
	free(name);
	return text;
}

static void put_frame(const struct choices *choices, struct output *output,
                      const struct sym_frame *item, const char *indent)
{
	char *text = frame_text(choices, item, indent, terminal_columns(output->out));

	fprintf(output->out, "%s%s\n", indent, text);
	free(text);
}

/* The lines of frames: stacks have most of them in common. */
struct lines {
	char **text; /* text[item], NULL: not made yet */
	size_t columns;
};

static const char *line_of(struct lines *lines, const struct choices *choices,
                           const struct tree *tree, uint32_t node)
{
	uint32_t item = tree->nodes[node].item;

	if (!lines->text[item])
		lines->text[item] = frame_text(choices, &tree->items[item], INDENT, lines->columns);
	return lines->text[item];
}

static void put_stack(struct lines *lines, const struct choices *choices,
                      const struct output *output, const struct tree *tree, uint32_t node)
{
	size_t depth = 1, left = count_frames(tree, node);

	for (; node != TREE_ROOT; node = tree->nodes[node].parent) {
		if (depth <= STACK_INNER || left <= STACK_OUTER) {
			fputs(INDENT, output->out);
			fputs(line_of(lines, choices, tree, node), output->out);
			fputc('\n', output->out);
		} else if (left == STACK_OUTER + 1) {
			fprintf(output->out, INDENT "... %zu frames not shown\n",
			        depth - STACK_INNER);
		}
		depth++;
		left--;
	}
}

struct head {
	const struct stacks_kind *kind;
	uint32_t node;
	size_t number;
};

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, const void *context)
{
	const struct head *head = context;

	head->kind->put_head(dataset, choices, output, tree, head->node, head->number,
	                     head->kind->context);
}

void stacks_put_parts(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct tree *tree,
                      void (*put)(const struct dataset *dataset, const struct choices *choices,
                                  struct output *output, const struct tree *tree,
                                  const void *context),
                      const void *context)
{
	if (tree->part_count == 0)
		put(dataset, choices, output, tree, context);
	for (size_t i = 0; i < tree->part_count; i++) {
		const struct dataset part = compare_part(dataset, i);
		char *label = compare_label(dataset, i);

		fprintf(output->out, "%s: ", label);
		free(label);
		put(&part, choices, output, &tree->parts[i], context);
	}
}

void stacks_put(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct tree *tree, const struct stacks_kind *kind, const uint32_t *stacks,
                size_t count)
{
	size_t shown = choices->limit != 0 && choices->limit < count ? choices->limit : count;
	struct lines lines;

	if (print_is_data(output)) {
		data_stacks(choices, output, tree, kind, stacks, shown);
		return;
	}
	lines = (struct lines){memory_take(tree->item_count, sizeof(*lines.text)),
	                       terminal_columns(output->out)};
	for (size_t i = 0; i < shown; i++) {
		fputc('\n', output->out);
		stacks_put_parts(dataset, choices, output, tree, put_head,
		                 &(struct head){kind, stacks[i], i + 1});
		put_stack(&lines, choices, output, tree, stacks[i]);
	}
	for (size_t i = 0; i < tree->item_count; i++)
		free(lines.text[i]);
	free(lines.text);
	fputc('\n', output->out);
}

const struct sym_function *stacks_culprit(const struct tree *tree, uint32_t node)
{
	uint32_t own = owncode_node(tree, node);

	return own == TREE_ROOT ? NULL : tree->items[tree->nodes[own].item].function;
}

/* The frames of a node that are to be shown; none where memory is short. */
static int find_frames(const struct dataset *dataset, const struct dataset_experiment *at,
                       uint32_t node, const struct sym_frame **frames)
{
	const struct exp_nodes *nodes = &at->data->nodes;
	enum frames_kind kind;
	int count = frames_find(dataset->symbols, at->experiment, nodes->pc[node],
	                        nodes->generation[node], 0, dataset->mode, frames, &kind);

	return count < 1 || kind != FRAMES_SHOWN ? 0 : count;
}

size_t stacks_put_node(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct dataset_experiment *at, uint32_t node,
                       size_t limit, const char *indent)
{
	size_t shown = 0;

	for (; node < at->data->nodes.count && shown < limit; node = at->data->nodes.parent[node]) {
		const struct sym_frame *frames;
		int count = find_frames(dataset, at, node, &frames);

		for (int i = 0; i < count && shown < limit; i++, shown++)
			put_frame(choices, output, &frames[i], indent);
	}
	return shown;
}

/* The innermost frame of the program's own code that is shown; else the innermost one. Returns 0 if
 * none is shown. */
static int find_place(const struct dataset *dataset, const struct dataset_experiment *at,
                      uint32_t node, struct sym_frame *place)
{
	int is_found = 0;

	for (; node < at->data->nodes.count; node = at->data->nodes.parent[node]) {
		const struct sym_frame *frames;
		int count = find_frames(dataset, at, node, &frames);

		for (int i = 0; i < count; i++) {
			int is_own = owncode_is(frames[i].function, frames[i].file);

			if (is_own || !is_found)
				*place = frames[i];
			if (is_own)
				return 1;
			is_found = 1;
		}
	}
	return is_found;
}

char *stacks_name_node(const struct dataset *dataset, const struct choices *choices,
                       const struct dataset_experiment *at, uint32_t node)
{
	struct sym_frame place;

	return find_place(dataset, at, node, &place) ? name_item(choices, TREE_FRAMES, &place)
	                                             : NULL;
}

const struct sym_function *stacks_function_node(const struct dataset *dataset,
                                                const struct dataset_experiment *at, uint32_t node)
{
	struct sym_frame place;

	return find_place(dataset, at, node, &place) ? place.function : NULL;
}

char *stacks_name_place(const struct dataset *dataset, const struct choices *choices,
                        const struct dataset_experiment *at, uint32_t node, int with_line)
{
	struct sym_frame place;

	if (!find_place(dataset, at, node, &place))
		return NULL;
	place.address = 0;
	return with_line ? name_item(choices, TREE_FRAMES, &place)
	                 : name_function(choices, place.function);
}
