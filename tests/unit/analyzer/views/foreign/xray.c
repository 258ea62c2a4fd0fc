/* Tests of the commands that print as llvm-xray does, compared with the output of llvm-xray of
 * clang 14 for two kept logs. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/xray/make_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT "tests/golden/xray/"

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The lines, sorted and without commas: llvm-xray prints some of its sets in no fixed order. */
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

static const char *path_of_log(void)
{
	static char path[] = "/tmp/xer-log-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	fwrite(bytes, 1, len, file);
	fclose(file);
	return path;
}

/* As llvm-xray of clang 14 quotes them, but without bytes that a terminal may take for commands. */
Test(xray, events_of_the_program_are_quoted_as_yaml_wants_it)
{
	static const char *const data[][2] = {
		{"plain", "plain"},
		{"it's", "'it''s'"},
		{"12345", "'12345'"},
		{"true", "'true'"},
		{"True", "'True'"},
		{"FALSE", "'FALSE'"},
		{"null", "'null'"},
		{"1.5", "'1.5'"},
		{".5", "'.5'"},
		{"5.", "'5.'"},
		{"1e5", "'1e5'"},
		{"1E+5", "'1E+5'"},
		{"1e", "1e"},
		{"e5", "e5"},
		{".", "."},
		{".e5", ".e5"},
		{"1.5.", "1.5."},
		{"1 2", "1 2"},
		{"0x1f", "'0x1f'"},
		{"0x1g", "0x1g"},
		{"0xg1", "0xg1"},
		{"0x8", "'0x8'"},
		{"0x", "0x"},
		{"0o17", "'0o17'"},
		{"0o18", "0o18"},
		{"0o81", "0o81"},
		{".inf", "'.inf'"},
		{"inf", "inf"},
		{"~", "'~'"},
		{"+1", "'+1'"},
		{"-dash", "'-dash'"},
		{" lead", "' lead'"},
		{"trail ", "'trail '"},
		{"tab\there", "tab\there"},
		{"nl\nx", "\"nl\\nx\""},
		{"bell\a\"\\", "\"bell\\a\\\"\\\\\""},
		{"a/b", "'a/b'"},
		{"x:y", "'x:y'"},
		{"\x7f", "\"\\x7F\""},
		{"\x1f\xc3", "\"\\x1F\\xC3\""},
		{"under_score-ok^.,", "under_score-ok^.,"},
		{"\"q", "'\"q'"},
		{"Yes", "Yes"},
	};
	struct answer answer;
	const char *at, *path;

	header(5, 0, 1, 0);
	buffer(42, 1000);
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		custom(0, 5, data[i][0]);
	end();
	path = path_of_log();
	answer = answer_of(path, "convert yaml");
	at = answer.text;
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
		char expected[128];

		snprintf(
			expected, sizeof(expected),
			"cpu: 5, thread: 42, process: 99, kind: custom-event, tsc: %zu, data: %s }\n",
			1005 + 5 * i, data[i][1]);
		at = strstr(at, expected);
		cr_assert(at != NULL, "%s in %s", expected, answer.text);
	}
	answer_fini(&answer);
	unlink(path);
}

/* The header of a log of version 2 has no process id; frames are numbered by their first
 * entries. */
Test(xray, what_is_called_below_what_is_told_by_frames)
{
	struct answer answer;
	const char *path;

	header(2, 0, 1, 0);
	buffer(42, 1000);
	function(1, 1, 5); /* its entry was before */
	function(3, 0, 5);
	function(4, 0, 5);
	custom(1016, 0, "x");
	function(4, 2, 5);
	function(5, 0, 5);
	function(5, 1, 5);
	function(4, 0, 5);
	function(4, 1, 5);
	function(3, 1, 5);
	end();
	path = path_of_log();
	answer = answer_of(path, "convert trace_event");
#define CALL(name, phase, us, frame) \
	"    { \"name\" : \"" name "\", \"ph\" : \"" phase \
	"\", \"tid\" : \"42\", \"pid\" : \"1\", \"ts\" : \"" us "\", \"sf\" : \"" frame "\" }"
	cr_expect_str_eq(
		answer.text,
		"{\n  \"traceEvents\": [\n" CALL("3", "B", "1.010", "0") ",\n" CALL("4", "B", "1.015", "1") ",\n" CALL(
			"4", "E", "1.020",
			"1") ",\n" CALL("5", "B", "1.025",
	                                "2") ",\n" CALL("5", "E", "1.030",
	                                                "2") ",\n" CALL("4", "B", "1.035",
	                                                                "1") ",\n" CALL("4", "E",
	                                                                                "1.040",
	                                                                                "1") ",\n" CALL("3",
	                                                                                                "E",
	                                                                                                "1.045",
	                                                                                                "0") "\n"
													     "  ],\n  \"displayTimeUnit\": \"ns\",\n  \"stackFrames\": {\n"
													     "    \"0\" : { \"name\" : \"3\" },\n"
													     "    \"1\" : { \"name\" : \"4\", \"parent\": \"0\" },\n"
													     "    \"2\" : { \"name\" : \"5\", \"parent\": \"0\" }\n  }\n}\n",
		"%s", answer.text);
#undef CALL
	answer_fini(&answer);
	unlink(path);
}
