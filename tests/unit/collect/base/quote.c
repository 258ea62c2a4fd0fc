/* Command lines for users: what is quoted, and where a line is cut. */
#include "collect/base/quote.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[256];

static const char *quoted(char *const *argv)
{
	memset(line, 'x', sizeof(line));
	quote_command(argv, line, sizeof(line));
	return line;
}

#define QUOTED(...) quoted((char *[]){__VA_ARGS__, NULL})

Test(quote, plain_words_stay)
{
	cr_assert_str_eq(QUOTED("a"), "a");
	cr_assert_str_eq(QUOTED("./a.out", "-x", "--y=1,2", "u@h:/p_q%+-"),
	                 "./a.out -x --y=1,2 u@h:/p_q%+-");
}

Test(quote, others_are_quoted)
{
	cr_assert_str_eq(QUOTED("a", "b c"), "a 'b c'");
	cr_assert_str_eq(QUOTED("a", ""), "a ''");
	cr_assert_str_eq(QUOTED("it's"), "'it'\\''s'");
	cr_assert_str_eq(QUOTED("$x", "*", "a;b"), "'$x' '*' 'a;b'");
}

/* The shell must read it back. */
Test(quote, a_shell_reads_the_same)
{
	char *argv[] = {"printf", "%s|", "a b", "it's", "", "\"q\" \\ $HOME `x`", "\ttab", NULL};
	char output[256] = "";
	FILE *pipe = popen(quoted(argv), "r");

	cr_assert(pipe != NULL);
	cr_assert(fgets(output, sizeof(output), pipe) != NULL);
	pclose(pipe);
	cr_assert_str_eq(output, "a b|it's||\"q\" \\ $HOME `x`|\ttab|");
}

Test(quote, a_line_that_does_not_fit_is_cut)
{
	char small[16];

	for (size_t size = 8; size <= sizeof(small); size++) {
		memset(small, 'x', sizeof(small));
		quote_command((char *[]){"abc", "defg", "hijklmnop", NULL}, small, size);
		cr_assert_lt(strlen(small), size);
		cr_assert_str_eq(small + strlen(small) - 4, " ...", "%zu", size);
		cr_assert_eq(strncmp(small, "abc", 3), 0, "%zu: %s", size, small);
		for (size_t i = size; i < sizeof(small); i++)
			cr_assert_eq(small[i], 'x', "nothing is written behind it");
	}
	quote_command((char *[]){"abc", NULL}, small, 8);
	cr_assert_str_eq(small, "abc", "the least that is promised");
	quote_command((char *[]){"abc", "defg", NULL}, small, 13);
	cr_assert_str_eq(small, "abc defg", "with the room that a mark would take");
	quote_command((char *[]){"abc", "defg", NULL}, small, 12);
	cr_assert_str_eq(small, "abc  ...");
}
