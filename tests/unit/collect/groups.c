/* Tests of collect/groups.c: groups of hooks are defined, listed and deleted in the user's file. */
#include "collect/groups.h"

#include "collect/options/groupfile.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[] = "/tmp/xer-groups-XXXXXX", file[64];
static struct cause cause;

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	snprintf(file, sizeof(file), "%s/xer/groups", folder);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(groups, .init = set_up, .fini = tear_down, .timeout = 20);

/* The user's groups have this text, and nothing else is left beside them. */
static void expect_file(const char *expected)
{
	char text[512], directory[64];
	FILE *in = fopen(file, "r");
	struct dirent **names;
	int count;

	cr_assert_not_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	cr_expect_str_eq(text, expected);
	snprintf(directory, sizeof(directory), "%s/xer", folder);
	count = scandir(directory, &names, NULL, NULL);
	cr_expect_eq(count, 3);
	while (count > 0)
		free(names[--count]);
	free(names);
}

static void expect_refused(int status, const char *why)
{
	cr_expect_neq(status, 0);
	cr_expect_str_eq(cause.text, why);
}

Test(groups, one_is_defined_replaced_and_deleted)
{
	char *text;
	size_t size;
	FILE *out;

	cr_assert_eq(groups_define("first:020,021:two words: and more", &cause), 0);
	cr_assert_eq(groups_define("second:022", &cause), 0);
	expect_file("first 020,021 two words: and more\nsecond 022 \n");
	cr_assert_eq(groups_define("first:023:one", &cause), 0);
	expect_file("second 022 \nfirst 023 one\n");
	out = open_memstream(&text, &size);
	cr_expect_eq(groups_list(out, &cause), 0);
	fclose(out);
	cr_expect_not_null(strstr(text, "second -  (user) \"022\"\n"), "%s", text);
	cr_expect_not_null(strstr(text, "first - one (user) \"023\"\n"), "%s", text);
	free(text);
	cr_assert_eq(groups_delete("second", &cause), 0);
	expect_file("first 023 one\n");
	expect_refused(groups_delete("second", &cause), "there is no group 'second'");
	expect_file("first 023 one\n");
}

Test(groups, a_sub_id_stands_behind_a_colon_too)
{
	cr_assert_eq(groups_define("subs:020:1,021:ff:what it is", &cause), 0);
	expect_file("subs 020:1,021:ff what it is\n");
}

Test(groups, without_a_file_there_is_none)
{
	expect_refused(groups_delete("first", &cause), "there is no group 'first'");
}

Test(groups, what_is_no_group_is_refused)
{
	static const char *const bad[] = {"",         "name",         "name:",     ":020",
	                                  "na me:20", "na,me:020",    "na#me:020", "na@me:020",
	                                  "name:x",   "name:020,,021"};
	char expected[128], many[GROUPFILE_LINE];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(expected, sizeof(expected),
		         "'%s' is no group: it is NAME:LIST[:DESCRIPTION]", bad[i]);
		expect_refused(groups_define(bad[i], &cause), expected);
	}
	expect_refused(groups_define("name:020:two\nlines", &cause),
	               "the group is too long, or more than a line");
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	memcpy(many, "name:020:", 9);
	expect_refused(groups_define(many, &cause), "the group is too long, or more than a line");
}

/* A folder stands where the file is to be. */
Test(groups, what_cannot_be_kept_is_told)
{
	char directory[64], command[128];

	snprintf(directory, sizeof(directory), "%s/xer", folder);
	cr_assert(mkdir(directory, 0700) == 0 && mkdir(file, 0700) == 0);
	expect_refused(groups_define("first:020", &cause), "cannot keep the group: Is a directory");
	snprintf(command, sizeof(command), "[ \"$(ls '%s')\" = groups ]", directory);
	cr_expect_eq(system(command), 0, "nothing is left beside it");
}

Test(groups, without_a_place_none_is_kept)
{
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	expect_refused(groups_define("first:020", &cause),
	               "cannot keep the group: No such file or directory");
}
