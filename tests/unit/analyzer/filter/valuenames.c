/* Tests of analyzer/filter/valuenames.c: which values a text in an expression stands for. */
#include "analyzer/filter/valuenames.h"

#include <criterion/criterion.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>

/* Files stand in the order of their calls, not of their numbers. */
static struct exp_io_file files[] = {{.number = 7, .name = "data"},  {.number = 9, .name = "data"},
                                     {.number = 5, .name = "other"}, {.number = 3, .name = "data"},
                                     {.number = 1, .name = NULL},    {.number = 8, .name = "data"}};
static const struct exp_io io = {.files = files, .file_count = 6};
static const struct exp_data_set whole = {.io = &io};

/* Expect that of the numbers from 0 to 9 these are in the set, and no others. */
static void expect(enum token_id token, const char *name, const char *numbers)
{
	struct expression_text text = {.text = (char *)name};
	struct value_set set = value_set_find(&token_table[token], &text, &whole);

	cr_expect_eq(set.count, strlen(numbers), "%s", name);
	for (size_t i = 1; i < set.count; i++)
		cr_expect_lt(set.values[i - 1], set.values[i], "%s: not in order", name);
	for (int number = 0; number < 10; number++)
		cr_expect_eq(value_set_has(&set, number), strchr(numbers, '0' + number) != NULL,
		             "%s: %d", name, number);
	free(set.values);
}

Test(valuenames, all_files_of_a_name_are_found)
{
	expect(TOKEN_IOFNAME, "data", "7938");
	expect(TOKEN_IOFNAME, "other", "5");
	expect(TOKEN_IOFNAME, "<Unknown>", "1");
	expect(TOKEN_IOFNAME, "dat", "");
}

/* Magic numbers of statfs(2). */
Test(valuenames, files_have_the_names_of_their_file_systems)
{
	files[0].file_system = files[3].file_system = EXT4_SUPER_MAGIC;
	files[1].file_system = TMPFS_MAGIC;
	cr_expect_str_eq(value_file_system_name(TMPFS_MAGIC), "tmpfs");
	expect(TOKEN_IOFSTYPE, value_file_system_name(EXT4_SUPER_MAGIC), "73");
	expect(TOKEN_IOFSTYPE, "tmpfs", "9");
	cr_expect_null(value_file_system_name(0));
}

Test(valuenames, values_are_those_of_the_table)
{
	expect(TOKEN_IOFUNC, "no such function", "");
	for (int value = -1; (value = token_value_next(&token_table[TOKEN_MSTATE], value)) >= 0;) {
		char number[2] = {(char)('0' + value), '\0'};

		cr_assert_lt(value, 10);
		expect(TOKEN_MSTATE, token_value_name(&token_table[TOKEN_MSTATE], value), number);
	}
}
