/* gather.c: from an experiment's tree of addresses to the tree of symbols.
 * See doc/decisions/97-gathering.md. */
#include "analyzer/model/resolve.h"
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

static uint32_t row_of(const struct exp_nodes *nodes, size_t node)
{
	return !nodes->row_of ? EXP_NO_INDEX : nodes->row_of[node];
}

static int has(const struct exp_nodes *nodes, enum exp_metric metric, uint32_t row)
{
	return row != EXP_NO_INDEX && nodes->value[metric] && nodes->value[metric][row] != 0;
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

unsigned char *tree_find_parents(const struct exp_nodes *nodes)
{
	unsigned char *is_parent = memory_take(nodes->count, 1);

	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->parent[i] < i)
			is_parent[nodes->parent[i]] = 1;
	return is_parent;
}

/* Where the events of a node stand in the tree: its clock samples, and all others. */
struct place {
	uint32_t own, clock;
};

/* A total of the experiment that a metric is a sum of. */
struct credit {
	uint8_t metric, total;
	uint8_t is_clock;
	const uint64_t *values; /* by row */
};

/* What the nodes of one experiment become. */
struct gather {
	struct tree *tree;
	const struct exp_nodes *nodes;
	const struct tree_view *view;
	struct resolver resolver;
	struct credit credits[METRIC_VALUES * METRIC_FROM_MAX]; /* credits[credit_count] */
	size_t credit_count;
	int with_longest;
	unsigned char *is_parent, *used;
	unsigned char *kind;    /* by node: enum frames_kind */
	unsigned char *in_java; /* by node: a frame of Java is there, or further out */
	uint32_t *node_of;
	struct tree_places *places; /* NULL: values are credited */
};

/* ---- values ---- */

static int is_wanted(const struct tree_view *view, unsigned metric)
{
	return view->metrics == 0 || view->metrics >> metric & 1;
}

static void find_credits(struct gather *gather)
{
	const struct exp_nodes *nodes = gather->nodes;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++) {
			if (!is_wanted(gather->view, id) || !nodes->value[*from])
				continue;
			gather->credits[gather->credit_count++] = (struct credit){
				(uint8_t)id, *from, metric_data_of(id) == EXP_DATA_PROFILE,
				nodes->value[*from]};
		}
	gather->with_longest = is_wanted(gather->view, METRIC_SYNC) ||
	                       is_wanted(gather->view, METRIC_IOREADTIME);
}

static int has_any(const struct gather *gather, uint32_t row)
{
	for (size_t i = 0; i < gather->credit_count; i++)
		if (gather->credits[i].values[row] != 0)
			return 1;
	return 0;
}

static int has_clock_credit(const struct gather *gather, uint32_t row)
{
	for (size_t i = 0; i < gather->credit_count; i++)
		if (gather->credits[i].is_clock && gather->credits[i].values[row] != 0)
			return 1;
	return 0;
}

static uint64_t value_at(const struct exp_nodes *nodes, enum exp_metric metric, uint32_t row)
{
	return !nodes->value[metric] ? 0 : nodes->value[metric][row];
}

/* Credit the values of a row: those of the clock to one node of the tree, all others to another. */
static void credit_row(struct gather *gather, uint32_t row, const struct place *place)
{
	struct tree *tree = gather->tree;
	const struct exp_nodes *nodes = gather->nodes;
	uint32_t own = tree_row(tree, place->own);
	uint32_t clock = place->clock == place->own ? own : tree_row(tree, place->clock);

	for (size_t i = 0; i < gather->credit_count; i++) {
		const struct credit *credit = &gather->credits[i];

		if (credit->values[row] != 0)
			columns_add(&tree->own.values, credit->is_clock ? clock : own,
			            credit->metric, credit->values[row]);
	}
	if (gather->with_longest)
		tree_raise(tree, place->own,
		           &(struct tree_longest){value_at(nodes, EXP_SYNC_LONGEST, row),
		                                  value_at(nodes, EXP_IO_LONGEST, row)});
}

