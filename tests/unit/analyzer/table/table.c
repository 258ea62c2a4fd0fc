/* Tests of analyzer/table/table.c: columns, order and limit. */
#include "analyzer/table/table.h"

#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sym_function total = {.name = "<Total>"}, work = {.name = "work"},
			   rest = {.name = "rest"};
static const struct metric_values whole = {
	.of = {[METRIC_TOTALCPU] = 10000000000, [METRIC_HEAPALLOCCNT] = 12},
};
static const struct metric_values most = {
	.of = {[METRIC_TOTALCPU] = 7500000000, [METRIC_HEAPALLOCCNT] = 2},
};
static const struct metric_values little = {
	.of = {[METRIC_TOTALCPU] = 2500000000, [METRIC_HEAPALLOCCNT] = 10},
};

static void add_row(struct table *table, const struct metric_values *values,
                    const struct tree *tree, uint32_t item, char *name)
{
	struct table_values next = {metric_view_of(values), metric_view_of(values)};

	table->next = &next;
	table->group_count = 1;
	table_add_next(table, tree, item, name);
	table->next = NULL;
	table->group_count = 0;
}

static void fill(struct table *table, const struct metric_list *metrics,
                 const struct metric_sort *sort)
{
	struct tree *tree = tree_create(TREE_FUNCTIONS, &total);
	struct sym_frame frames[] = {{.function = &work}, {.function = &rest}};
	uint32_t nodes[] = {tree_child(tree, TREE_ROOT, &frames[0]),
	                    tree_child(tree, TREE_ROOT, &frames[1])};

	*table = (struct table){.sum = whole};
	add_row(table, &whole, tree, 0, memory_format("<Total>"));
	add_row(table, &little, tree, tree->nodes[nodes[1]].item, memory_format("rest"));
	add_row(table, &most, tree, tree->nodes[nodes[0]].item, memory_format("work"));
	table_sort(table, 1, sort, metrics);
	tree_destroy(tree);
}

/* `width`: columns of the terminal; 0: there is none. */
static void check_within(size_t width, const char *spec, const char *order, size_t limit,
                         const char *expected)
{
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;
	char error[METRIC_ERROR_MAX];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(metric_list_parse(spec, 3, &metrics, error), 0);
	cr_assert_eq(metric_sort_parse(order, 3, &sort, error), 0);
	fill(&table, &metrics, &sort);
	table.width = width;
	table_print(&table, &metrics, limit, out);
	fclose(out);
	cr_assert_str_eq(text, expected, "%s", text);
	free(text);
	table_fini(&table);
}

static void check(const char *spec, const char *order, size_t limit, const char *expected)
{
	check_within(0, spec, order, limit, expected);
}

Test(table, numbers_are_right_aligned_and_the_name_is_last)
{
	check("e.%totalcpu:i.heapalloccnt", "e.totalcpu", 0,
	      "Excl.           Incl.         Name\n"
	      "Total CPU       Allocations\n"
	      "  sec.      %\n"
	      "10.000 100.00   12            <Total>\n"
	      " 7.500  75.00    2            work\n"
	      " 2.500  25.00   10            rest\n");
}

Test(table, sort_order_can_be_another_metric_or_the_name)
{
	check("i.heapalloccnt", "heapalloccnt", 0,
	      "Incl.         Name\nAllocations\n12            <Total>\n10            rest\n 2      "
	      "      work\n");
	check("i.heapalloccnt", "-heapalloccnt", 0,
	      "Incl.         Name\nAllocations\n12            <Total>\n 2            work\n10      "
	      "      rest\n");
	check("i.heapalloccnt", "-name", 0,
	      "Incl.         Name\nAllocations\n12            <Total>\n 2            work\n10      "
	      "      rest\n");
}

Test(table, on_a_narrow_terminal_headings_are_broken_and_columns_closer)
{
	static const char spec[] = "i.heapalloccnt:e.totalcpu";

	/* With three blanks behind each: 14 and 12, and then the longest name, of 7. */
	check_within(
		33, spec, "e.totalcpu", 0,
		"Incl.         Excl.       Name\nAllocations   Total CPU\n                sec.\n"
		"12            10.000      <Total>\n"
		" 2             7.500      work\n"
		"10             2.500      rest\n");
	check_within(32, spec, "e.totalcpu", 0,
	             "Incl.       Excl.  Name\n            Total\nAllocations CPU\n"
	             "              sec.\n"
	             "12          10.000 <Total>\n"
	             " 2           7.500 work\n"
	             "10           2.500 rest\n");
}

