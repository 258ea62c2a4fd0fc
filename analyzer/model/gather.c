/* gather.c: from an experiment's tree of addresses to the tree of symbols. */
#include "analyzer/model/tree.h"

#include "experiment/base/totals.h"
#include "format/record.h"
#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct metric_values tree_values_of(const uint64_t of[EXP_METRICS])
{
	struct metric_values values = {.of = {0}};

	for (size_t id = 0; id < METRIC_VALUES; id++)
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
			values.of[id] += of[*from];
	return values;
}

static struct tree_longest longest_of(const uint64_t of[EXP_METRICS])
{
	return (struct tree_longest){of[EXP_SYNC_LONGEST], of[EXP_IO_LONGEST]};
}

static uint32_t row_of(const struct exp_nodes *nodes, size_t node)
{
	return !nodes->row_of ? EXP_NO_INDEX : nodes->row_of[node];
}

/* Exclusive totals of a node. Returns true if any is not 0. */
static int node_values(const struct exp_nodes *nodes, size_t node, struct metric_values *out,
                       struct tree_longest *longest)
{
	uint32_t row = row_of(nodes, node);
	uint64_t of[EXP_METRICS];
	uint64_t any = 0;

	if (row == EXP_NO_INDEX)
		return 0;
	for (size_t i = 0; i < EXP_METRICS; i++) {
		of[i] = nodes->value[i] ? nodes->value[i][row] : 0;
		any |= of[i];
	}
	if (any != 0) {
		*out = tree_values_of(of);
		*longest = longest_of(of);
	}
	return any != 0;
}

static int has(const struct exp_nodes *nodes, enum exp_metric metric, uint32_t row)
{
	return nodes->value[metric] && nodes->value[metric][row] != 0;
}

static int has_clock(const struct exp_nodes *nodes, uint32_t row)
{
	return has(nodes, EXP_SAMPLES, row) || has(nodes, EXP_CPU_USER, row) ||
	       has(nodes, EXP_CPU_SYSTEM, row);
}

int tree_is_leaf(const struct exp_nodes *nodes, const unsigned char *is_parent, size_t node)
{
	uint32_t row = row_of(nodes, node);

	if (nodes->is_program || node >= nodes->traced)
		return 1;
	if (is_parent[node] || row == EXP_NO_INDEX)
		return 0;
	for (size_t i = 0; i < exp_event_total_count; i++)
		if (exp_event_totals[i] != EXP_SAMPLES && has(nodes, exp_event_totals[i], row))
			return 0; /* what the program called stands there */
	return has_clock(nodes, row);
}

/* What a frame is shown as. The address of an instruction keeps its offset in the function. */
static struct sym_frame shown_frame(struct shown *shown, const struct sym_frame *frame)
{
	struct sym_frame result = *frame;

	result.function = shown_function(shown, frame->function);
	if (result.function == frame->function)
		return result;
	if (shown_is_object(shown, result.function))
		return (struct sym_frame){.function = result.function};
	result.address += result.function->address - frame->function->address;
	return result;
}

static uint32_t add_frame(struct tree *tree, struct shown *shown, uint32_t parent,
                          const struct sym_frame *frame)
{
	struct sym_frame result = shown_frame(shown, frame);

	if (shown_is_folded(shown, tree->items[tree->nodes[parent].item].function, result.function))
		return parent;
	return tree_child(tree, parent, &result);
}

static uint32_t add_frames(struct tree *tree, struct shown *shown, uint32_t parent,
                           const struct sym_frame *frames, int count)
{
	struct sym_frame whole;

	if (tree->mode == TREE_PCS) {
		whole = frames[0];
		whole.function = frames[count - 1].function;
		return add_frame(tree, shown, parent, &whole);
	}
	while (count-- > 0)
		parent = add_frame(tree, shown, parent, &frames[count]);
	return parent;
}

unsigned char *tree_find_parents(const struct exp_nodes *nodes)
{
	unsigned char *is_parent = memory_take(nodes->count, 1);

	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->parent[i] < i)
			is_parent[nodes->parent[i]] = 1;
	return is_parent;
}

static void add_no_stack(struct tree *tree, struct symbols *symbols, const struct exp_nodes *nodes)
{
	struct metric_values values = tree_values_of(nodes->no_stack);
	struct tree_longest longest = longest_of(nodes->no_stack);
	struct sym_frame unknown = {.function = symbols_unknown(symbols)};
	uint32_t at;

	if (!metric_values_any(&values))
		return;
	at = tree_child(tree, TREE_ROOT, &unknown);
	tree_credit(tree, at, &values);
	tree_raise(tree, at, &longest);
}

