/* Columns of tables for programs: values of groups, how they differ, and the ends of intervals. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO \
	"add_exp tests/golden/profile.er\nadd_exp tests/golden/heap.er\nprintmode json\nlimit 2\n"

struct column {
	const char *key, *heading, *unit;
	const char *digits; /* that people see, NULL: not told */
};

/* Expect that the table of functions has these columns, NULL after them, and these rows. */
static void expect_table(const char *lines, const struct column *columns, const char *rows)
{
	struct answer answer;
	char all[512], expected[4096], *at, *end;
	size_t len;

	snprintf(all, sizeof(all), TWO "%s\nfunctions", lines);
	answer = answer_of(NULL, all);
	at = strstr(answer.text, "{\"key\": \"name\", \"heading\": \"Name\"");
	cr_assert_not_null(at, "%s %s", answer.text, answer.messages);
	end = strstr(at, "]}],\n");
	cr_assert_not_null(end);
	*end = '\0';
	len = (size_t)sprintf(
		expected,
		"{\"key\": \"name\", \"heading\": \"Name\", \"kind\": \"text\", \"unit\": \"\"}");
	for (; columns->key; columns++)
		len += (size_t)snprintf(
			expected + len, sizeof(expected) - len,
			",\n    {\"key\": \"%s\", \"heading\": \"%s\", \"kind\": \"number\", \"unit\": \"%s\"%s%s}",
			columns->key, columns->heading, columns->unit,
			columns->digits ? ", \"digits\": " : "",
			columns->digits ? columns->digits : "");
	snprintf(expected + len, sizeof(expected) - len, "],\n   \"rows\": [\n%s", rows);
	cr_expect_str_eq(at, expected, "%s", at);
	answer_fini(&answer);
}

Test(table_data, each_group_has_its_value_and_its_interval)
{
	static const struct column columns[] = {
		{"e.totalcpu[1]", "Exclusive Total CPU Time, profile", "s", "2"},
		{"e.totalcpu[2]", "Exclusive Total CPU Time, heap", "s", "2"},
		{"e.totalcpu[1].low",
	         "Exclusive Total CPU Time, profile: low end of the interval of 95 %", "s", "2"},
		{"e.totalcpu[1].high",
	         "Exclusive Total CPU Time, profile: high end of the interval of 95 %", "s", "2"},
		{"e.totalcpu[2].low",
	         "Exclusive Total CPU Time, heap: low end of the interval of 95 %", "s", "2"},
		{"e.totalcpu[2].high",
	         "Exclusive Total CPU Time, heap: high end of the interval of 95 %", "s", "2"},
		{NULL, NULL, NULL, NULL}};

	expect_table(
		"compare on\nmetrics e.~totalcpu", columns,
		"    [\"<Total>\", 0.304463440, 0.000000000, null, null, null, null],\n"
		"    [\"work_a\", 0.175493552, 0.000000000, 0.130395672, 0.216765513, null, null]");
}

Test(table_data, groups_after_the_first_have_a_ratio)
{
	static const struct column columns[] = {
		{"e.heapallocbytes[1]", "Exclusive Bytes Allocated, profile", "bytes", NULL},
		{"e.heapallocbytes[2]", "Exclusive Bytes Allocated, heap", "bytes", NULL},
		{"e.heapallocbytes[2].ratio", "Exclusive Bytes Allocated, heap: ratio to the first",
	         "", "3"},
		{NULL, NULL, NULL, NULL}};

	expect_table("compare ratio\nmetrics e.heapallocbytes", columns,
	             "    [\"<Total>\", 4696, 22610, 4.8147],\n"
	             "    [\"libc.so.6+0x758cb\", 4096, 0, 0.0000]");
}

