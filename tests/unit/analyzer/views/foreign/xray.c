/* Tests of the commands that print as llvm-xray does: what llvm-xray of clang 14 printed of two
 * kept logs. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT "tests/golden/xray/"

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The lines in an order of their own, without commas: llvm-xray prints some of its sets in none. */
static void sort_lines(char *text)
{
	static char *lines[4096];
	char *copy = strdup(text), *rest = copy, *to = text;
	size_t count = 0;

	while ((lines[count] = strsep(&rest, "\n,"))) {
		count++;
		cr_assert_lt(count, 4096);
	}
	qsort(lines, count, sizeof(lines[0]), by_text);
	for (size_t i = 0; i < count; i++)
		to += sprintf(to, "%s%s", i ? "\n" : "", lines[i]);
	free(copy);
}

static void compare(const char *log, const char *form, const char *command, int is_set)
{
	char path[64], kept[64];
	unsigned long size;
	struct answer answer;
	char *expected;

	snprintf(path, sizeof(path), KEPT "%s.log", log);
	snprintf(kept, sizeof(kept), KEPT "%s.%s", log, form);
	expected = answer_file(kept, &size);
	answer = answer_of(path, command);
	cr_expect_str_eq(answer.messages, "");
	cr_expect_eq(answer.status, 0);
	if (is_set) {
		sort_lines(expected);
		sort_lines(answer.text);
	}
	cr_expect_str_eq(answer.text, expected, "%s: %s", log, command);
	answer_fini(&answer);
	free(expected);
}

Test(xray, records_are_converted_to_the_yaml_of_llvm)
{
	compare("v5", "yaml", "convert yaml", 0);
	compare("naive", "yaml", "convert yaml", 0);
}

Test(xray, records_are_converted_to_the_trace_events_of_llvm)
{
	compare("v5", "trace_event", "convert trace_event", 1);
	compare("naive", "trace_event", "convert trace_event", 1);
}

Test(xray, accounts_are_those_of_llvm)
{
	compare("v5", "account", "account", 0);
	compare("naive", "account", "account", 0);
}

Test(xray, stacks_are_those_of_llvm)
{
	compare("v5", "stack", "stack", 0);
	compare("naive", "stack", "stack", 0);
}

Test(xray, graphs_are_those_of_llvm)
{
	compare("v5", "graph", "graph", 1);
	compare("naive", "graph", "graph", 1);
}

Test(xray, other_forms_and_other_experiments_are_refused)
{
	answer_check(KEPT "v5.log", "convert json", "",
	             "xer_print: convert: 'json' is neither yaml nor trace_event\n", 2);
	answer_check("tests/golden/calls.er", "account", "",
	             "xer_print: account: no XRay log is open (of an experiment, name its file "
	             "functrace)\n",
	             1);
}
