/* How much work a regular expression causes. */
#include "experiment/base/regexwork.h"

#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_modest(const char *pattern)
{
	return exp_regex_work(pattern) <= EXP_REGEX_MODEST;
}

Test(regexwork, what_people_write_is_modest)
{
	cr_expect(is_modest(""));
	cr_expect(is_modest("^_f[0-9].*$"));
	cr_expect(is_modest("a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+"));
	cr_expect(is_modest("(a?)+(b?)+(c?)+(d?)+(e?)+(f?)+(g?)+(h?)+"));
	cr_expect(is_modest(
		"std::(vector|map|unordered_map)<[^>]+>::(emplace|insert)(_back)?\\(.*\\)( const)?( \\[clone \\.[a-z]+(\\.[0-9]+)*\\])?"));
	cr_expect(is_modest("((((\\w+::)*\\w+(<.*>)?)+,)*)+"), "a letter of a class is a letter");
	cr_expect(is_modest("([0-9]{1,3}\\.){3}[0-9]{1,3}"));
	cr_expect(is_modest(
		"operator\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+"));
	cr_expect(is_modest("[]+{[:alpha:]+][^]?(+]"));
	cr_expect(is_modest("((^|,)[a-z]+=\\b[0-9]*)+"));
	cr_expect(is_modest("a{1000}"));
	cr_expect(is_modest("(a{300}){300}"));
	cr_expect(is_modest("a\\"));
}

Test(regexwork, groups_count_what_is_in_them)
{
	cr_expect_lt(exp_regex_work("(abc)+"), exp_regex_work("((abc)+)+"));
	cr_expect_lt(exp_regex_work("(a?b?c?)+"), exp_regex_work("((a?b?c?)+)+"));
	cr_expect_eq(exp_regex_work("((abc"), exp_regex_work("((abc))"),
	             "an open group ends with the text");
}

/* Whatever is in the brackets. */
Test(regexwork, an_expression_in_brackets_is_a_letter)
{
	static const char *const brackets[] = {
		"[a]",   "[]]",   "[^]]",  "[[]",         "[[a]",     "[.]",      "[a.b]",
		"[a:]",  "[=b]",  "[a.]",  "[^a=]",       "[.a:b=c]", "[]:]",     "[^].]",
		"[+*?]", "[(|)]", "[{2}]", "[[:alpha:]]", "[[.].]]",  "[[=]=]x]",
	};
	const char *const ends[] = {"", "b", "(b+)+", "++++", "[.](a?)+[:]"};
	char bracket[64], letter[64];

	for (size_t i = 0; i < sizeof(brackets) / sizeof(brackets[0]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			snprintf(bracket, sizeof(bracket), "%s%s", brackets[i], ends[k]);
			snprintf(letter, sizeof(letter), "a%s", ends[k]);
			cr_expect_eq(exp_regex_work(bracket), exp_regex_work(letter), "%s",
			             bracket);
		}
}

Test(regexwork, what_nests_is_not)
{
	static char long_name[1000001];
	char deep[301] = "", wide[5001] = "", name[5001] = "";

	cr_expect_not(is_modest("a+++++++++++++++++"));
	cr_expect_not(is_modest("c.????????????????????+++++++"));
	cr_expect_not(is_modest("c.?????+++++++"));
	cr_expect_not(is_modest("((((((((((((((a|)|)|)|)|)|)|)|)|)|))+)+)+)+"));
	cr_expect_not(is_modest(
		"a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+a?+?+"));
	cr_expect_not(is_modest("a**{2,4}{2,4}{2,4}"));
	cr_expect_not(is_modest("^([a-c]?{2,}{0,30})"));
	cr_expect_not(is_modest("(\\b)+++++++"));
	cr_expect_not(is_modest("(a{3000}){3000}"));
	cr_expect_not(is_modest("(a{3000}){3000}{0}"), "made, and then left out");
	cr_expect_not(is_modest("a++++++++++++++++++++++{{{1"), "the braces are no repetition");
	cr_expect_not(is_modest("a{0,10000}"));
	for (size_t i = 0; i + 1 < sizeof(deep); i++)
		deep[i] = '(';
	cr_expect_not(is_modest(deep));
	for (size_t i = 0; i + 1 < sizeof(wide); i += 2)
		memcpy(&wide[i], "a?", 2);
	cr_expect_not(is_modest(wide));
	for (size_t i = 0; i + 1 < sizeof(name); i++)
		name[i] = 'a';
	for (size_t i = 0; i + 1 < sizeof(long_name); i++)
		long_name[i] = 'a';
	cr_expect(is_modest(name), "long is not deep");
	cr_expect_not(is_modest(long_name));
}

Test(regexwork, is_estimated_soon, .timeout = 60)
{
	static const char *const parts[] = {"{32767}",     "a{32767}", "|{32767}", "(a{32767}|)",
	                                    "(a{0,32767}", "()",       "[[:",      "[[:]",
	                                    "a*",          "a{30}"};
	enum { SIZE = 200000 };
	char *pattern = malloc(SIZE + 1);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t len = strlen(parts[i]);
		clock_t before = clock();

		for (size_t at = 0; at < SIZE; at++)
			pattern[at] = parts[i][at % len];
		pattern[SIZE] = '\0';
		cr_expect_gt(exp_regex_work(pattern), 0);
		cr_expect_lt(clock() - before, CLOCKS_PER_SEC, "%s", parts[i]);
	}
	free(pattern);
}

Test(regexwork, references_back_are_refused)
{
	cr_expect_eq(exp_regex_work("(a)\\1"), EXP_REGEX_WORK_MAX);
	cr_expect(is_modest("a\\\\1"));
}

Test(regexwork, has_an_end)
{
	cr_expect_lt(exp_regex_work("a{99999999999999999999}"), EXP_REGEX_WORK_MAX,
	             "the C library refuses it");
	cr_expect_eq(exp_regex_work("((((a{4000000000}){4000000000}){4000000000,1}){4000000000,})"),
	             EXP_REGEX_WORK_MAX);
	cr_expect_eq(
		exp_regex_work(
			"a++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++"),
		EXP_REGEX_WORK_MAX);
	cr_expect_gt(exp_regex_work("[[:"), 0);
	cr_expect_gt(exp_regex_work("["), 0);
	cr_expect_gt(exp_regex_work(")))+"), 0);
}

/* With one more repetition, each of these would take the C library seconds. */
Test(regexwork, the_most_that_is_modest_is_compiled_soon, .timeout = 60)
{
	static const char *const bases[] = {
		"a",      "a?",   "a??",     "c.?????",    "c.??????????", "a*",
		"a*****", "(a|)", "((a|)|)", "(a?b?c?d?)", "(a{0,8})",     "(a{0,200})"};
	static const char *const repetitions[] = {"+", "?+", "*+", "{2,4}", "{0,4}", "{9}"};

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		for (size_t j = 0; j < sizeof(repetitions) / sizeof(repetitions[0]); j++) {
			char pattern[256], next[256];
			regex_t regex;

			strcpy(next, bases[i]);
			do {
				strcpy(pattern, next);
				cr_assert_lt(snprintf(next, sizeof(next), "%s%s", pattern,
				                      repetitions[j]),
				             (int)sizeof(next));
			} while (is_modest(next));
			clock_t before = clock();

			cr_assert_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0, "%s",
			             pattern);
			cr_expect_lt(clock() - before, 2 * CLOCKS_PER_SEC, "%s", pattern);
			regfree(&regex);
		}
}