Test(table, limit_counts_rows)
{
	check("i.heapalloccnt", "e.totalcpu", 2,
	      "Incl.         Name\nAllocations\n12            <Total>\n 2            work\n");
}

/* 75 and 25 of 100 samples: the interval of Wilson is from 65.70 to 82.45, and the mirror image. */
Test(table, sampled_values_have_a_reach)
{
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;
	struct interval interval;
	char error[METRIC_ERROR_MAX], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(metric_list_parse("e.~totalcpu", 3, &metrics, error), 0);
	cr_assert_eq(metric_sort_parse("e.totalcpu", 3, &sort, error), 0);
	fill(&table, &metrics, &sort);
	table.groups = memory_take(1, sizeof(*table.groups));
	table.group_count = 1;
	table.groups[0].whole[METRIC_TOTALCPU] = 1e10;
	table.groups[0].effective[METRIC_TOTALCPU] = 100;
	table_print(&table, &metrics, 0, out);
	fclose(out);
	cr_expect_str_eq(text, "Excl.       Name\n"
	                       "Total CPU\n"
	                       "sec.  +-\n"
	                       "10.0        <Total>\n"
	                       " 7.5 0.9    work\n"
	                       " 2.5 0.9    rest\n");
	cr_assert(table_interval(&table, &table.rows[1], &metrics.at[0], 0, &interval));
	cr_expect_float_eq(interval.low, 6.5696e9, 1e6);
	cr_expect_float_eq(interval.high, 8.2455e9, 1e6);
	cr_expect(!table_interval(&table, &table.rows[0], &metrics.at[0], 0, &interval));
	free(text);
	table_fini(&table);
}

/* 12 allocations, if they were bytes, each standing for as many as 2 of them: what 6, 1 and 5
 * events tell. The sum is uncertain, too. */
Test(table, what_chosen_blocks_stand_for_has_a_reach)
{
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;
	struct interval interval;
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_list_parse("i.~heapalloccnt", 3, &metrics, error), 0);
	cr_assert_eq(metric_sort_parse("i.heapalloccnt", 3, &sort, error), 0);
	fill(&table, &metrics, &sort);
	table.groups = memory_take(1, sizeof(*table.groups));
	table.group_count = 1;
	table.groups[0].unit[METRIC_HEAPALLOCCNT] = 2;
	for (size_t i = 0; i < table.count; i++) {
		double value = (double)table_group_value(&table, &table.rows[i], &metrics.at[0], 0);

		cr_assert(table_interval(&table, &table.rows[i], &metrics.at[0], 0, &interval));
		cr_expect_float_eq(interval.low, 2 * interval_count(value / 2).low, 1e-9);
		cr_expect_float_eq(interval.high, 2 * interval_count(value / 2).high, 1e-9);
		cr_expect(interval.low < value && value < interval.high);
	}
	table_fini(&table);
}

Test(table, hidden_metrics_take_no_column)
{
	check("e!totalcpu:name", "e.totalcpu", 0, "Name\n<Total>\nwork\nrest\n");
}

/* A tenth of the total is hot, and <Total> is not. */
Test(table, hot_rows_are_red)
{
	static const struct metric_values tenth = {.of = {[METRIC_HEAPALLOCCNT] = 10}},
					  less = {.of = {[METRIC_HEAPALLOCCNT] = 9}},
					  all = {.of = {[METRIC_HEAPALLOCCNT] = 100}};
	struct tree *tree = tree_create(TREE_FUNCTIONS, &total);
	struct sym_frame frames[] = {{.function = &work}, {.function = &rest}};
	uint32_t hot = tree_child(tree, TREE_ROOT, &frames[0]),
		 cold = tree_child(tree, TREE_ROOT, &frames[1]);
	struct table table = {.sum = all, .has_color = 1};
	struct metric_list metrics;
	char error[METRIC_ERROR_MAX], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(metric_list_parse("e.heapalloccnt", 3, &metrics, error), 0);
	add_row(&table, &all, tree, 0, memory_format("<Total>"));
	add_row(&table, &tenth, tree, tree->nodes[hot].item, memory_format("work"));
	add_row(&table, &less, tree, tree->nodes[cold].item, memory_format("rest"));
	table_print(&table, &metrics, 0, out);
	fclose(out);
	cr_assert_str_eq(text,
	                 "\033[1mExcl.         Name\nAllocations\n\033[0m"
	                 "100           <Total>\n\033[1;31m 10           work\n\033[0m"
	                 "  9           rest\n",
	                 "%s", text);
	free(text);
	table_fini(&table);
	tree_destroy(tree);
}

