/* calltree.c: the tree of calls, indented, the greatest branch first. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"

#include <stdlib.h>
#include <string.h>

/* Deeper levels are indented no further: a recursion of thousands of frames stays readable, and its
 * output linear. */
enum { INDENT_MAX = 100 };

/* A level of the walk: its children and the next of them. A stack of our own, since a recorded
 * stack may be deeper than ours. */
struct level {
	uint32_t *children;
	size_t count, next;
};

struct walk {
	const struct choices *choices;
	const struct tree *tree;
	const struct tree **trees; /* by column */
	struct table table;
	struct metric_list metrics;
	size_t limit;
	unsigned char rules[INDENT_MAX]; /* by level: has the node on the way more sisters? */
	struct level *levels;            /* of the way down */
	size_t level_capacity;
};

/* The line of a node: a rule for each level above that has more to come, then its name. */
static char *label(const struct walk *walk, uint32_t node, size_t depth)
{
	char *name = name_function(walk->choices,
	                           walk->tree->items[walk->tree->nodes[node].item].function);
	size_t levels = depth < INDENT_MAX ? depth : INDENT_MAX;
	char indent[2 * INDENT_MAX + 1] = "";
	char *whole;

	if (walk->table.has_depth)
		return name;
	/* There is nothing beside <Total>, level 0; the line of a node's own level ends in it. */
	for (size_t i = 0; i < levels; i++)
		memcpy(indent + 2 * i, i > 0 && walk->rules[i - 1] ? "| " : "  ", 3);
	if (depth > INDENT_MAX)
		whole = memory_format("%s+-[%zu] %s", indent, depth, name);
	else
		whole = memory_format("%s+-%s", indent, name);
	free(name);
	return whole;
}

struct order {
	const struct walk *walk;
	unsigned metric;
	int reverse;
};

/* What a node is sorted by: its value in the base, or its greatest difference to that. */
static uint64_t weight(const struct order *order, uint32_t node)
{
	const struct walk *walk = order->walk;
	uint64_t base = tree_total(walk->trees[0], node, order->metric), greatest = 0;

	if (walk->table.compare != TREE_COMPARE_DELTA)
		return base;
	for (size_t i = 1; i < walk->table.group_count; i++)
		greatest = tree_greater_difference(greatest, base,
		                                   tree_total(walk->trees[i], node, order->metric));
	return greatest;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct tree *tree = order->walk->tree;
	const struct sym_function *first = tree->items[tree->nodes[a].item].function;
	const struct sym_function *second = tree->items[tree->nodes[b].item].function;
	int result = 0;

	if (order->metric < METRIC_VALUES) {
		uint64_t x = weight(order, a), y = weight(order, b);

		result = x == y ? 0 : (x > y ? -1 : 1);
	}
	if (result == 0)
		result = strcmp(first->name, second->name);
	if (result == 0)
		result = first->index < second->index ? -1 : first->index > second->index;
	return order->reverse ? -result : result;
}

static void set_values(struct walk *walk, uint32_t node)
{
	for (size_t i = 0; i < walk->table.group_count; i++) {
		struct metric_view total = columns_view(&walk->trees[i]->total, node);

		walk->table.next[i] = (struct table_values){total, total};
	}
}

static int is_worth(struct walk *walk, uint32_t node)
{
	set_values(walk, node);
	return table_next_is_worth(&walk->table, &walk->metrics, &walk->choices->sort);
}

/* The children to show, sorted. The caller frees. */
static uint32_t *children(struct walk *walk, uint32_t node, size_t *count)
{
	const struct tree *tree = walk->tree;
	struct order order = {.walk = walk,
	                      .metric = walk->choices->sort.metric.id,
	                      .reverse = walk->choices->sort.reverse};
	uint32_t *list = NULL;
	size_t capacity = 0;

	*count = 0;
	for (uint32_t child = tree->nodes[node].first_child; child != TREE_NONE;
	     child = tree->nodes[child].next_sibling) {
		if (!is_worth(walk, child))
			continue;
		list = memory_grow(list, *count, &capacity, sizeof(*list));
		list[(*count)++] = child;
	}
	if (*count > 1)
		qsort_r(list, *count, sizeof(*list), compare, &order);
	return list;
}

static void add_node(struct walk *walk, uint32_t node, size_t depth)
{
	set_values(walk, node);
	table_add_next(&walk->table, walk->tree, walk->tree->nodes[node].item,
	               label(walk, node, depth));
	walk->table.rows[walk->table.count - 1].depth = (uint32_t)depth;
}

/* Whether the rule at this level goes on beside what is below the node just reached. */
static void set_rule(struct walk *walk, size_t level, int has_more)
{
	if (level < INDENT_MAX)
		walk->rules[level] = has_more != 0;
}

/* Go down to a node: its line, then its children are next. */
static void enter(struct walk *walk, uint32_t node, size_t depth)
{
	struct level level = {.next = 0};

	add_node(walk, node, depth);
	level.children = children(walk, node, &level.count);
	walk->levels = memory_grow(walk->levels, depth, &walk->level_capacity,
	                           sizeof(*walk->levels));
	walk->levels[depth] = level;
}

static int is_full(const struct walk *walk)
{
	return walk->limit != 0 && walk->table.count >= walk->limit;
}

static void add_tree(struct walk *walk)
{
	size_t depth = 0;

	enter(walk, TREE_ROOT, 0);
	for (;;) {
		struct level *level = &walk->levels[depth];

		if (level->next < level->count && !is_full(walk)) {
			uint32_t node = level->children[level->next++];

			/* The line above a node goes on below it only while it has siblings. */
			set_rule(walk, depth, level->next < level->count);
			enter(walk, node, ++depth);
			continue;
		}
		free(level->children);
		if (depth-- == 0)
			break;
	}
	free(walk->levels);
}

void view_calltree(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct walk walk = {.choices = choices,
	                    .tree = dataset_tree(dataset, TREE_FUNCTIONS),
	                    .limit = choices->limit};
	struct metric sorted = choices->sort.metric;
	char text[METRIC_ERROR_MAX];

	(void)argument;
	if (sorted.id < METRIC_VALUES)
		sorted.flavor = METRIC_ATTRIBUTED;
	walk.trees = compare_trees(dataset, TREE_FUNCTIONS);
	compare_table(dataset, &walk.table, TREE_FUNCTIONS);
	walk.table.has_depth = print_is_data(output);
	metric_list_attributed(&choices->metrics, &walk.metrics);
	add_tree(&walk);
	quality_put(dataset, output);
	metric_describe(&sorted, text);
	if (print_is_data(output))
		print_note(output, "Functions Call Tree. Metric: %s", text);
	else
		fprintf(output->out, "Functions Call Tree. Metric: %s\n\n", text);
	table_put(dataset, output, &walk.table, &walk.metrics, 0, "calltree");
	fputc('\n', output->out);
	table_fini(&walk.table);
	free(walk.trees);
}
