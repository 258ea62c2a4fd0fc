/* Tests of analyzer/code/sourcefile.c: lines and names of files. */
#include "analyzer/code/sourcefile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void check_line(const struct source_file *file, size_t line, const char *expected)
{
	char *text = source_file_line(file, line);

	if (!expected)
		cr_assert_null(text);
	else
		cr_assert_str_eq(text, expected);
	free(text);
}

Test(sourcefile, tabs_are_blanks_and_ends_of_lines_go)
{
	static char text[] = "a\r\n\tb\n\nx\ty";
	size_t lines[] = {0, 3, 6, 7};
	const struct source_file file = {
		.source = {.text = text, .size = sizeof(text) - 1}, .lines = lines, .count = 4};

	check_line(&file, 1, "a");
	check_line(&file, 2, "        b");
	check_line(&file, 3, "");
	check_line(&file, 4, "x       y");
	check_line(&file, 0, NULL);
	check_line(&file, 5, NULL);
}

Test(sourcefile, names_of_one_file)
{
	cr_assert(source_is_same("/a/./b/../c.c", "/a/c.c"));
	cr_assert(source_is_same("x.c", "x.c"));
	cr_assert_not(source_is_same("/a/b.c", "/a/c.c"));
	cr_assert_not(source_is_same("/a/c.c", "/b/c.c"));
	cr_assert(source_is_called("/a/b/c.c", "c.c"));
	cr_assert(source_is_called("/a/b/c.c", "b/c.c"));
	cr_assert_not(source_is_called("/a/bb/c.c", "b/c.c"));
	cr_assert_not(source_is_called("/a/b/c.c", ""));
	cr_assert(source_is_called("/a/b/../c.c", "/a/c.c"));
}
