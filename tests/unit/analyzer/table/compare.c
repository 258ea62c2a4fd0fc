/* Tests of comparisons: which functions of different builds belong together, parts of trees, and
 * columns of tables. */
#include "analyzer/table/compare.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/stacks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sym_object none = {.path = "<Unknown>", .name = "<Unknown>", .build_id = ""};
static const struct sym_object old_prog = {.path = "/a/prog", .name = "prog", .build_id = "aa"};
static const struct sym_object new_prog = {.path = "/b/prog", .name = "prog", .build_id = "bb"};
static const struct sym_object moved_prog = {.path = "/c/prog", .name = "prog", .build_id = "aa"};
static const struct sym_object other = {.path = "/b/other", .name = "other", .build_id = "cc"};

static struct sym_function total = {
	.name = "<Total>", .mangled = "<Total>", .object = &none, .index = 0};

static struct sym_function function(const char *name, const struct sym_object *object,
                                    uint64_t address, size_t index)
{
	return (struct sym_function){.name = name,
	                             .mangled = name,
	                             .object = object,
	                             .address = address,
	                             .index = index};
}

Test(shown, without_rules_a_function_is_itself)
{
	struct shown *shown = shown_create();
	struct sym_function a = function("f", &old_prog, 0x10, 1),
			    b = function("f", &new_prog, 0x20, 2);

	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &b);
	shown_destroy(shown);
}

Test(shown, functions_of_builds_are_one_by_name_and_not_by_address)
{
	struct shown *shown = shown_create();
	struct sym_function a = function("f", &old_prog, 0x10, 1),
			    b = function("f", &new_prog, 0x20, 2);
	struct sym_function g = function("g", &new_prog, 0x10, 3),
			    elsewhere = function("f", &other, 0x10, 4);

	shown_set_compare(shown, 1);
	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &a);
	cr_assert_eq(shown_function(shown, &g), &g);
	cr_assert_eq(shown_function(shown, &elsewhere), &elsewhere);
	shown_set_compare(shown, 0);
	cr_assert_eq(shown_function(shown, &b), &b);
	shown_destroy(shown);
}

Test(shown, static_functions_of_other_files_are_others)
{
	struct shown *shown = shown_create();
	struct sym_function a = function("f", &old_prog, 0x10, 1),
			    b = function("f", &old_prog, 0x20, 2);
	struct sym_function new_b = function("f", &new_prog, 0x10, 3),
			    unknown = function("f", &new_prog, 0x90, 4);

	a.file = "/src/a.c";
	b.file = "/src/b.c";
	new_b.file = "/elsewhere/b.c";
	shown_set_compare(shown, 1);
	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &b);
	cr_assert_eq(shown_function(shown, &new_b), &b);
	cr_assert(shown_function(shown, &unknown) == &a || shown_function(shown, &unknown) == &b);
	shown_destroy(shown);
}

Test(shown, code_without_a_name_is_one_within_a_build_only)
{
	struct shown *shown = shown_create();
	struct sym_function a = function("prog+0x10", &old_prog, 0x10, 1),
			    b = function("prog+0x10", &new_prog, 0x10, 2);
	struct sym_function moved = function("prog+0x10", &moved_prog, 0x10, 3);

	a.unresolved = b.unresolved = moved.unresolved = 1;
	shown_set_compare(shown, 1);
	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &b);
	cr_assert_eq(shown_function(shown, &moved), &a);
	shown_destroy(shown);
}

Test(shown, jit_functions_are_one_by_name)
{
	static const struct sym_object made = {
		.path = "<Dynamic>", .name = "<Dynamic>", .build_id = ""};
	struct shown *shown = shown_create();
	struct sym_function a = function("jitted", &made, 0x10, 1),
			    b = function("jitted", &made, 0x20, 2);

	shown_set_compare(shown, 1);
	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &a);
	shown_destroy(shown);
}

Test(shown, programs_of_other_names_can_be_one)
{
	struct shown *shown = shown_create();
	struct sym_function a = function("f", &old_prog, 0x10, 1),
			    b = function("f", &other, 0x20, 2);

	shown_set_compare(shown, 1);
	shown_set_alias(shown, "other", "prog");
	cr_assert_eq(shown_function(shown, &a), &a);
	cr_assert_eq(shown_function(shown, &b), &a);
	shown_destroy(shown);
}

