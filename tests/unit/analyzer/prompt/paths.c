/* Tests of paths that are completed. */
#include "analyzer/prompt/paths.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/xer-paths-XXXXXX";

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	mkdir("test.1.er", 0700);
	mkdir("tests", 0700);
	mkdir("tests/deep.er", 0700);
	close(open("test.erg", O_CREAT | O_WRONLY, 0600));
	close(open("notes", O_CREAT | O_WRONLY, 0600));
	close(open(".hidden", O_CREAT | O_WRONLY, 0600));
}

static void tear_down(void)
{
	static const char *const files[] = {"test.erg", "notes", ".hidden"},
				 *const folders[] = {"tests/deep.er", "tests", "test.1.er"};

	for (size_t i = 0; i < 3; i++)
		unlink(files[i]);
	for (size_t i = 0; i < 3; i++)
		rmdir(folders[i]);
	cr_expect_eq(rmdir(folder), 0);
}

TestSuite(paths, .init = set_up, .fini = tear_down, .timeout = 20);

static void check(enum paths_kind kind, const char *typed, const char *expected)
{
	struct words words = {.after = ' '};
	char all[256] = "";

	paths_complete(kind, typed, strlen(typed), &words);
	words_sort(&words);
	for (size_t i = 0; i < words.count; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
		         words.words[i]);
	cr_expect_str_eq(all, expected, "%s: %s", typed, all);
	words_fini(&words);
}

Test(paths, each_kind_has_what_leads_to_it)
{
	check(PATHS_FILES, "", "notes test.1.er/ test.erg tests/");
	check(PATHS_DIRECTORIES, "", "test.1.er/ tests/");
	check(PATHS_EXPERIMENTS, "", "test.1.er test.erg tests/");
	check(PATHS_EXPERIMENTS, "tests/", "tests/deep.er");
	check(PATHS_FILES, "no", "notes");
	check(PATHS_FILES, "nowhere/x", "");
}

Test(paths, hidden_files_and_the_home_directory_are_asked_for)
{
	check(PATHS_FILES, ".h", ".hidden");
	check(PATHS_FILES, "./n", "./notes");
	setenv("HOME", folder, 1);
	check(PATHS_FILES, "~/no", "~/notes");
}
