/* Tests of analyzer/check/parse.c, word.c, value.c and junit.c. */
#include "analyzer/check/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of "TEXT == 0"'s left side without any analysis: numbers only. */
static double number(const char *text)
{
	struct check_list list;
	char error[CHECK_ERROR_MAX], whole[128];
	double value;

	snprintf(whole, sizeof(whole), "%s == 0", text);
	cr_assert_eq(check_parse(whole, &list, error), 0, "%s: %s", whole, error);
	cr_assert_eq(list.count, 1);
	value = check_value(list.at[0].root->left, CHECK_NEW, NULL);
	check_list_fini(&list);
	return value;
}

Test(check, operators_bind_as_in_arithmetic)
{
	cr_assert_float_eq(number("1 + 2 * 3"), 7, 1e-12);
	cr_assert_float_eq(number("(1 + 2) * 3"), 9, 1e-12);
	cr_assert_float_eq(number("10 - 4 - 3"), 3, 1e-12);
	cr_assert_float_eq(number("16 / 4 / 2"), 2, 1e-12);
	cr_assert_float_eq(number("-2 * -(3 - 1)"), 4, 1e-12);
	cr_assert_float_eq(number("1e3+.5"), 1000.5, 1e-12);
}

Test(check, units_scale_numbers)
{
	cr_assert_float_eq(number("20ms"), 0.02, 1e-15);
	cr_assert_float_eq(number("2 min + 3 s"), 123, 1e-12);
	cr_assert_float_eq(number("1 MiB - 1 KiB"), 1047552, 1e-6);
	cr_assert_float_eq(number("3 GB / 1 kB"), 3e6, 1e-6);
	cr_assert_float_eq(number("5 % * 200"), 10, 1e-12);
}

static void refuses(const char *text, const char *reason)
{
	struct check_list list;
	char error[CHECK_ERROR_MAX] = "";

	cr_assert_lt(check_parse(text, &list, error), 0, "%s was taken", text);
	cr_assert(strstr(error, reason) == error, "%s: '%s', not '%s'", text, error, reason);
}

Test(check, faults_name_the_column_and_the_nearest_word)
{
	refuses("", "column 1: expected a metric, a number or base");
	refuses("i.totalcp <= 1",
	        "column 1: 'i.totalcp' is no measured metric (did you mean 'totalcpu'?)");
	refuses("1 <= 2; heapleakbyte == 0",
	        "column 9: 'heapleakbyte' is no measured metric (did you mean 'heapleakbytes'?)");
	refuses("user < 5 mss", "column 10: 'mss' is no unit (did you mean 'ms'?)");
	refuses("user < 5 KiB", "column 6: seconds and bytes do not go together");
	refuses("user + syncn < 5", "column 6: seconds and counts do not go together");
	refuses("user 5", "column 6: expected <= < >= > == or !=");
	refuses("user < 5 < 6", "column 10: expected ; or the end");
	refuses("user(f < 5", "column 6: no ) behind the name of a function");
	refuses("user() < 5", "column 6: a function's name is missing");
	refuses("(user < 5", "column 7: expected )");
	refuses("base < base", "column 8: base alone stands for the other side");
	refuses("size < 5", "column 1: 'size' is no measured metric");
	refuses("any < 5", "column 1: 'any' is no measured metric");
	refuses("user < @", "column 8: expected a metric, a number or base, not '@'");
}

Test(check, hostile_lengths_are_refused)
{
	enum { SIZE = 50000 };
	static char text[SIZE + 1];

	memset(text, '(', SIZE);
	refuses(text, "column 101: too deep");
	memset(text, '-', SIZE);
	refuses(text, "column 101: too deep");
	for (size_t i = 0; i < SIZE; i++)
		text[i] = i % 2 ? '+' : '1';
	refuses(text, "column ");
	memset(text, 'a', SIZE);
	refuses(text, "column 1: ");
}