static void add_no_stack(struct gather *gather)
{
	const uint64_t *no_stack = gather->nodes->no_stack;
	struct sym_frame unknown = {.function = symbols_unknown(gather->resolver.symbols)};
	uint64_t any = 0;
	uint32_t at, row;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
			any |= is_wanted(gather->view, id) ? no_stack[*from] : 0;
	if (any == 0)
		return;
	at = tree_child(gather->tree, TREE_ROOT, &unknown);
	row = tree_row(gather->tree, at);
	for (unsigned id = 0; id < METRIC_VALUES; id++)
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
			if (is_wanted(gather->view, id) && no_stack[*from] != 0)
				columns_add(&gather->tree->own.values, row, id, no_stack[*from]);
	if (gather->with_longest)
		tree_raise(gather->tree, at,
		           &(struct tree_longest){no_stack[EXP_SYNC_LONGEST],
		                                  no_stack[EXP_IO_LONGEST]});
}

/* True for nodes with events at or below them: frames that only lead to stacks without events need
 * no symbols. */
static unsigned char *find_used(const struct gather *gather)
{
	const struct exp_nodes *nodes = gather->nodes;
	unsigned char *used = memory_take(nodes->count, 1);

	if (nodes->is_program)
		memset(used, 1, nodes->count);
	for (uint32_t row = 0; row < nodes->row_count; row++)
		used[nodes->node_of[row]] = has_any(gather, row) != 0;
	for (size_t i = nodes->count; i-- > 0;)
		if (used[i] && nodes->parent[i] < i)
			used[nodes->parent[i]] = 1;
	return used;
}

/* ---- frames ---- */

static const struct resolved *resolve(struct gather *gather, size_t node, int is_leaf)
{
	const struct exp_nodes *nodes = gather->nodes;

	return resolver_find(
		&gather->resolver, nodes->pc[node], nodes->generation[node],
		(is_leaf ? RESOLVE_LEAF : 0) |
			(nodes->is_program || node >= nodes->traced ? RESOLVE_TRACED : 0));
}

static uint32_t add_frames(struct gather *gather, uint32_t parent, const struct resolved *resolved)
{
	struct tree *tree = gather->tree;
	const uint32_t *items = gather->resolver.items + resolved->first;

	if (gather->view->is_flat)
		return tree_child_item(tree, TREE_ROOT, items[resolved->count - 1]);
	for (size_t i = 0; i < resolved->count; i++) {
		const struct sym_function *caller = tree->items[tree->nodes[parent].item].function;

		if (!shown_is_folded(gather->view->shown, caller, tree->items[items[i]].function))
			parent = tree_child_item(tree, parent, items[i]);
	}
	return parent;
}

static void gather_frames(struct gather *gather, size_t node)
{
	const struct resolved *resolved = resolve(
		gather, node, tree_is_leaf(gather->nodes, gather->is_parent, node));

	if (!resolved->has_frames)
		return;
	gather->kind[node] = resolved->kind;
	if (gather->view->mode == FRAMES_USER && !gather->in_java[node] && resolved->is_java) {
		gather->in_java[node] = 1;
		gather->node_of[node] = TREE_ROOT;
	}
	if (resolved->kind == FRAMES_SHOWN)
		gather->node_of[node] = add_frames(gather, gather->node_of[node], resolved);
	else
		gather->view->stand_in[resolved->kind].object = resolved->object;
}

/* A sample may interrupt the very instruction to which a call returns. Then the node is both: the
 * sample belongs to the instruction, and everything else to the call before it. caller: the node of
 * the caller in the tree. *place is set in that case alone. */
static void place_clock(struct gather *gather, size_t node, uint32_t caller, uint32_t *place)
{
	const struct exp_nodes *nodes = gather->nodes;
	const struct resolved *resolved;

	if (gather->kind[node] != FRAMES_SHOWN || nodes->pc[node] < FMT_PC_MARKS ||
	    !has_clock(nodes, row_of(nodes, node)) ||
	    !has_clock_credit(gather, row_of(nodes, node)) ||
	    tree_is_leaf(nodes, gather->is_parent, node))
		return;
	resolved = resolve(gather, node, 1);
	if (resolved->count != 0)
		*place = add_frames(gather, caller, resolved);
}

static struct place find_place(struct gather *gather, size_t node, uint32_t caller)
{
	enum frames_kind kind = (enum frames_kind)gather->kind[node];
	uint32_t at = gather->node_of[node];
	struct place place;

