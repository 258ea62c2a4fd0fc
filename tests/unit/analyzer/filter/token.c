/* Tests of analyzer/filter/token.c: each misspelt word finds the word that was meant. */
#include "analyzer/filter/token.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define TOKEN(name, data, kind, names, value, meaning) #name,
#define ALIAS(name, other) #name,
#include "analyzer/filter/token.def"
};

Test(token, each_name_is_the_nearest_to_itself)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int is_text = 1;
		const char *near = token_nearest(names[i], strlen(names[i]), &is_text);

		cr_expect(near != NULL && strcmp(near, names[i]) == 0, "%s: %s", names[i],
		          near ? near : "none");
		cr_expect_eq(is_text, 0, "%s", names[i]);
	}
}

Test(token, only_so_much_of_a_word_is_looked_at)
{
	int is_text;

	cr_expect_str_eq(token_nearest("TSTAMPXYZ", 6, &is_text), "TSTAMP");
	cr_expect_null(
		token_nearest("something quite different, and longer than any", 46, &is_text));
}

/* What the grammar knows as words of its own is found like a token. */
Test(token, words_of_the_grammar_are_found)
{
	static const char *const words[][2] = {
		{"FNAMX", "FNAME"}, {"REGX", "REGEX"}, {"LOGG2", "LOG2"}, {"LOG1O", "LOG10"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		int is_text = 1;
		const char *near = token_nearest(words[i][0], strlen(words[i][0]), &is_text);

		cr_expect(near && strcmp(near, words[i][1]) == 0, "%s: %s", words[i][0],
		          near ? near : "none");
		cr_expect_eq(is_text, 0);
	}
}

Test(token, values_are_texts)
{
	int is_text = 0;

	cr_expect_str_eq(token_nearest("mallox", 6, &is_text), "malloc");
	cr_expect_eq(is_text, 1);
}
