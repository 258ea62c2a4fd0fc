/* Patterns of functions and objects to trace. */
#include "libcollector/calls/functrace_choice.h"

#include <criterion/criterion.h>
#include <string.h>

static int glob(const char *pattern, const char *text)
{
	return choice_glob(pattern, strlen(pattern), text, strlen(text));
}

Test(functrace_choice, wildcards_match_any_text)
{
	static const char *const good[][2] = {
		{"", ""},   {"*", ""},      {"*", "abc"}, {"a*c", "abbc"}, {"a*b*c", "aXbYbZc"},
		{"?", "x"}, {"*a", "aaba"}, {"**", "x"},  {"a?c*", "abc"}};
	static const char *const bad[][2] = {{"", "a"},   {"?", ""},      {"a", "ab"},
	                                     {"ab", "a"}, {"a*b", "abc"}, {"*a?", "ba"},
	                                     {"A", "a"}};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_assert(glob(good[i][0], good[i][1]), "%s %s", good[i][0], good[i][1]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(!glob(bad[i][0], bad[i][1]), "%s %s", bad[i][0], bad[i][1]);
}

/* Matching takes a time that grows with a power of the number of stars, if all ways are tried. */
Test(functrace_choice, many_stars_end, .timeout = 10)
{
	char text[2000];

	memset(text, 'a', sizeof(text));
	cr_assert(!choice_glob("*a*a*a*a*a*a*a*a*b", 18, text, sizeof(text)));
}

static enum choice name(const char *patterns, const char *text)
{
	return choice_by_name(patterns, text, strlen(text));
}

Test(functrace_choice, a_refusal_outweighs_and_other_kinds_are_not_looked_at)
{
	cr_assert_eq(name("", "f"), CHOICE_OPEN);
	cr_assert_eq(name("@f,!@f", "f"), CHOICE_OPEN);
	cr_assert_eq(name("g", "f"), CHOICE_NO);
	cr_assert_eq(name("g,f", "f"), CHOICE_YES);
	cr_assert_eq(name("f,!f*", "f"), CHOICE_REFUSED);
	cr_assert_eq(name("!g", "f"), CHOICE_OPEN);
	cr_assert_eq(name(",,f", "f"), CHOICE_YES);
}

Test(functrace_choice, objects_are_compared_by_their_last_part_or_by_path)
{
	cr_assert_eq(choice_by_object("@libc.so*", "/lib/libc.so.6"), CHOICE_YES);
	cr_assert_eq(choice_by_object("@lib*", "/lib/ld.so"), CHOICE_NO);
	cr_assert_eq(choice_by_object("@/lib/*", "/lib/ld.so"), CHOICE_YES);
	cr_assert_eq(choice_by_object("!@ld.so,@/lib/*", "/lib/ld.so"), CHOICE_REFUSED);
	cr_assert_eq(choice_by_object("f,!g", "/lib/ld.so"), CHOICE_OPEN);
}
