/* Tests of the texts that say which arguments there are. */
#include "analyzer/prompt/grammar.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(grammar, .timeout = 10);

/* The alternatives of an argument: words as they are, places as <number>, others as <>. */
static const char *choices(const char *text, size_t index)
{
	static char all[512];
	struct grammar_choice choice = {.text = NULL};
	size_t len = 0;

	all[0] = '\0';
	while (grammar_next(text, index, &choice)) {
		if (choice.is_word)
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%.*s ",
			                        (int)choice.len, choice.text);
		else if (choice.place == GRAMMAR_NOTHING)
			len += (size_t)snprintf(all + len, sizeof(all) - len, "<> ");
		else
			len += (size_t)snprintf(all + len, sizeof(all) - len, "<%d> ",
			                        choice.place);
	}
	return all;
}

static void check(const char *text, size_t index, const char *expected)
{
	const char *got = choices(text, index);

	cr_expect_str_eq(got, expected, "%s: %s", text, got);
}

Test(grammar, words_are_small_and_places_are_not)
{
	check("[off|on|delta|ratio]", 0, "off on delta ratio ");
	check("off|on|lo|hi|N[m|u]", 0, "off on lo hi <> ");
	check("[=on|off|PATTERNS]", 0, "on off <> ");
	check("on|off|=REGEX", 0, "on off <> ");
	check("off|on|calibrate|N|all|0[,n|j|nj]", 0, "off on calibrate <> all 0 ");
	check("alternate|circular:MB|single:MB", 0, "alternate circular: single: ");
	check("[long|short|mangled[:soname|:nosoname]]", 0, "long short mangled ");
	check("", 0, "");
	check("[all]", 0, "all ");
}

Test(grammar, places_are_found_by_their_names)
{
	char expected[32];

	snprintf(expected, sizeof(expected), "<%d> <%d> ", GRAMMAR_FUNCTIONS, GRAMMAR_FILES);
	check("FUNCTION|FILE [N]", 0, expected);
	check("FUNCTION|FILE [N]", 1, "<> ");
	check("FUNCTION|FILE [N]", 2, "");
	snprintf(expected, sizeof(expected), "<%d> ", GRAMMAR_METRICS);
	check("[METRIC:...]", 0, expected);
	snprintf(expected, sizeof(expected), "<%d> ", GRAMMAR_DIRECTORIES);
	check("DIRECTORY:...", 0, expected);
	snprintf(expected, sizeof(expected), "<%d> ", GRAMMAR_EXPERIMENTS);
	check("NAME.er", 0, expected);
	snprintf(expected, sizeof(expected), "<%d> ", GRAMMAR_FILES);
	check("NAME.erg", 0, expected);
	check("NAME:LIST", 0, "<> ");
	check("FILES", 0, "<> ");
}

Test(grammar, arguments_are_counted)
{
	cr_expect_eq(grammar_count(""), 0);
	cr_expect_eq(grammar_count("FILE"), 1);
	cr_expect_eq(grammar_count("FORMAT FILE"), 2);
	cr_expect_eq(grammar_count("[OLD-PREFIX NEW-PREFIX]"), 2);
}
