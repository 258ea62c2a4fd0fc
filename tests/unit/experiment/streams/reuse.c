/* Stacks through addresses where different functions were at different times are split by time. */
#include "experiment/streams/reuse.h"

#include "experiment/base/instant.h"
#include "experiment/jit/dynamic.h"
#include "experiment/jit/moments.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { A = 0x1000, B = 0x2000 };

static struct experiment experiment;
static struct exp_dynamic dynamic;
static struct exp_node_table table;

static void set_up(void)
{
	dynamic.experiment = &experiment;
	table.damaged_root = EXP_NODE_NONE;
}

static void tear_down(void)
{
	exp_nodes_fini(&table);
	free(experiment.instants);
	exp_arena_fini(&experiment.arena);
}

TestSuite(reuse, .init = set_up, .fini = tear_down);

static void function(const char *name, uint64_t address, uint64_t from, uint64_t to)
{
	const struct exp_function function = {.name = name,
	                                      .address = address,
	                                      .size = 0x100,
	                                      .generation_to = UINT32_MAX,
	                                      .origin = EXP_ORIGIN_JITDUMP,
	                                      .ticks_from = from,
	                                      .ticks_to = to};

	cr_assert_eq(exp_dynamic_add(&dynamic, &function), 0);
}

static uint32_t node(uint64_t pc, uint32_t parent)
{
	cr_assert_eq(exp_nodes_add(&table, pc, parent, 0), 0);
	return (uint32_t)table.count - 1;
}

static void divide(void)
{
	cr_assert_eq(exp_dynamic_finish(&dynamic), 0);
	cr_assert_eq(exp_reuse_make(&experiment, &table), 0);
}

/* The name of the function that a node means at a moment, by the generation of the node that stands
 * for it then. */
static const char *name_at(uint32_t at, uint64_t ticks)
{
	uint32_t then = exp_reuse_at(table.reuse, at, ticks);
	const struct exp_function *found = exp_function_then(
		&experiment, table.pc[then], exp_instant_of(&experiment, table.generation[then]));

	return found ? found->name : "none";
}

Test(reuse, a_node_means_the_function_that_was_there_at_the_time)
{
	uint32_t stack;

	function("first", A, 10, UINT64_MAX);
	function("second", A, 100, UINT64_MAX);
	function("third", A, 1000, UINT64_MAX);
	stack = node(A + 8, EXP_NODE_NONE);
	divide();
	cr_assert_not_null(table.reuse);
	cr_expect_str_eq(name_at(stack, 5), "first", "before all it is the first");
	cr_expect_str_eq(name_at(stack, 99), "first");
	cr_expect_str_eq(name_at(stack, 100), "second");
	cr_expect_str_eq(name_at(stack, 999), "second");
	cr_expect_str_eq(name_at(stack, 1000), "third");
	cr_expect_str_eq(name_at(stack, UINT64_MAX - 1), "third");
	cr_expect_eq(table.count, 3);
	cr_expect_eq(exp_reuse_at(table.reuse, stack, 50), stack, "the node itself is the first");
}

Test(reuse, nodes_of_other_places_stay_as_they_are)
{
	uint32_t stack;

	function("first", A, 10, UINT64_MAX);
	function("second", A, 100, UINT64_MAX);
	stack = node(0x9000, EXP_NODE_NONE);
	divide();
	cr_expect_eq(table.count, 1);
	cr_expect_eq(exp_reuse_at(table.reuse, stack, 500), stack);
	cr_expect_eq(exp_reuse_at(table.reuse, 77, 500), 77, "no node of the file");
}

Test(reuse, functions_that_never_share_a_place_divide_nothing)
{
	function("first", A, 10, UINT64_MAX);
	function("second", B, 100, UINT64_MAX);
	node(A + 8, EXP_NODE_NONE);
	divide();
	cr_expect_null(table.reuse);
}

Test(reuse, callees_are_divided_with_their_callers)
{
	uint32_t outer, inner;

	function("first", A, 10, UINT64_MAX);
	function("second", A, 100, UINT64_MAX);
	function("one", B, 10, UINT64_MAX);
	function("two", B, 50, UINT64_MAX);
	function("three", B, 100, UINT64_MAX);
	outer = node(A + 8, EXP_NODE_NONE);
	inner = node(B + 8, outer);
	divide();
	for (uint64_t ticks = 0; ticks < 200; ticks += 10) {
		uint32_t at = exp_reuse_at(table.reuse, inner, ticks);

		cr_expect_str_eq(name_at(inner, ticks),
		                 ticks < 50    ? "one"
		                 : ticks < 100 ? "two"
		                               : "three",
		                 "%lu", ticks);
		cr_expect_eq(table.parent[at], exp_reuse_at(table.reuse, outer, ticks), "%lu",
		             ticks);
		cr_expect_eq(table.pc[at], B + 8);
	}
	cr_expect_eq(table.count, 2 + 1 + 2, "one more outer node, two more inner ones");
}

/* A call that is the last instruction of a function returns to an address after its last byte. */
Test(reuse, a_return_address_behind_a_function_is_divided_too)
{
	uint32_t stack;

	function("first", A, 10, UINT64_MAX);
	function("second", A, 100, UINT64_MAX);
	stack = node(A + 0x100, EXP_NODE_NONE);
	divide();
	cr_expect_eq(exp_reuse_at(table.reuse, stack, 99), stack);
	cr_expect_neq(exp_reuse_at(table.reuse, stack, 100), stack);
}

Test(reuse, the_same_function_told_twice_is_no_other)
{
	uint32_t stack;

	function("first", A, 10, UINT64_MAX);
	function("first", A, 100, UINT64_MAX);
	function("second", A, 200, UINT64_MAX);
	stack = node(A + 8, EXP_NODE_NONE);
	divide();
	cr_expect_eq(table.count, 2);
	cr_expect_eq(exp_reuse_at(table.reuse, stack, 150), stack);
	cr_expect_str_eq(name_at(stack, 200), "second");
}

Test(reuse, a_function_that_is_gone_leaves_the_place_to_what_is_still_there)
{
	uint32_t stack;

	function("outer", A, 10, UINT64_MAX);
	function("inner", A, 100, 200);
	stack = node(A + 8, EXP_NODE_NONE);
	divide();
	cr_expect_str_eq(name_at(stack, 99), "outer");
	cr_expect_str_eq(name_at(stack, 100), "inner");
	cr_expect_str_eq(name_at(stack, 199), "inner");
	cr_expect_str_eq(name_at(stack, 200), "outer");
}
