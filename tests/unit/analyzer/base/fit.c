/* Tests of text that is cut or broken to a width. */
#include "analyzer/base/fit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void check_cut(const char *text, size_t columns, const char *expected)
{
	char *cut = fit_cut(text, columns);

	cr_assert_str_eq(cut, expected);
	free(cut);
}

static void check_wrapped(const char *text, size_t columns, size_t begin, size_t indent,
                          const char *expected)
{
	char *made = NULL;
	size_t size;
	FILE *out = open_memstream(&made, &size);

	fit_put_wrapped(out, text, columns, begin, indent);
	fclose(out);
	cr_assert_str_eq(made, expected);
	free(made);
}

Test(fit, a_width_counts_characters_and_escapes)
{
	cr_assert_eq(fit_width("abc"), 3);
	cr_assert_eq(fit_width("caf\xc3\xa9"), 4);
	cr_assert_eq(fit_width("a\033"), 5);
}

Test(fit, what_fits_is_whole)
{
	check_cut("abcdefghijklmnopqrstuvwxyz", 0, "abcdefghijklmnopqrstuvwxyz");
	check_cut("abcdefghijklmnopqrstuvwxyz", 26, "abcdefghijklmnopqrstuvwxyz");
	check_cut("", 5, "");
}

Test(fit, a_name_loses_its_middle)
{
	check_cut("abcdefghijklmnopqrstuvwxyz0123456789", 30, "abcdefghijklmn...xyz0123456789");
	/* Texts are never cut so short that they say nothing. */
	check_cut("abcdefghijklmnopqrstuvwxyz", 3, "abcdefghijk...qrstuvwxyz");
}

Test(fit, characters_are_not_torn)
{
	char text[121] = "", *cut;

	for (int i = 0; i < 40; i++)
		strcat(text, "\xe2\x82\xac");
	cut = fit_cut(text, 30);
	cr_assert_eq(fit_width(cut), 30);
	cr_assert_eq(strlen(cut), 27 * 3 + 3);
	free(cut);
}

Test(fit, rules_of_a_tree_and_line_numbers_stay)
{
	check_cut("  | | +-abcdefghijklmnopqrstuvwxyz", 10, "  | | +-abcdefghijk...qrstuvwxyz");
	check_cut("a_function_of_a_long_name, line 44 in \"file.c\"", 36,
	          "a_function_o..., line 44 in \"file.c\"");
	check_cut("a_function_of_a_long_name, line 44 in \"a_file_of_a_long_name.c\"", 30,
	          "a_function_of_..._long_name.c\"");
}

Test(fit, lines_of_listings_are_broken_at_blanks)
{
	check_wrapped(
		"for (int i = 0; i < count; i++) sum += value[i] * weight[i];", 40, 10, 4,
		"for (int i = 0; i < count; i++) sum +=\n              value[i] * weight[i];");
	check_wrapped("0123456789012345678901234567890123456789abcdefghij", 40, 0, 2,
	              "0123456789012345678901234567890123456789\n  abcdefghij");
	check_wrapped("short", 40, 10, 4, "short");
	/* If there is so little room, the lines are left to the terminal. */
	check_wrapped("for (int i = 0; i < count; i++) sum += value[i];", 20, 60, 16,
	              "for (int i = 0; i < count; i++) sum += value[i];");
}

Test(fit, every_width_keeps_every_character_of_a_broken_line)
{
	const char text[] =
		"The quick brown fox jumps over the lazy dog, again and again, and-again-and-again-without-a-blank";

	for (size_t columns = 1; columns < 120; columns++) {
		char *made = NULL;
		size_t size, at = 0;
		FILE *out = open_memstream(&made, &size);

		fit_put_wrapped(out, text, columns, 3, 2);
		fclose(out);
		for (size_t i = 0; i < size; i++)
			if (made[i] != ' ' && made[i] != '\n') {
				at += strspn(text + at, " ");
				cr_assert_eq(made[i], text[at++], "%zu", columns);
			}
		cr_assert_eq(text[at], '\0');
		free(made);
	}
}

/* Two functions that differ in their template arguments only, and what is like neither. */
Test(fit, different_names_that_would_look_alike_are_found)
{
	static const char *const names[] = {
		"std::map<int, Order, Less<int>, Pool<Order> >::find(int const&)",
		"short",
		"std::map<int, Price, Less<int>, Pool<Price> >::find(int const&)",
		"std::set<int, Less<int>, Pool<int>, and, some, more, words>::find(int const&)",
		"  | +-std::map<int, Order, Less<int>, Pool<Order> >::find(int const&)",
		"short"};
	unsigned char *alike = fit_find_alike(names, 6, 40);

	cr_assert(alike[0] && alike[2] && alike[4]);
	cr_assert(!alike[1] && !alike[3] && !alike[5]);
	free(alike);
	alike = fit_find_alike(names, 2, 40);
	cr_assert(!alike[0] && !alike[1], "nothing is like it");
	free(alike);
	alike = fit_find_alike(names, 6, 200);
	for (int i = 0; i < 6; i++)
		cr_assert(!alike[i], "nothing is cut: %d", i);
	free(alike);
	cr_assert_null(fit_find_alike(names, 6, 0));
	cr_assert_null(fit_find_alike(names, 0, 40));
}
