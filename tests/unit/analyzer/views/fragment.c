/* Tests of the commands that change a fragment (csingle, cprepend, cappend, crmfirst, crmlast) and
 * of those that show the functions of objects, on the blocks of heap_known, whose numbers are
 * known: main calls leak_malloc, which allocates 7 x 1000 bytes, and leak_calloc, 3 x 500. */
#include "analyzer/command.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRICS "metrics i.heapalloccnt:i.heapallocbytes\n"

/* The output of the commands, one a line; the caller frees it. */
static char *run(const char *lines, int *status)
{
	struct analysis analysis;
	char *text = NULL, *copy = strdup(lines), *rest = copy, *line;
	size_t size;

	analysis_init(&analysis);
	cr_assert_eq(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output,
	                          "tests/golden/heap.er"),
	             0);
	analysis_set_defaults(&analysis);
	analysis.output.out = open_memstream(&text, &size);
	while ((line = strsep(&rest, "\n")))
		command_run_line(&analysis, line);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	*status = analysis.output.status;
	analysis_fini(&analysis);
	free(copy);
	return text;
}

/* The rows of the last table, "NUMBER NUMBER NAME/..."; marks are kept. */
static char *rows_of(const char *text)
{
	char *rows = calloc(1, strlen(text) + 1), *copy = strdup(text), *rest, *line;
	const char *last = copy;

	for (const char *at = copy; (at = strstr(at, "sorted by metric:")); at++)
		last = at;
	rest = (char *)last;
	while ((line = strsep(&rest, "\n"))) {
		const char *digits = line + strspn(line, " ");

		if (*digits < '0' || *digits > '9')
			continue;
		if (*rows)
			strcat(rows, "/");
		for (const char *at = digits; *at; at++)
			if (at[0] != ' ' || (at[1] != ' ' && at[1] != '\0'))
				strncat(rows, at, 1);
	}
	free(copy);
	return rows;
}

static void expect_rows(const char *lines, const char *expected)
{
	int status;
	char *text = run(lines, &status), *rows = rows_of(text);

	cr_expect_eq(status, EXIT_OK, "%s", lines);
	cr_expect_str_eq(rows, expected, "%s: '%s' in\n%s", lines, rows, text);
	free(rows);
	free(text);
}

static void expect_status(const char *lines, int expected)
{
	int status;

	free(run(lines, &status));
	cr_expect_eq(status, expected, "%s: %d", lines, status);
}

static void expect_refused(const char *lines)
{
	expect_status(lines, EXIT_USAGE);
}

Test(view_fragment, one_function_has_its_caller_and_itself)
{
	expect_rows(METRICS "csingle leak_malloc", "7 7000 main/7 7000 *leak_malloc");
}

Test(view_fragment, functions_are_added_at_both_ends)
{
	expect_rows(METRICS "csingle leak_malloc\ncprepend main",
	            "7 7000 libc.so.6+0x27249/7 7000 *main > leak_malloc");
	expect_rows(METRICS "csingle main\ncappend leak_calloc",
	            "3 1500 libc.so.6+0x27249/3 1500 *main > leak_calloc");
	expect_rows(METRICS "csingle leak_malloc\ncappend main", "0 0 *leak_malloc > main");
}

Test(view_fragment, functions_are_taken_away_at_both_ends)
{
	expect_rows(METRICS "csingle leak_malloc\ncprepend main\ncrmfirst",
	            "7 7000 main/7 7000 *leak_malloc");
	expect_rows(METRICS
	            "csingle leak_malloc\ncprepend main\ncprepend _start\ncrmlast\ncrmfirst\n"
	            "cappend leak_calloc",
	            "3 1500 libc.so.6+0x27249/3 1500 *main > leak_calloc");
}

Test(view_fragment, what_cannot_be_is_refused)
{
	expect_refused("cprepend main");
	expect_refused("cappend main");
	expect_refused("crmfirst");
	expect_refused("crmlast");
	expect_refused("csingle main\ncrmfirst");
	expect_refused("csingle main\ncrmlast");
	expect_status("csingle main\ncappend no_such_function", EXIT_TROUBLE);
	expect_refused("csingle leak_malloc\nobject_hide heap_known\ncappend main");
}

Test(view_fragment, no_more_functions_than_there_is_room_for)
{
	char lines[2048] = "csingle main";
	int status;

	for (int i = 1; i < FRAGMENT_MAX; i++)
		strcat(lines, "\ncappend main");
	free(run(lines, &status));
	cr_expect_eq(status, EXIT_OK);
	strcat(lines, "\ncappend main");
	expect_refused(lines);
}

Test(view_visibility, hidden_objects_stand_for_their_functions)
{
	expect_rows("limit 0\n" METRICS "object_hide heap_known\nfunctions",
	            "269 22610 <Total>/269 22610 heap_known/269 22610 libc.so.6+0x27249/269 22610 "
	            "libc.so.6+0x27304/30 390 libc.so.6+0x9e9a9");
	expect_rows("limit 2\n" METRICS "object_hide all\n"
	            "object_show heap_known\nfunctions",
	            "269 22610 <Total>/269 22610 _start");
}

Test(view_visibility, names_are_those_of_objects)
{
	expect_refused("object_hide no_such_object");
	expect_refused("object_select heap_known,no_such_object");
	expect_status("object_hide heap_known,libc.so.6", EXIT_OK);
	expect_status("object_api ALL", EXIT_OK);
}

Test(view_visibility, the_list_says_how_each_is_shown)
{
	int status;
	char *text = run("object_hide heap_known\nobject_list\nobjects_default\nobject_list",
	                 &status);
	const char *hidden = strstr(text, "hide"), *shown;

	cr_assert(hidden, "%s", text);
	cr_expect(strncmp(hidden + 4 + strspn(hidden + 4, " "), "heap_known", 10) == 0, "%s", text);
	shown = strstr(hidden + 1, "heap_known  ");
	cr_expect_null(strstr(hidden + 4, "hide"), "%s", text);
	cr_expect(shown != NULL, "%s", text);
	cr_expect_eq(status, EXIT_OK);
	free(text);
}

Test(view_visibility, one_that_is_selected_is_the_only_one)
{
	expect_rows("limit 0\n" METRICS "object_select heap_known\nfunctions",
	            "269 22610 <Total>/269 22610 _start/269 22610 libc.so.6/269 22610 main/7 7000 "
	            "leak_malloc/25 5480 use_aligned/50 5000 use_calloc/40 1600 use_realloc/3 1500 "
	            "leak_calloc/100 1000 use_malloc/10 640 use_reallocarray/30 390 use_strdup/4 0 "
	            "zero_malloc");
}