Test(shown, a_hidden_object_stands_for_its_functions)
{
	struct shown *shown = shown_create();
	struct sym_function f = function("f", &old_prog, 0x10, 1),
			    g = function("g", &old_prog, 0x20, 2);
	struct sym_function caller = function("main", &other, 0x10, 3);
	const struct sym_function *object;

	shown_set(shown, "prog", SHOWN_NAME);
	object = shown_function(shown, &f);
	cr_assert_str_eq(object->name, "prog");
	cr_assert_eq(shown_function(shown, &g), object);
	cr_assert(shown_is_object(shown, object));
	cr_assert(shown_is_folded(shown, object, object));
	cr_assert_not(shown_is_folded(shown, &caller, object));
	cr_assert_eq(shown_function(shown, &caller), &caller);
	cr_assert_eq(shown_function(shown, &total), &total, "what is in no object is never hidden");
	shown_set(shown, "/a/prog", SHOWN_ALL);
	cr_assert_eq(shown_function(shown, &f), &f, "the last word counts");
	shown_reset(shown);
	cr_assert_eq(shown_how(shown, &old_prog), SHOWN_ALL);
	shown_destroy(shown);
}

Test(shown, of_an_interface_only_calls_from_outside_are_shown)
{
	struct shown *shown = shown_create();
	struct sym_function f = function("f", &old_prog, 0x10, 1),
			    g = function("g", &old_prog, 0x20, 2);
	struct sym_function caller = function("main", &other, 0x10, 3);

	shown_set(shown, NULL, SHOWN_API);
	shown_set(shown, "other", SHOWN_ALL);
	cr_assert_eq(shown_function(shown, &f), &f);
	cr_assert_not(shown_is_folded(shown, &caller, &f));
	cr_assert(shown_is_folded(shown, &f, &g));
	cr_assert_not(shown_is_folded(shown, &f, &caller));
	cr_assert_not(shown_is_folded(shown, &caller, &caller), "recursion of what is shown stays");
	shown_destroy(shown);
}

/* ---- trees of parts ---- */

static void credit(struct tree *tree, uint32_t node, uint64_t bytes)
{
	const struct metric_values values = {.of = {[METRIC_HEAPALLOCBYTES] = bytes}};

	tree_credit(tree, node, &values);
}

/* main calls f in both parts (10 and 30 bytes), g only in the second one (5). */
static struct tree *two_parts(const struct sym_function *main_function,
                              const struct sym_function *f, const struct sym_function *g)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &total);
	uint32_t top = tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = main_function});

	tree->compare = TREE_COMPARE_DELTA;
	credit(tree, tree_child(tree, top, &(struct sym_frame){.function = f}), 10);
	tree_end_part(tree);
	credit(tree, tree_child(tree, top, &(struct sym_frame){.function = f}), 30);
	credit(tree, tree_child(tree, top, &(struct sym_frame){.function = g}), 5);
	tree_end_part(tree);
	tree_finish(tree);
	return tree;
}

Test(tree_parts, add_up_to_the_whole_and_share_its_numbers)
{
	struct sym_function top = function("main", &old_prog, 1, 1),
			    f = function("f", &old_prog, 2, 2), g = function("g", &old_prog, 3, 3);
	struct tree *tree = two_parts(&top, &f, &g);
	struct fold *whole = fold_items(tree), *first = fold_items(&tree->parts[0]),
		    *second = fold_items(&tree->parts[1]);
	struct fold_edges *edges[] = {fold_edges_create(tree), fold_edges_create(&tree->parts[0]),
	                              fold_edges_create(&tree->parts[1])};

	cr_assert_eq(tree->part_count, 2u);
	cr_assert_eq(tree->sum.of[METRIC_HEAPALLOCBYTES], 45u);
	cr_assert_eq(tree->parts[0].sum.of[METRIC_HEAPALLOCBYTES], 10u);
	cr_assert_eq(tree->parts[1].sum.of[METRIC_HEAPALLOCBYTES], 35u);
	for (size_t i = 0; i < tree->item_count; i++)
		cr_assert_eq(columns_at(&whole->total, i, METRIC_HEAPALLOCBYTES),
		             columns_at(&first->total, i, METRIC_HEAPALLOCBYTES) +
		                     columns_at(&second->total, i, METRIC_HEAPALLOCBYTES));
	cr_assert_eq(edges[0]->count, edges[1]->count);
	cr_assert_eq(edges[0]->count, edges[2]->count);
	for (size_t i = 0; i < edges[0]->count; i++) {
		cr_assert_eq(edges[0]->edges[i].caller, edges[1]->edges[i].caller);
		cr_assert_eq(edges[0]->edges[i].callee, edges[2]->edges[i].callee);
	}
	for (size_t i = 0; i < 3; i++)
		fold_edges_destroy(edges[i]);
	fold_destroy(whole);
	fold_destroy(first);
	fold_destroy(second);
	tree_destroy(tree);
}

