/* Suggestions for misspelt words. */
#include "format/nearest.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

/* -1: not less than the limit. */
static int edits(const char *word, const char *name, size_t limit)
{
	struct nearest nearest = {.word = word, .limit = limit};

	nearest_try(&nearest, name);
	cr_assert((nearest.name != NULL) == (nearest.limit < limit));
	return nearest.name ? (int)nearest.limit : -1;
}

Test(nearest, edits_are_counted)
{
	cr_expect_eq(edits("functions", "functions", 9), 0);
	cr_expect_eq(edits("functons", "functions", 9), 1);
	cr_expect_eq(edits("fuunctions", "functions", 9), 1);
	cr_expect_eq(edits("functiins", "functions", 9), 1);
	cr_expect_eq(edits("laeks", "leaks", 9), 1, "neighbours are swapped");
	cr_expect_eq(edits("lkaes", "leaks", 9), 2);
	cr_expect_eq(edits("LEAKS", "leaks", 9), 0);
	cr_expect_eq(edits("leaks", "ioactivity", SIZE_MAX), 9);
}

Test(nearest, a_limit_changes_no_number_below_it)
{
	static const char *const words[] = {"",
	                                    "a",
	                                    "leaks",
	                                    "laeks",
	                                    "elask",
	                                    "skael",
	                                    "heapstat",
	                                    "ehapstta",
	                                    "statheap",
	                                    "heap",
	                                    "he",
	                                    "callers-callees",
	                                    "calelrs-acllees"};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };

	for (size_t i = 0; i < WORDS; i++)
		for (size_t j = 0; j < WORDS; j++) {
			int all = edits(words[i], words[j], SIZE_MAX);

			for (int limit = 0; limit < 20; limit++)
				cr_expect_eq(edits(words[i], words[j], (size_t)limit),
				             all < limit ? all : -1, "%s %s %d", words[i], words[j],
				             limit);
		}
}

Test(nearest, names_of_which_nothing_stays_are_none)
{
	cr_expect_eq(edits("xyz", "abc", SIZE_MAX), -1);
	cr_expect_eq(edits("", "abc", SIZE_MAX), -1);
	cr_expect_eq(edits("abc", "", SIZE_MAX), -1);
}

Test(nearest, long_words_have_none)
{
	char word[101];

	memset(word, 'a', sizeof(word));
	word[100] = '\0';
	cr_expect_eq(edits(word, word, SIZE_MAX), -1);
	cr_expect_eq(edits(word + 36, word, SIZE_MAX), -1);
	cr_expect_eq(edits(word + 37, word + 37, SIZE_MAX), 0);
}

Test(nearest, the_first_of_the_nearest_is_taken)
{
	static const char *const names[] = {"heap", "heaps", "leaps", "leaks"};

	cr_expect_str_eq(nearest_of("laeks", names, 4), "leaks");
	cr_expect_str_eq(nearest_of("lheap", names, 4), "heap");
	cr_expect_null(nearest_of("ioactivity", names, 4));
}
