/* Tests of aligning the instructions of two builds. */
#include "analyzer/code/code_align.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Letters stand for instructions. Returns the pairs as text: "a" in both, "-a" only left, "+a" only
 * right. */
static const char *aligned(const char *left, const char *right)
{
	static char text[256];
	uint64_t keys[64], others[64];
	size_t n = strlen(left), m = strlen(right), count, len = 0, i = 0, j = 0;
	struct code_pair *pairs;

	for (size_t at = 0; at < n; at++)
		keys[at] = (unsigned char)left[at];
	for (size_t at = 0; at < m; at++)
		others[at] = (unsigned char)right[at];
	pairs = code_align_keys(keys, n, others, m, &count);
	for (size_t at = 0; at < count; at++) {
		if (pairs[at].right == CODE_NONE)
			text[len++] = '-';
		else if (pairs[at].left == CODE_NONE)
			text[len++] = '+';
		text[len++] = pairs[at].left != CODE_NONE ? left[pairs[at].left]
		                                          : right[pairs[at].right];
		/* No instruction is missing, twice, or out of order. */
		if (pairs[at].left != CODE_NONE)
			cr_assert_eq(pairs[at].left, i++);
		if (pairs[at].right != CODE_NONE)
			cr_assert_eq(pairs[at].right, j++);
	}
	cr_assert_eq(i, n);
	cr_assert_eq(j, m);
	free(pairs);
	text[len] = '\0';
	return text;
}

Test(code_align, equal_code_is_one)
{
	cr_assert_str_eq(aligned("", ""), "");
	cr_assert_str_eq(aligned("abc", "abc"), "abc");
}

Test(code_align, what_one_has_alone_stands_between)
{
	cr_assert_str_eq(aligned("abc", "abxc"), "ab+xc");
	cr_assert_str_eq(aligned("abc", "ac"), "a-bc");
	cr_assert_str_eq(aligned("abc", ""), "-a-b-c");
	cr_assert_str_eq(aligned("", "abc"), "+a+b+c");
	cr_assert_str_eq(aligned("abc", "axc"), "a-b+xc");
}

Test(code_align, finds_the_longest_common_part)
{
	cr_assert_str_eq(aligned("xabcy", "zabcw"), "-x+zabc-y+w");
	cr_assert_str_eq(aligned("aaab", "ab"), "a-a-ab");
	cr_assert_str_eq(aligned("abcabd", "bcad"), "-abca-bd");
}

Test(code_align, pieces_too_long_are_left_beside_each_other)
{
	enum { LONG = 5000 };
	uint64_t *keys = malloc((LONG + 1) * sizeof(*keys)),
		 *others = malloc((LONG + 1) * sizeof(*others));
	struct code_pair *pairs;
	size_t count;

	for (size_t i = 0; i < LONG; i++) {
		keys[i] = 2 * i + 3;
		others[i] = 2 * i + 2;
	}
	keys[LONG] = others[LONG] = 1;
	pairs = code_align_keys(keys, LONG + 1, others, LONG + 1, &count);
	cr_assert_eq(count, 2 * LONG + 1);
	cr_assert_eq(pairs[0].right, CODE_NONE);
	cr_assert_eq(pairs[LONG].left, CODE_NONE);
	cr_assert_eq(pairs[2 * LONG].left, LONG);
	cr_assert_eq(pairs[2 * LONG].right, LONG);
	free(pairs);
	free(keys);
	free(others);
}