static char *share_of(double samples, char *text)
{
	struct metric metric = {.id = METRIC_TOTALCPU, .flavor = METRIC_EXCLUSIVE};
	struct table_group group = {.sum = whole};
	struct table table = {.sum = whole, .groups = &group, .group_count = 1};
	struct table_row row = {.own = metric_view_of(&most)};

	group.whole[METRIC_TOTALCPU] = samples > 0 ? 1e10 : 0;
	group.effective[METRIC_TOTALCPU] = samples;
	return table_format_percent(&table, &row, &metric, 0, text);
}

Test(table, shares_have_the_digits_that_the_samples_tell)
{
	char text[METRIC_TEXT_MAX];

	cr_assert_str_eq(share_of(2, text), "75");
	cr_assert_str_eq(share_of(999, text), "75");
	cr_assert_str_eq(share_of(1000, text), "75.0");
	cr_assert_str_eq(share_of(99999, text), "75.0");
	cr_assert_str_eq(share_of(100000, text), "75.00");
	cr_assert_str_eq(share_of(0, text), "75.00", "exact");
}

/* The least exact of both groups decides. */
Test(table, so_have_differences_of_shares)
{
	struct metric metric = {.id = METRIC_TOTALCPU, .flavor = METRIC_EXCLUSIVE};
	struct table_group groups[2] = {{.sum = whole}, {.sum = whole}};
	struct table table = {
		.sum = whole, .groups = groups, .group_count = 2, .compare = TREE_COMPARE_DELTA};
	struct table_values values[2] = {{.own = metric_view_of(&most)},
	                                 {.own = metric_view_of(&little)}};
	struct table_row row = {.own = metric_view_of(&most)};
	char text[METRIC_TEXT_MAX];

	table.values = values;
	for (int i = 0; i < 2; i++)
		groups[i].whole[METRIC_TOTALCPU] = 1e10;
	groups[0].effective[METRIC_TOTALCPU] = 500;
	groups[1].effective[METRIC_TOTALCPU] = 5000;
	cr_assert_str_eq(table_format_percent(&table, &row, &metric, 1, text), "-50");
	groups[0].effective[METRIC_TOTALCPU] = 50000;
	cr_assert_str_eq(table_format_percent(&table, &row, &metric, 1, text), "-50.0");
	values[1] = values[0];
	cr_assert_str_eq(table_format_percent(&table, &row, &metric, 1, text), "0.0", "no sign");
}

/* A sample of 2.5 s: `rest` is one. */
Test(table, rows_of_one_sample_are_faint_on_terminals)
{
	struct metric_list metrics;
	struct metric_sort sort;
	struct table table;
	char error[METRIC_ERROR_MAX], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(metric_list_parse("e.totalcpu", 3, &metrics, error), 0);
	cr_assert_eq(metric_sort_parse("e.totalcpu", 3, &sort, error), 0);
	fill(&table, &metrics, &sort);
	table.groups = memory_take(1, sizeof(*table.groups));
	table.group_count = 1;
	table.groups[0].whole[METRIC_TOTALCPU] = 1e10;
	table.groups[0].effective[METRIC_TOTALCPU] = 4;
	table.has_color = 1;
	table_print(&table, &metrics, 0, out);
	table.groups[0].effective[METRIC_TOTALCPU] = 8;
	table_print(&table, &metrics, 2, out);
	table_print(&table, &metrics, 0, out);
	table.groups[0].effective[METRIC_TOTALCPU] = 6; /* half as much again is not one */
	table_print(&table, &metrics, 0, out);
	fclose(out);
	cr_assert(strstr(text, "\033[2m 2.5        rest\n\033[0m"), "%s", text);
	cr_assert_not(strstr(strstr(text, "rest") + 1, "\033[2m"), "two samples are not: %s", text);
	free(text);
	table_fini(&table);
}
