/* Tests of sets of words. */
#include "analyzer/prompt/words.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(words, .timeout = 10);

static void add(struct words *words, const char *start, const char *text)
{
	words_add(words, start, strlen(start), text, strlen(text));
}

Test(words, only_those_are_added_that_go_on_from_what_is_typed)
{
	struct words words = {.count = 0};

	add(&words, "fun", "functions");
	add(&words, "FUN", "function");
	add(&words, "functions2", "functions");
	add(&words, "x", "functions");
	cr_expect_eq(words.count, 2);
	words_fini(&words);
}

Test(words, they_are_sorted_and_each_is_there_once)
{
	struct words words = {.count = 0};

	words_sort(&words);
	cr_expect_eq(words_common(&words), 0);
	add(&words, "", "b");
	add(&words, "", "a");
	add(&words, "", "b");
	words_sort(&words);
	cr_assert_eq(words.count, 2);
	cr_expect_str_eq(words.words[0], "a");
	cr_expect_str_eq(words.words[1], "b");
	words_fini(&words);
}

Test(words, what_they_have_in_common_ends_between_characters)
{
	struct words words = {.count = 0};

	add(&words, "", "caf\xc3\xa9");
	cr_expect_eq(words_common(&words), 5);
	add(&words, "", "caf\xc3\xa8");
	cr_expect_eq(words_common(&words), 3);
	add(&words, "", "x");
	cr_expect_eq(words_common(&words), 0);
	words_fini(&words);
}