Test(tree_parts, frames_of_builds_are_one_by_function_and_line)
{
	struct sym_function f = function("f", &old_prog, 2, 2);
	struct sym_frame here = {.function = &f, .file = "/a/x.c", .line = 3, .address = 0x10};
	struct sym_frame there = {.function = &f, .file = "/b/x.c", .line = 3, .address = 0x20};
	struct tree *tree = tree_create(TREE_FRAMES, &total),
		    *apart = tree_create(TREE_FRAMES, &total);

	tree->compare = TREE_COMPARE_ON;
	cr_assert_eq(tree_child(tree, TREE_ROOT, &here), tree_child(tree, TREE_ROOT, &there));
	cr_assert_neq(tree_child(apart, TREE_ROOT, &here), tree_child(apart, TREE_ROOT, &there));
	there.line = 4;
	cr_assert_neq(tree_child(tree, TREE_ROOT, &here), tree_child(tree, TREE_ROOT, &there));
	tree_destroy(tree);
	tree_destroy(apart);
}

static uint64_t bytes_of(const struct metric_view *values, const void *context)
{
	(void)context;
	return metric_at(values, METRIC_HEAPALLOCBYTES);
}

Test(tree_parts, stacks_are_sorted_by_base_or_difference)
{
	const struct stacks_kind kind = {.count = bytes_of, .weigh = bytes_of};
	struct sym_function top = function("main", &old_prog, 1, 1),
			    f = function("f", &old_prog, 2, 2), g = function("g", &old_prog, 3, 3);
	struct tree *tree = tree_create(TREE_FRAMES, &total);
	uint32_t *stacks;
	size_t count;

	tree->compare = TREE_COMPARE_DELTA;
	credit(tree, tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = &top}), 100);
	credit(tree, tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = &f}), 50);
	tree_end_part(tree);
	credit(tree, tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = &top}), 101);
	credit(tree, tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = &f}), 10);
	credit(tree, tree_child(tree, TREE_ROOT, &(struct sym_frame){.function = &g}), 3);
	tree_end_part(tree);
	tree_finish(tree);
	stacks = stacks_find(tree, &kind, &count);
	cr_assert_eq(count, 3u);
	cr_assert_eq(tree->items[tree->nodes[stacks[0]].item].function, &f);
	cr_assert_eq(tree->items[tree->nodes[stacks[2]].item].function, &top);
	free(stacks);
	tree->compare = TREE_COMPARE_ON;
	stacks = stacks_find(tree, &kind, &count);
	cr_assert_eq(tree->items[tree->nodes[stacks[0]].item].function, &top);
	cr_assert_eq(tree->items[tree->nodes[stacks[2]].item].function, &g);
	free(stacks);
	tree_destroy(tree);
}

/* ---- tables ---- */

/* The table of two_parts as text; the caller frees it. */
static char *print_columns(enum tree_compare compare)
{
	struct sym_function top = function("main", &old_prog, 1, 1),
			    f = function("f", &old_prog, 2, 2), g = function("g", &old_prog, 3, 3);
	struct tree *tree = two_parts(&top, &f, &g);
	struct fold *folds[] = {fold_items(&tree->parts[0]), fold_items(&tree->parts[1])};
	struct table table = {.compare = compare,
	                      .group_count = 2,
	                      .groups = memory_take(2, sizeof(struct table_group)),
	                      .next = memory_take(2, sizeof(struct table_values))};
	struct metric_list metrics;
	struct metric_sort sort;
	char error[METRIC_ERROR_MAX], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(metric_list_parse("i.%heapallocbytes", EXP_DATA_HEAP, &metrics, error), 0);
	cr_assert_eq(metric_sort_parse("i.heapallocbytes", EXP_DATA_HEAP, &sort, error), 0);
	for (size_t i = 0; i < 2; i++) {
		table.groups[i].label = memory_format("run%zu", i + 1);
		table.groups[i].sum = tree->parts[i].sum;
	}
	table.sum = table.groups[0].sum;
	for (uint32_t item = 0; item < tree->item_count; item++) {
		for (size_t i = 0; i < 2; i++)
			table.next[i] = (struct table_values){columns_view(&folds[i]->own, item),
			                                      columns_view(&folds[i]->total, item)};
		cr_assert(table_next_is_worth(&table, &metrics, &sort));
		table_add_next(&table, tree, item,
		               memory_format("%s", tree->items[item].function->name));
	}
	table_sort(&table, 1, &sort, &metrics);
	table_print(&table, &metrics, 0, out);
	fclose(out);
	table_fini(&table);
	fold_destroy(folds[0]);
	fold_destroy(folds[1]);
	tree_destroy(tree);
	return text;
}

