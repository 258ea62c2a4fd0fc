/* Tests of analyzer/command.c: names of commands, and lines with them. */
#include "analyzer/command.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *name_of(const char *word)
{
	char error[512];
	const struct command *command = command_find(word, error, sizeof(error));

	return command ? command->name : NULL;
}

static void refuse(const char *word, const char *expected)
{
	char error[512] = "";

	cr_assert(!command_find(word, error, sizeof(error)));
	cr_assert(strstr(error, expected) != NULL, "%s: %s", word, error);
}

Test(command, names_aliases_and_case)
{
	cr_assert_str_eq(name_of("functions"), "functions");
	cr_assert_str_eq(name_of("FUNCTIONS"), "functions");
	cr_assert_str_eq(name_of("gprof"), "callers-callees");
	cr_assert_str_eq(name_of("ctree"), "calltree");
	cr_assert_str_eq(name_of("obj_list"), "objects");
	cr_assert_str_eq(name_of("exit"), "quit");
}

Test(command, unambiguous_beginnings_are_enough)
{
	cr_assert_str_eq(name_of("func"), "functions");
	cr_assert_str_eq(name_of("callt"), "calltree");
	cr_assert_str_eq(name_of("leak"), "leaks");
	cr_assert_str_eq(name_of("heaps"), "heapstat");
}

Test(command, ambiguous_beginnings_are_refused_with_the_choices)
{
	refuse("f", "functions fsummary fsingle");
	refuse("metric", "metrics");
	refuse("", "unknown");
}

Test(command, slips_get_the_nearest_command)
{
	refuse("functons", "did you mean 'functions'?");
	refuse("laeks", "did you mean 'leaks'?");
	refuse("zzzzzzzzzz", "unknown command 'zzzzzzzzzz'");
}

#define HEAP "tests/golden/heap.er"
#define USER_EVENTS "tests/golden/user.er"

static void prints(const char *lines, const char *text)
{
	answer_check(HEAP, lines, text, "", 0);
}

static void complains(const char *line, const char *message)
{
	answer_check(HEAP, line, "", message, 2);
}

Test(command_line, blanks_case_and_a_sign_before_it_do_not_matter)
{
	prints("   limit   5  \n\tLIMIT\t\n-limit\n", "Current limit: 5\nCurrent limit: 5\n");
	prints("\n   \n-\n", "");
}

Test(command_line, comments_begin_at_the_line_or_behind_a_blank)
{
	prints("# limit 5\nlimit 6 # 7", "");
	prints("limit 7\n limit #", "Current limit: 7\n");
	complains("limit#", "xer_print: unknown command 'limit#' (did you mean 'limit'?)\n");
	complains("limit 6#", "xer_print: limit: '6#' is not a number of rows\n");
	/* In quotes it is no comment. */
	complains("limit 'a # b'", "xer_print: limit: 'a # b' is not a number of rows\n");
	complains("limit \"a # b\" # more", "xer_print: limit: 'a # b' is not a number of rows\n");
	complains("limit 'a # b", "xer_print: limit: ''a' is not a number of rows\n");
}

Test(command_line, quotes_around_everything_are_taken_off)
{
	prints("limit '12'\nlimit", "Current limit: 12\n");
	prints("limit \"13\"\nlimit", "Current limit: 13\n");
	complains("limit '12\"", "xer_print: limit: ''12\"' is not a number of rows\n");
	complains("limit '1' '2'", "xer_print: limit: ''1' '2'' is not a number of rows\n");
	complains("limit '", "xer_print: limit: ''' is not a number of rows\n");
}

Test(command_line, arguments_are_asked_for_and_refused)
{
	struct answer with_none;

	complains("fsingle", "xer_print: fsingle: needs FUNCTION [N]\n");
	complains("fsingle ''", "xer_print: fsingle: needs FUNCTION [N]\n");
	complains("check", "xer_print: check: needs CHECKS\n");
	/* As on the command line, an empty text is one. */
	answer_check(USER_EVENTS, "trcrpt", "", "xer_print: trcrpt: needs OPTIONS\n", 2);
	with_none = answer_of(USER_EVENTS, "trcrpt \"\"");
	cr_expect_str_eq(with_none.messages, "");
	cr_expect_neq(with_none.text[0], '\0');
	answer_fini(&with_none);
	complains("functions main", "xer_print: functions: unexpected 'main'\n");
	complains("header x", "xer_print: header: unexpected 'x'\n");
	complains("export folded", "xer_print: export: needs FORMAT FILE\n");
	complains("nonsense", "xer_print: unknown command 'nonsense' (help lists the commands)\n");
	answer_check(
		NULL, "functions", "",
		"xer_print: functions: no experiment is open (open_exp EXPERIMENT opens one)\n", 2);
	answer_check(HEAP, "sync", "",
	             "xer_print: sync: no synchronization data (record with xcollect -s on)\n", 1);
}

Test(command_line, a_number_at_the_end_chooses_a_function)
{
	struct answer with = answer_of(HEAP, "fsingle main 1"),
		      without = answer_of(HEAP, "fsingle leak_malloc");

	cr_expect(strstr(with.text, "\nmain\n") != NULL, "%s%s", with.text, with.messages);
	cr_expect(strstr(without.text, "\nleak_malloc\n") != NULL);
	answer_fini(&with);
	answer_fini(&without);
	/* Everything before it is one name, including blanks. */
	answer_check(HEAP, "fsingle no body 3", "",
	             "xer_print: fsingle: no function 'no body' in the recorded data\n", 1);
}

Test(command_line, an_index_of_ones_own_is_a_command)
{
	struct answer answer = answer_of(HEAP, "indxobj_define mine HSIZE\nlimit 2\nMINE");

	cr_expect(strstr(answer.text,
	                 "\n  7            7000              7      7000           mine "
	                 "1000\n") != NULL,
	          "%s%s", answer.text, answer.messages);
	answer_fini(&answer);
}

Test(command_line, help_tells_what_the_manual_says_of_a_command)
{
	struct answer one = answer_of(NULL, "help limit"),
		      section = answer_of(NULL, "xhelp filters");

	cr_expect(
		strncmp(one.text,
	                "  limit [N]                        print at most N rows of a table, 0: all\n"
	                "      Print at most N rows of a table, <Total> included;",
	                125) == 0,
		"%s", one.text);
	/* Of the same name: a command, and a section of the page. */
	cr_expect(strncmp(section.text, "  filters [EXPRESSION] ", 23) == 0, "%s", section.text);
	cr_expect(strstr(section.text, "\nFILTERS\n") != NULL, "%s", section.text);
	answer_fini(&one);
	answer_fini(&section);
	complains("help nonsense",
	          "xer_print: help: unknown command 'nonsense' (help lists the commands)\n");
}
