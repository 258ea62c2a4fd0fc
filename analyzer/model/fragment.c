/* fragment.c: searches for a fragment of a stack in the tree of calls, in one pass over its nodes:
 * parents come before their children, so each node continues from the state of its caller. */
#include "analyzer/model/fragment.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

#define ITSELF (TREE_NONE - 1)

/* What a node knows of the way from the root to it. */
struct place {
	uint64_t state;  /* bit i: the way ends with the first i + 1 functions */
	uint32_t caller; /* item before the outermost place of the fragment, TREE_NONE: it is not on
	                    the way */
	uint32_t callee; /* item behind the innermost, ITSELF: the way ends with it */
};

uint32_t fragment_item(const struct tree *tree, const struct sym_function *function)
{
	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function == function)
			return (uint32_t)i;
	return TREE_NONE;
}

static uint64_t mask_of(const struct fragment *fragment, const struct sym_function *function)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < fragment->count; i++)
		if (fragment->functions[i] == function)
			mask |= (uint64_t)1 << i;
	return mask;
}

/* The item `steps` frames above a node. */
static uint32_t item_above(const struct tree *tree, uint32_t node, size_t steps)
{
	while (steps-- > 0)
		node = tree->nodes[node].parent;
	return tree->nodes[node].item;
}

static struct place find_place(const struct fragment *fragment, const struct tree *tree,
                               uint32_t node, struct place before)
{
	uint32_t item = tree->nodes[node].item;
	struct place place = before;
	int is_end;

	place.state = (before.state << 1 | 1) & mask_of(fragment, tree->items[item].function);
	is_end = place.state >> (fragment->count - 1) & 1;
	if (is_end && before.caller == TREE_NONE)
		place.caller = item_above(tree, node, fragment->count);
	if (is_end)
		place.callee = ITSELF;
	else if (before.callee == ITSELF)
		place.callee = item;
	return place;
}

static void credit(struct fragment_values *values, const struct place *place,
                   const struct columns *own, size_t row)
{
	if (place->caller == TREE_NONE)
		return;
	for (unsigned i = 0; i < METRIC_VALUES; i++) {
		uint64_t value = columns_at(own, row, i);

		if (value == 0)
			continue;
		values->total.of[i] += value;
		columns_add(&values->callers, place->caller, i, value);
		if (place->callee == ITSELF)
			values->own.of[i] += value;
		else
			columns_add(&values->callees, place->callee, i, value);
	}
}

struct fragment_values fragment_find(const struct fragment *fragment, const struct tree *tree)
{
	struct fragment_values values = {.own = {.of = {0}}};
	struct place *places = memory_take(tree->count, sizeof(*places));
	const struct tree_own *own = &tree->own;

	columns_extend(&values.callers, tree->item_count);
	columns_extend(&values.callees, tree->item_count);
	places[TREE_ROOT] = (struct place){.state = 0, .caller = TREE_NONE, .callee = TREE_NONE};
	for (uint32_t node = TREE_ROOT + 1; node < tree->count; node++)
		places[node] = find_place(fragment, tree, node, places[tree->nodes[node].parent]);
	for (size_t row = 0; row < own->values.count; row++)
		credit(&values, &places[own->node_of[row]], &own->values, row);
	free(places);
	return values;
}

void fragment_values_fini(struct fragment_values *values)
{
	columns_fini(&values->callers);
	columns_fini(&values->callees);
}