static void check_columns(enum tree_compare compare, const char *expected)
{
	char *text = print_columns(compare);

	cr_assert_str_eq(text, expected);
	free(text);
}

Test(columns, groups_stand_side_by_side)
{
	check_columns(TREE_COMPARE_ON, "run1              run2\n"
	                               "Incl.             Incl.             Name\n"
	                               "Bytes Allocated   Bytes Allocated\n"
	                               "        %                 %\n"
	                               "10 100.00         35 100.00         <Total>\n"
	                               "10 100.00         30  85.71         f\n"
	                               "10 100.00         35 100.00         main\n"
	                               " 0   0.00          5  14.29         g\n");
}

Test(columns, differences_decide_the_order)
{
	check_columns(TREE_COMPARE_DELTA, "run1              run2\n"
	                                  "Incl.             Incl.             Name\n"
	                                  "Bytes Allocated   Bytes Allocated\n"
	                                  "        %                  %\n"
	                                  "10 100.00         +25   0.00        <Total>\n"
	                                  "10 100.00         +25   0.00        main\n"
	                                  "10 100.00         +20 -14.29        f\n"
	                                  " 0   0.00          +5 +14.29        g\n");
}

Test(columns, ratios_tell_what_is_new)
{
	check_columns(TREE_COMPARE_RATIO, "run1              run2\n"
	                                  "Incl.             Incl.             Name\n"
	                                  "Bytes Allocated   Bytes Allocated\n"
	                                  "        %                     %\n"
	                                  "10 100.00         x3.500 100.00     <Total>\n"
	                                  "10 100.00         x3.000  85.71     f\n"
	                                  "10 100.00         x3.500 100.00     main\n"
	                                  " 0   0.00            new  14.29     g\n");
}

static void expect_label(const struct dataset *dataset, size_t column, const char *expected)
{
	char *label = compare_label(dataset, column);

	cr_expect_str_eq(label, expected, "%zu: %s", column, label);
	free(label);
}

Test(compare_label, is_the_name_of_the_group_if_that_is_short_and_its_own)
{
	struct dataset_group groups[] = {{.path = "/a/old.erg"},
	                                 {.path = "new.er"},
	                                 {.path = "a/log.xray"},
	                                 {.path = "a/same.er"},
	                                 {.path = "b/same.erg"},
	                                 {.path = "a b.er"},
	                                 {.path = "name_of_16_bytes.er"},
	                                 {.path = "name_of_17_bytes_.er"},
	                                 {.path = "d/.er"},
	                                 {.path = "[1].er"}};
	struct dataset_experiment experiments[10];
	struct dataset dataset = {.groups = groups,
	                          .group_count = 10,
	                          .experiments = experiments,
	                          .count = 10,
	                          .focus = DATASET_ALL};
	struct dataset_tables tables = {.compare = TREE_COMPARE_ON};

	for (unsigned i = 0; i < 10; i++)
		experiments[i] = (struct dataset_experiment){.group = i, .is_selected = 1};
	dataset.tables = &tables;
	expect_label(&dataset, 0, "old");
	expect_label(&dataset, 1, "new");
	expect_label(&dataset, 2, "log.xray");
	expect_label(&dataset, 3, "[4]");
	expect_label(&dataset, 4, "[5]");
	expect_label(&dataset, 5, "[6]");
	expect_label(&dataset, 6, "name_of_16_bytes");
	expect_label(&dataset, 7, "[8]");
	expect_label(&dataset, 8, ".er");
	expect_label(&dataset, 9, "[10]");
}
