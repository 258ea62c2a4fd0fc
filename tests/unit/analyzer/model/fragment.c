/* Tests of analyzer/model/fragment.c: callers and callees of pieces of stack. */
#include "analyzer/model/fragment.h"

#include <criterion/criterion.h>

enum { A, B, C, D, FUNCTIONS };
static const struct sym_object object = {.name = "o", .path = "/o"};
static struct sym_function total = {.name = "<Total>", .object = &object};
static struct sym_function functions[FUNCTIONS] = {
	{.name = "a", .object = &object},
	{.name = "b", .object = &object},
	{.name = "c", .object = &object},
	{.name = "d", .object = &object},
};
static struct tree *tree;

static void add(const char *stack, uint64_t samples)
{
	struct metric_values values = {.of = {[METRIC_SAMPLES] = samples}};
	uint32_t node = TREE_ROOT;

	for (; *stack != '\0'; stack++)
		node = tree_child(tree, node,
		                  &(struct sym_frame){.function = &functions[*stack - 'a']});
	tree_credit(tree, node, &values);
}

static void set_up(void)
{
	tree = tree_create(TREE_FUNCTIONS, &total);
	add("ab", 1);
	add("abc", 2);
	add("dabc", 4);
	add("dababd", 8);
	add("acb", 16);
	add("aab", 32);
	tree_finish(tree);
}

static void tear_down(void)
{
	tree_destroy(tree);
}

TestSuite(fragment, .init = set_up, .fini = tear_down);

static uint64_t of(const struct columns *values, const struct sym_function *function)
{
	uint32_t item = fragment_item(tree, function);

	return item == TREE_NONE ? 0 : columns_at(values, item, METRIC_SAMPLES);
}

Test(fragment, two_functions)
{
	const struct fragment fragment = {.functions = {&functions[A], &functions[B]}, .count = 2};
	struct fragment_values values = fragment_find(&fragment, tree);

	cr_assert_eq(values.total.of[METRIC_SAMPLES], 1 + 2 + 4 + 8 + 32);
	cr_assert_eq(values.own.of[METRIC_SAMPLES], 1 + 32);
	cr_assert_eq(of(&values.callers, &total), 1 + 2);
	cr_assert_eq(of(&values.callers, &functions[D]), 4 + 8,
	             "the outermost place of a recursion decides");
	cr_assert_eq(of(&values.callers, &functions[A]), 32);
	cr_assert_eq(of(&values.callees, &functions[C]), 2 + 4);
	cr_assert_eq(of(&values.callees, &functions[D]), 8, "the innermost place decides");
	cr_assert_eq(of(&values.callees, &functions[A]), 0);
	fragment_values_fini(&values);
}

Test(fragment, one_function_and_none)
{
	struct fragment fragment = {.functions = {&functions[C]}, .count = 1};
	struct fragment_values values = fragment_find(&fragment, tree);

	cr_assert_eq(values.total.of[METRIC_SAMPLES], 2 + 4 + 16);
	cr_assert_eq(of(&values.callers, &functions[A]), 16);
	cr_assert_eq(of(&values.callees, &functions[B]), 16);
	fragment_values_fini(&values);
	fragment = (struct fragment){.functions = {&functions[C], &functions[D]}, .count = 2};
	values = fragment_find(&fragment, tree);
	cr_assert_eq(values.total.of[METRIC_SAMPLES], 0);
	fragment_values_fini(&values);
}
