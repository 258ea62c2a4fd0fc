/* Tests of analyzer/views/time/timemarks.c. */
#include "analyzer/views/time/timemarks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void axis_is(int64_t from_ns, int64_t to_ns, size_t columns, const char *expected)
{
	const struct lanes_axis axis = {from_ns, to_ns, columns};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	timemarks_put_axis(&axis, out, 7);
	fclose(out);
	cr_expect_str_eq(text, expected);
	free(text);
}

Test(timemarks, the_axis_has_round_numbers_where_their_columns_begin)
{
	axis_is(0, 4000000000, 40, "seconds |0.0      |1.0      |2.0      |3.0\n");
	axis_is(0, 4000000000, 20, "seconds |0.0      |2.0\n");
	axis_is(2200000000, 2250000000, 50,
	        "seconds |2.20     |2.21     |2.22     |2.23     |2.24\n");
	axis_is(1500000, 1500100, 20, "seconds |0.00150000\n");
}

Test(timemarks, rows_have_counts)
{
	const struct lanes_axis axis = {0, 10, 5};
	uint64_t counts[TIMEMARKS * 5] = {[TIMEMARK_USER * 5 + 1] = 3,
	                                  [TIMEMARK_USER * 5 + 3] = 10};
	const struct timemarks marks = {&axis, counts, {[TIMEMARK_USER] = 13}};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	timemarks_put(&marks, out, 15);
	fclose(out);
	cr_expect_str_eq(text, "user events      3 +\n");
	free(text);
}