/* True for nodes with events at or below them: frames that only lead to stacks without events need
 * no symbols. */
static unsigned char *find_used(const struct exp_nodes *nodes)
{
	unsigned char *used = memory_take(nodes->count, 1);

	if (nodes->is_program)
		memset(used, 1, nodes->count);
	for (uint32_t row = 0; row < nodes->row_count; row++)
		for (size_t metric = 0; metric < EXP_METRICS && !used[nodes->node_of[row]];
		     metric++)
			used[nodes->node_of[row]] = has(nodes, (enum exp_metric)metric, row);
	for (size_t i = nodes->count; i-- > 0;)
		if (used[i] && nodes->parent[i] < i)
			used[nodes->parent[i]] = 1;
	return used;
}

/* What the nodes of one experiment become. */
struct gather {
	struct tree *tree;
	struct symbols *symbols;
	const struct experiment *experiment;
	const struct exp_nodes *nodes;
	const struct tree_view *view;
	unsigned char *is_parent, *used;
	unsigned char *kind;    /* by node: enum frames_kind */
	unsigned char *in_java; /* by node: a frame of Java is there, or further out */
	uint32_t *node_of;
	struct tree_places *places; /* NULL: values are credited */
};

/* The frames of a node, innermost first. Returns their number, 0: none in this mode, or -ENOMEM. */
static int find_frames(struct gather *gather, size_t node, int is_leaf,
                       const struct sym_frame **out, enum frames_kind *kind)
{
	const struct exp_nodes *nodes = gather->nodes;

	return (gather->tree->mode == TREE_FUNCTIONS ? frames_find_functions : frames_find)(
		gather->symbols, gather->experiment, nodes->pc[node], nodes->generation[node],
		is_leaf, gather->view->mode, out, kind);
}

/* Returns 0 or -ENOMEM. */
static int gather_frames(struct gather *gather, size_t node)
{
	const struct sym_frame *frames;
	enum frames_kind kind;
	int count = find_frames(gather, node, tree_is_leaf(gather->nodes, gather->is_parent, node),
	                        &frames, &kind);

	if (count < 1)
		return count < 0 ? count : 0;
	/* A function inlined at the beginning of another one was not called there. */
	if (gather->nodes->is_program || node >= gather->nodes->traced) {
		frames += count - 1;
		count = 1;
	}
	gather->kind[node] = (unsigned char)kind;
	if (gather->view->mode == FRAMES_USER && !gather->in_java[node] &&
	    frames_is_java(&frames[0])) {
		gather->in_java[node] = 1;
		gather->node_of[node] = TREE_ROOT;
	}
	if (kind == FRAMES_SHOWN)
		gather->node_of[node] = add_frames(gather->tree, gather->view->shown,
		                                   gather->node_of[node], frames, count);
	else
		gather->view->stand_in[kind].object = frames[0].function->object;
	return 0;
}

/* Take the values of clock samples away from `values`. */
static struct metric_values take_clock(struct metric_values *values)
{
	struct metric_values clock = {.of = {0}};

	for (unsigned i = 0; i < METRIC_VALUES; i++)
		if (metric_data_of(i) == EXP_DATA_PROFILE) {
			clock.of[i] = values->of[i];
			values->of[i] = 0;
		}
	return clock;
}

/* Where the events of a node stand in the tree: its clock samples, and all others. */
struct place {
	uint32_t own, clock;
};

/* A sample may interrupt the very instruction to which a call returns. Then the node is both: the
 * sample belongs to the instruction, and everything else to the call before it. caller: the node of
 * the caller in the tree. *place is set in that case alone. Returns 0 or -ENOMEM. */