Test(check, a_function_keeps_its_arguments_and_a_lone_base_is_the_other_side)
{
	struct check_list list;
	char error[CHECK_ERROR_MAX];
	const struct check_node *root;

	cr_assert_eq(check_parse("e.user( f(int, (g)) ) <= 2*base ;", &list, error), 0, "%s",
	             error);
	cr_assert_eq(list.count, 1);
	root = list.at[0].root;
	cr_assert_eq(root->op, CHECK_LESS_EQUAL);
	cr_assert_str_eq(root->left->function, "f(int, (g))");
	cr_assert_eq(root->left->metric.id, METRIC_USER);
	cr_assert_eq(root->left->metric.flavor, METRIC_EXCLUSIVE);
	cr_assert_eq(root->right->right->op, CHECK_BASE);
	cr_assert_eq(root->right->right->left, root->left);
	cr_assert_str_eq(list.at[0].text, "e.user( f(int, (g)) ) <= 2*base");
	check_list_fini(&list);
}

Test(check, comparisons_allow_for_rounding)
{
	cr_assert(check_holds(CHECK_LESS_EQUAL, 0.1 * 3, 0.3));
	cr_assert(check_holds(CHECK_EQUAL, 0.1 * 3, 0.3));
	cr_assert(!check_holds(CHECK_GREATER, 0.1 * 3, 0.3));
	cr_assert(check_holds(CHECK_GREATER, 3.0001, 3));
	cr_assert(check_holds(CHECK_LESS, 0, 1e-9));
	cr_assert(!check_holds(CHECK_NOT_EQUAL, 5, 5));
	cr_assert(!check_holds(CHECK_GREATER_EQUAL, 1, 2));
}

static struct check_result at[] = {
	{.text = "a <= \"b\" & c",
         .unit = "s",
         .outcome = {CHECK_FAILED, 2, 1, 1.5, 2.5, {5, 4}, 120.4, 0},
         .base = 0.5,
         .has_base = 1},
	{.text = "d == 0", .unit = "", .outcome = {.verdict = CHECK_HOLDS}},
	{.text = "e\x01", .unit = "", .trouble = (char *)"no <data>"},
	{.text = "f < 7", .unit = "s", .outcome = {CHECK_UNDECIDED, 6, 7, 5, 8, {1, 0}, 30, 0}},
};

static char *junit_of(int is_strict)
{
	struct check_results results = {.at = at, .count = 4, .is_strict = is_strict};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	check_junit(&results, "new.er", out);
	fclose(out);
	return text;
}

Test(check, junit_escapes_and_counts)
{
	char *text = junit_of(0);

	cr_assert(strstr(text, "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\"") != NULL,
	          "%s", text);
	cr_assert(strstr(text, "name=\"a &lt;= &quot;b&quot; &amp; c\"") != NULL, "%s", text);
	cr_assert(strstr(text, "<failure type=\"check\" message=\"it is 2 s, 1.5 to 2.5 with 95 % "
	                       "certainty; the limit is 1 s\"/>") != NULL,
	          "%s", text);
	cr_assert(strstr(text, "<system-out>value 2\nlow 1.5\nhigh 2.5\nlimit 1\nbase 0.5\nunit "
	                       "s\nruns 5\nbase_runs 4\nsamples 120\n</system-out>") != NULL,
	          "%s", text);
	cr_assert(strstr(text,
	                 "<skipped message=\"it is 6 s, 5 to 8 with 95 % certainty; the limit is "
	                 "7 s; more samples tell more: xcollect -p hi, a longer run, or "
	                 "--repeat=5\"/>") != NULL,
	          "%s", text);
	cr_assert(strstr(text, "<error type=\"data\" message=\"no &lt;data&gt;\"/>") != NULL, "%s",
	          text);
	cr_assert(strstr(text, "e\\x01") != NULL, "%s", text);
	free(text);
}

Test(check, junit_has_what_is_undecided_as_failures_where_that_is_strict)
{
	char *text = junit_of(1);

	cr_assert(strstr(text, "tests=\"4\" failures=\"2\" errors=\"1\" skipped=\"0\"") != NULL,
	          "%s", text);
	cr_assert(strstr(text, "<failure type=\"undecided\" message=\"it is 6 s") != NULL, "%s",
	          text);
	free(text);
}
