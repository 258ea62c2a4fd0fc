/* Tests of analyzer/filter/ranges.c. */
#include "analyzer/filter/ranges.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char *list, const char *expected)
{
	struct expression_error error;
	char *text = NULL;

	cr_assert_eq(ranges_expression(list, "T", &text, &error), 0, "%s: %s", list, error.text);
	cr_assert_str_eq(text, expected);
	free(text);
}

Test(ranges, lists_of_numbers)
{
	struct expression_error error;
	char *text;

	becomes("3", "((T >= 3 && T <= 3))");
	becomes("1,4-5", "((T >= 1 && T <= 1 || T >= 4 && T <= 5))");
	becomes("1:2", "((EXPID >= 1 && EXPID <= 1) && (T >= 2 && T <= 2))");
	becomes("1:1+2,3:7",
	        "((EXPID >= 1 && EXPID <= 1) && (T >= 1 && T <= 1)) || "
	        "((EXPID >= 2 && EXPID <= 2 || EXPID >= 3 && EXPID <= 3) && (T >= 7 && T <= 7))");
	becomes("all:1", "(1 && (T >= 1 && T <= 1))");
	becomes("2:all", "((EXPID >= 2 && EXPID <= 2) && 1)");
	cr_assert_eq(ranges_expression("ALL", "T", &text, &error), 0);
	cr_assert_null(text);
}

static void refuse(int (*read)(const char *, char **, struct expression_error *), const char *text,
                   size_t column)
{
	struct expression_error error;
	char *out;

	cr_assert_eq(read(text, &out, &error), -EINVAL, "%s", text);
	cr_assert_eq(error.column, column, "%s: %zu: %s", text, error.column, error.text);
}

static int read_list(const char *text, char **out, struct expression_error *error)
{
	return ranges_expression(text, "T", out, error);
}

Test(ranges, slips_are_refused_with_their_column)
{
	refuse(read_list, "", 1);
	refuse(read_list, "1,", 3);
	refuse(read_list, "1-x", 3);
	refuse(read_list, "1;2", 2);
	refuse(read_list, "1:", 3);
	refuse(read_list, "1+", 3);
	refuse(read_list, "99999999999999999999", 1);
	refuse(ranges_time, "x", 1);
	refuse(ranges_time, "1", 2);
	refuse(ranges_time, "1-2x", 4);
	refuse(ranges_time, "1m-2", 2);
	refuse(ranges_time, "2-1", 4);
	refuse(ranges_time, "1..2-3", 1);
}

static void spans(const char *range, const char *expected)
{
	struct expression_error error;
	char *text = NULL;

	cr_assert_eq(ranges_time(range, &text, &error), 0, "%s: %s", range, error.text);
	cr_assert_str_eq(text, expected);
	free(text);
}

Test(ranges, times)
{
	spans("1.5-2", "TSTAMP >= 1500000000 && TSTAMP_LO < 2000000000");
	spans("200ms-1s", "TSTAMP >= 200000000 && TSTAMP_LO < 1000000000");
	spans("-3us", "TSTAMP >= 0 && TSTAMP_LO < 3000");
	spans("7-", "TSTAMP >= 7000000000 && TSTAMP_LO < 9000000000000000000");
}

Test(ranges, times_as_numbers)
{
	struct expression_error error;
	int64_t from, to;

	cr_assert_eq(ranges_time_ns("200ms-1.5", &from, &to, &error), 0);
	cr_expect(from == 200000000 && to == 1500000000);
	cr_assert_eq(ranges_time_ns("3-", &from, &to, &error), 0);
	cr_expect(from == 3000000000 && to == RANGES_NO_END);
	cr_assert_eq(ranges_time_ns("all", &from, &to, &error), 0);
	cr_expect(from == 0 && to == RANGES_NO_END);
}

Test(ranges, lengths)
{
	struct expression_error error;
	int64_t length;

	cr_assert_eq(ranges_length_ns("10ms", &length, &error), 0);
	cr_expect_eq(length, 10000000);
	cr_assert_eq(ranges_length_ns("0.5", &length, &error), 0);
	cr_expect_eq(length, 500000000);
	cr_expect_eq(ranges_length_ns("0", &length, &error), -EINVAL);
	cr_expect_eq(ranges_length_ns("-1", &length, &error), -EINVAL);
	cr_expect_eq(ranges_length_ns("1ms2", &length, &error), -EINVAL);
	cr_expect_eq(error.column, 4);
}