static int place_clock(struct gather *gather, size_t node, uint32_t caller, uint32_t *place)
{
	const struct exp_nodes *nodes = gather->nodes;
	const struct sym_frame *frames;
	enum frames_kind kind;
	int count;

	if (gather->kind[node] != FRAMES_SHOWN || nodes->pc[node] < FMT_PC_MARKS ||
	    !has_clock(nodes, row_of(nodes, node)) || tree_is_leaf(nodes, gather->is_parent, node))
		return 0;
	count = find_frames(gather, node, 1, &frames, &kind);
	if (count < 1)
		return count;
	*place = add_frames(gather->tree, gather->view->shown, caller, frames, count);
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int find_place(struct gather *gather, size_t node, uint32_t caller, struct place *out)
{
	enum frames_kind kind = (enum frames_kind)gather->kind[node];
	uint32_t at = gather->node_of[node];

	/* A stub that no method has called belongs to the Java machine. */
	if (kind == FRAMES_STUB && at == TREE_ROOT) {
		kind = FRAMES_JVM;
		gather->view->stand_in[kind].object = gather->view->stand_in[FRAMES_STUB].object;
	}
	if (frames_names[kind]) {
		struct sym_frame frame = {.function = &gather->view->stand_in[kind]};

		at = tree_child(gather->tree, at, &frame);
	}
	*out = (struct place){at, at};
	return place_clock(gather, node, caller, &out->clock);
}

/* Credit the values of a node, or, if only places are wanted, tell its place. */
static int gather_values(struct gather *gather, size_t node, uint32_t caller)
{
	struct metric_values values, clock;
	struct tree_longest longest;
	struct place place;
	int status;

	if (!node_values(gather->nodes, node, &values, &longest)) {
		if (!gather->nodes->is_program)
			return 0;
		values = (struct metric_values){.of = {0}};
		longest = (struct tree_longest){0};
	}
	status = find_place(gather, node, caller, &place);
	if (gather->places) {
		gather->places->own[node] = place.own;
		gather->places->clock[node] = place.clock;
		return status;
	}
	if (place.clock != place.own) {
		clock = take_clock(&values);
		tree_credit(gather->tree, place.clock, &clock);
	}
	tree_credit(gather->tree, place.own, &values);
	tree_raise(gather->tree, place.own, &longest);
	return status;
}

/* Walk over the nodes with events. Returns 0 or -ENOMEM. */
static int gather_nodes(struct gather *gather)
{
	const struct exp_nodes *nodes = gather->nodes;
	int status = 0;

	gather->is_parent = tree_find_parents(nodes);
	gather->used = find_used(nodes);
	gather->kind = memory_take(nodes->count, 1);
	gather->in_java = memory_take(nodes->count, 1);
	gather->node_of = memory_take(nodes->count, sizeof(*gather->node_of));
	for (size_t i = 0; i < nodes->count && status == 0; i++) {
		uint32_t caller = nodes->parent[i] < i ? gather->node_of[nodes->parent[i]]
		                                       : TREE_ROOT;

		gather->node_of[i] = caller;
		/* What is outside a cut may be more than the launcher. */
		gather->in_java[i] = nodes->parent[i] < i ? gather->in_java[nodes->parent[i]]
		                                          : nodes->pc[i] < FMT_PC_MARKS;
		if (!gather->used[i])
			continue;
		status = gather_frames(gather, i);
		if (status == 0)
			status = gather_values(gather, i, caller);
	}
	free(gather->node_of);
	free(gather->in_java);
	free(gather->kind);
	free(gather->used);
	free(gather->is_parent);
	return status;
}

int tree_add_experiment(struct tree *tree, struct symbols *symbols,
                        const struct experiment *experiment, const struct exp_data_set *data,
                        const struct tree_view *view)
{
	struct gather gather = {.tree = tree,
	                        .symbols = symbols,
	                        .experiment = experiment,
	                        .nodes = &data->nodes,
	                        .view = view};
	int status = gather_nodes(&gather);

	add_no_stack(tree, symbols, &data->nodes);
	return status;
}

int tree_place_experiment(struct tree *tree, struct symbols *symbols,
                          const struct experiment *experiment, const struct exp_data_set *data,
                          const struct tree_view *view, struct tree_places *out)
{
	struct sym_frame unknown = {.function = symbols_unknown(symbols)};
	struct metric_values values = tree_values_of(data->nodes.no_stack);
	struct gather gather = {.tree = tree,
	                        .symbols = symbols,
	                        .experiment = experiment,
	                        .nodes = &data->nodes,
	                        .view = view,
	                        .places = out};
	int status;

	out->count = data->nodes.count;
	out->own = memory_take(out->count, sizeof(*out->own));
	out->clock = memory_take(out->count, sizeof(*out->clock));
	status = gather_nodes(&gather);
	out->no_stack = metric_values_any(&values) ? tree_child(tree, TREE_ROOT, &unknown)
	                                           : TREE_ROOT;
	return status;
}

void tree_places_fini(struct tree_places *places)
{
	free(places->own);
	free(places->clock);
	*places = (struct tree_places){.count = 0};
}