	/* A stub that no method has called belongs to the Java machine. */
	if (kind == FRAMES_STUB && at == TREE_ROOT) {
		kind = FRAMES_JVM;
		gather->view->stand_in[kind].object = gather->view->stand_in[FRAMES_STUB].object;
	}
	if (frames_names[kind]) {
		struct sym_frame frame = {.function = &gather->view->stand_in[kind]};

		at = tree_child(gather->tree, gather->view->is_flat ? TREE_ROOT : at, &frame);
	}
	place = (struct place){at, at};
	place_clock(gather, node, caller, &place.clock);
	return place;
}

/* Credit the values of a node, or, if only places are wanted, tell its place. */
static void gather_values(struct gather *gather, size_t node, uint32_t caller)
{
	uint32_t row = row_of(gather->nodes, node);
	struct place place;

	if (row == EXP_NO_INDEX ? !gather->nodes->is_program : !has_any(gather, row))
		return;
	place = find_place(gather, node, caller);
	if (gather->places) {
		gather->places->own[node] = place.own;
		gather->places->clock[node] = place.clock;
	} else if (row != EXP_NO_INDEX) {
		credit_row(gather, row, &place);
	}
}

/* Walk over the nodes with events. */
static void gather_nodes(struct gather *gather)
{
	const struct exp_nodes *nodes = gather->nodes;

	find_credits(gather);
	gather->is_parent = tree_find_parents(nodes);
	gather->used = find_used(gather);
	gather->kind = memory_take(nodes->count, 1);
	gather->in_java = memory_take(nodes->count, 1);
	gather->node_of = memory_take(nodes->count, sizeof(*gather->node_of));
	for (size_t i = 0; i < nodes->count; i++) {
		uint32_t caller = nodes->parent[i] < i ? gather->node_of[nodes->parent[i]]
		                                       : TREE_ROOT;

		gather->node_of[i] = caller;
		/* What is outside a cut may be more than the launcher. */
		gather->in_java[i] = nodes->parent[i] < i ? gather->in_java[nodes->parent[i]]
		                                          : nodes->pc[i] < FMT_PC_MARKS;
		if (!gather->used[i])
			continue;
		gather_frames(gather, i);
		gather_values(gather, i, caller);
	}
	free(gather->node_of);
	free(gather->in_java);
	free(gather->kind);
	free(gather->used);
	free(gather->is_parent);
}

static void gather_init(struct gather *gather, struct tree *tree, struct symbols *symbols,
                        const struct experiment *experiment, const struct exp_data_set *data,
                        const struct tree_view *view)
{
	*gather = (struct gather){.tree = tree, .nodes = &data->nodes, .view = view};
	resolver_init(&gather->resolver, tree, symbols, experiment, view);
}

void tree_add_experiment(struct tree *tree, struct symbols *symbols,
                         const struct experiment *experiment, const struct exp_data_set *data,
                         const struct tree_view *view)
{
	struct gather gather;

	gather_init(&gather, tree, symbols, experiment, data, view);
	gather_nodes(&gather);
	add_no_stack(&gather);
	resolver_fini(&gather.resolver);
}

void tree_place_experiment(struct tree *tree, struct symbols *symbols,
                           const struct experiment *experiment, const struct exp_data_set *data,
                           const struct tree_view *view, struct tree_places *out)
{
	struct sym_frame unknown = {.function = symbols_unknown(symbols)};
	struct metric_values values = tree_values_of(data->nodes.no_stack);
	struct gather gather;

	gather_init(&gather, tree, symbols, experiment, data, view);
	gather.places = out;
	out->count = data->nodes.count;
	out->own = memory_take(out->count, sizeof(*out->own));
	out->clock = memory_take(out->count, sizeof(*out->clock));
	gather_nodes(&gather);
	resolver_fini(&gather.resolver);
	out->no_stack = metric_values_any(&values) ? tree_child(tree, TREE_ROOT, &unknown)
	                                           : TREE_ROOT;
}

void tree_places_fini(struct tree_places *places)
{
	free(places->own);
	free(places->clock);
	*places = (struct tree_places){.count = 0};
}
