/* Tests of analyzer/model/tree.c and analyzer/model/fold.c: sums over call trees. */
#include "analyzer/model/fold.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct sym_function functions[8];

/* Add a stack, its outermost function first, one letter each; 'a' is functions[1]. */
static uint32_t add_stack(struct tree *tree, const char *stack, uint64_t value)
{
	struct metric_values values = {.of = {[METRIC_TOTALCPU] = value}};
	uint32_t node = TREE_ROOT;

	for (; *stack != '\0'; stack++) {
		struct sym_frame frame = {.function = &functions[*stack - 'a' + 1]};

		node = tree_child(tree, node, &frame);
	}
	tree_credit(tree, node, &values);
	return node;
}

static size_t item_of(const struct tree *tree, char letter)
{
	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function == &functions[letter - 'a' + 1])
			return i;
	return SIZE_MAX;
}

static uint64_t own(const struct fold *fold, const struct tree *tree, char letter)
{
	return columns_at(&fold->own, item_of(tree, letter), METRIC_TOTALCPU);
}

static uint64_t total(const struct fold *fold, const struct tree *tree, char letter)
{
	return columns_at(&fold->total, item_of(tree, letter), METRIC_TOTALCPU);
}

Test(fold, inclusive_counts_a_recursion_once)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);
	struct fold *fold;

	add_stack(tree, "abbb", 10);
	add_stack(tree, "abc", 5);
	add_stack(tree, "abcb", 3);
	add_stack(tree, "b", 1);
	tree_finish(tree);
	fold = fold_items(tree);
	cr_assert_eq(columns_at(&fold->total, 0, METRIC_TOTALCPU), 19);
	cr_assert_eq(total(fold, tree, 'a'), 18);
	cr_assert_eq(total(fold, tree, 'b'), 19);
	cr_assert_eq(total(fold, tree, 'c'), 8);
	cr_assert_eq(own(fold, tree, 'a'), 0);
	cr_assert_eq(own(fold, tree, 'b'), 14);
	cr_assert_eq(own(fold, tree, 'c'), 5);
	fold_destroy(fold);
	tree_destroy(tree);
}

Test(fold, equal_stacks_are_one_node)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);
	uint32_t node = add_stack(tree, "abc", 1);

	cr_assert_eq(add_stack(tree, "abc", 2), node);
	cr_assert_neq(add_stack(tree, "acb", 2), node);
	cr_assert_eq(tree_own(tree, node, METRIC_TOTALCPU), 3);
	tree_destroy(tree);
}

Test(fold, line_mode_tells_lines_apart_and_function_mode_does_not)
{
	struct sym_frame one = {.function = &functions[1], .file = "x.c", .line = 1, .address = 16};
	struct sym_frame two = {.function = &functions[1], .file = "x.c", .line = 2, .address = 32};
	struct tree *lines = tree_create(TREE_LINES, &functions[0]);
	struct tree *names = tree_create(TREE_FUNCTIONS, &functions[0]);

	cr_assert_neq(tree_child(lines, TREE_ROOT, &one), tree_child(lines, TREE_ROOT, &two));
	cr_assert_eq(tree_child(names, TREE_ROOT, &one), tree_child(names, TREE_ROOT, &two));
	tree_destroy(lines);
	tree_destroy(names);
}

/* For every function: inclusive = sum over callers = exclusive + sum over callees. */
static void check_edges(const struct tree *tree)
{
	struct fold *fold = fold_items(tree);
	struct fold_edges *edges = fold_edges_create(tree);

	for (size_t item = 0; item < tree->item_count; item++) {
		uint64_t callers = 0, callees = 0;

		for (size_t i = 0; i < edges->count; i++) {
			if (edges->edges[i].callee == item)
				callers += columns_at(&edges->as_caller, i, METRIC_TOTALCPU);
			if (edges->edges[i].caller == item)
				callees += columns_at(&edges->as_callee, i, METRIC_TOTALCPU);
		}
		if (item != 0)
			cr_assert_eq(callers, columns_at(&fold->total, item, METRIC_TOTALCPU));
		cr_assert_eq(columns_at(&fold->own, item, METRIC_TOTALCPU) + callees,
		             columns_at(&fold->total, item, METRIC_TOTALCPU));
	}
	fold_edges_destroy(edges);
	fold_destroy(fold);
}

Test(fold, callers_and_callees_add_up)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);

	add_stack(tree, "abbb", 10);
	add_stack(tree, "abcbd", 3);
	add_stack(tree, "acdcb", 7);
	tree_finish(tree);
	check_edges(tree);
	tree_destroy(tree);
}

Test(fold, callers_and_callees_add_up_for_random_recursion)
{
	unsigned seed = (unsigned)time(NULL);

	fprintf(stderr, "fold: seed %u\n", seed);
	for (int round = 0; round < 50; round++) {
		struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);

		for (int i = 0; i < 40; i++) {
			char stack[16] = "";
			int len = rand_r(&seed) % 15;

			for (int j = 0; j < len; j++)
				stack[j] = (char)('a' + rand_r(&seed) % 7);
			add_stack(tree, stack, 1 + (uint64_t)(rand_r(&seed) % 100));
		}
		tree_finish(tree);
		check_edges(tree);
		tree_destroy(tree);
	}
}

Test(fold, depth_first_walk_visits_each_node_once)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);
	size_t seen = 0, depth = 0;

	add_stack(tree, "abc", 1);
	add_stack(tree, "abd", 1);
	add_stack(tree, "e", 1);
	for (uint32_t node = TREE_ROOT; node != TREE_NONE; node = tree_next(tree, node, &depth))
		seen++;
	cr_assert_eq(seen, tree->count);
	cr_assert_eq(seen, 6);
	tree_destroy(tree);
}

Test(fold, sets_of_items_count_a_stack_once)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &functions[0]);
	uint32_t key_of[8];
	struct fold *fold;

	add_stack(tree, "abcd", 10);
	add_stack(tree, "bd", 4);
	add_stack(tree, "c", 1);
	tree_finish(tree);
	/* b and c are one set, d is another; the other functions are in none. */
	for (size_t i = 0; i < tree->item_count; i++)
		key_of[i] = TREE_NONE;
	key_of[item_of(tree, 'b')] = key_of[item_of(tree, 'c')] = 0;
	key_of[item_of(tree, 'd')] = 1;
	fold = fold_sets(tree, key_of, 2);
	cr_assert_eq(columns_at(&fold->total, 0, METRIC_TOTALCPU), 15,
	             "the stack with b and c counts once");
	cr_assert_eq(columns_at(&fold->own, 0, METRIC_TOTALCPU), 1);
	cr_assert_eq(columns_at(&fold->total, 1, METRIC_TOTALCPU), 14);
	cr_assert_eq(columns_at(&fold->own, 1, METRIC_TOTALCPU), 14);
	fold_destroy(fold);
	tree_destroy(tree);
}