Test(table_data, or_a_difference)
{
	static const struct column columns[] = {
		{"e.heapallocbytes[1]", "Exclusive Bytes Allocated, profile", "bytes", NULL},
		{"e.heapallocbytes[2]", "Exclusive Bytes Allocated, heap", "bytes", NULL},
		{"e.heapallocbytes[2].delta",
	         "Exclusive Bytes Allocated, heap: difference to the first", "bytes", NULL},
		{NULL, NULL, NULL, NULL}};

	expect_table("compare delta\nmetrics e.heapallocbytes", columns,
	             "    [\"<Total>\", 4696, 22610, 17914],\n"
	             "    [\"leak_malloc\", 0, 7000, 7000]");
}

Test(table_data, shares_are_columns_behind_the_values)
{
	static const struct column columns[] = {
		{"e.heapallocbytes[1]", "Exclusive Bytes Allocated, profile", "bytes", NULL},
		{"e.heapallocbytes[2]", "Exclusive Bytes Allocated, heap", "bytes", NULL},
		{"e%heapallocbytes[1]", "Exclusive Bytes Allocated, profile", "%", NULL},
		{"e%heapallocbytes[2]", "Exclusive Bytes Allocated, heap", "%", NULL},
		{NULL, NULL, NULL, NULL}};

	expect_table("compare on\nmetrics e.%heapallocbytes", columns,
	             "    [\"<Total>\", 4696, 22610, 100.00, 100.00],\n"
	             "    [\"libc.so.6+0x758cb\", 4096, 0, 87.22, 0.00]");
}

Test(table_data, without_a_comparison_there_is_one_value)
{
	static const struct column columns[] = {
		{"e.totalcpu", "Exclusive Total CPU Time", "s", "2"},
		{"e.totalcpu.low", "Exclusive Total CPU Time: low end of the interval of 95 %", "s",
	         "2"},
		{"e.totalcpu.high", "Exclusive Total CPU Time: high end of the interval of 95 %",
	         "s", "2"},
		{"e.heapallocbytes", "Exclusive Bytes Allocated", "bytes", NULL},
		{NULL, NULL, NULL, NULL}};

	expect_table("metrics e.~totalcpu:e.heapallocbytes", columns,
	             "    [\"<Total>\", 0.304463440, null, null, 27306],\n"
	             "    [\"work_a\", 0.175493552, 0.130395672, 0.216765513, 0]");
}

Test(table_data, programs_get_both_ends_of_intervals_last_without_asking)
{
	static const struct column columns[] = {
		{"e.totalcpu", "Exclusive Total CPU Time", "s", "2"},
		{"e.heapallocbytes", "Exclusive Bytes Allocated", "bytes", NULL},
		{"e.totalcpu.low", "Exclusive Total CPU Time: low end of the interval of 95 %", "s",
	         "2"},
		{"e.totalcpu.high", "Exclusive Total CPU Time: high end of the interval of 95 %",
	         "s", "2"},
		{NULL, NULL, NULL, NULL}};

	expect_table("metrics e.totalcpu:e.heapallocbytes", columns,
	             "    [\"<Total>\", 0.304463440, 27306, null, null],\n"
	             "    [\"work_a\", 0.175493552, 0, 0.130395672, 0.216765513]");
}

/* Instructions for each cycle: the same samples stand for 2.5 of the ones and 1 of the other. */
Test(table_data, ratios_of_counters_are_no_thousandths)
{
	char directory[GOLDEN_PATH];
	struct answer answer;

	golden_enter("sampler", directory);
	cr_assert_eq(
		system("cp -r sampler.er/counter0 sampler.er/counter1 && "
	               "sed -i 's/page-faults,10/cycles,1000 instructions,2500/' sampler.er/log.xml"),
		0);
	answer = answer_of("sampler.er",
	                   "printmode json\nmetrics e.ipc:e.cpi:i.ipc\nlimit 1\nfunctions");
	cr_expect_not_null(strstr(answer.text, "    [\"<Total>\", 2.5000, 0.4000, 2.5000]]"), "%s",
	                   answer.text);
	cr_expect_not_null(strstr(answer.text, "{\"key\": \"e.ipc\", \"heading\": \"Exclusive "
	                                       "Instructions per Cycle\", \"kind\": "
	                                       "\"number\", \"unit\": \"\"}"));
	answer_fini(&answer);
	golden_leave(directory);
}
