/* Tests of the program xer_trcrpt: reports of golden experiments, checks and changes of templates,
 * and the command of xer_print. */
#include "analyzer/trcrpt/trcrpt.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USER "tests/golden/user.er"
#define TEMPLATES "tests/programs/user_work.trc"

enum { WORDS_MAX = 16 };

static struct capture_run run(const char *const *words)
{
	return capture_main(trcrpt_main, words, NULL);
}
#define RUN(...) run((const char *const[]){"xer_trcrpt", __VA_ARGS__, NULL})

/* Expect that `out` and `err` are exactly these texts. */
static void check(struct capture_run made, const char *out, const char *err, int status)
{
	cr_expect_str_eq(made.out, out, "%s", made.out);
	cr_expect_str_eq(made.err, err, "%s", made.err);
	cr_expect_eq(made.status, status, "%d", made.status);
	capture_run_fini(&made);
}

static void expect_row(char *line)
{
	char templates[4096], path[64], directory[GOLDEN_PATH];
	char *name = strtok(line, " \n"), *experiment = strtok(NULL, " \n");
	const char *words[WORDS_MAX] = {"xer_trcrpt", "-h", "-t", templates};
	char *expected = golden_expected(name);
	struct capture_run made;
	size_t count = 4;

	cr_assert_not_null(realpath(TEMPLATES, templates));
	while ((words[count] = strtok(NULL, " \n")))
		cr_assert_lt(++count, WORDS_MAX - 1);
	snprintf(path, sizeof(path), "%s.er", experiment);
	words[count] = path;
	golden_enter(experiment, directory);
	made = run(words);
	golden_compare(name, expected, made.out, made.status, made.err);
	capture_run_fini(&made);
	golden_leave(directory);
	free(expected);
}

Test(trcrpt_program, reports_of_kept_experiments_are_as_expected)
{
	FILE *table = fopen("tests/golden/trcrpt", "r");
	char line[256];
	unsigned rows = 0;

	cr_assert_not_null(table);
	while (fgets(line, sizeof(line), table))
		if (line[0] != '#') {
			expect_row(line);
			rows++;
		}
	fclose(table);
	cr_expect_geq(rows, 9);
}

Test(trcrpt_program, help_and_version)
{
	check(RUN("--version"), "xer_trcrpt " XER_VERSION "\n", "", 0);
	check(RUN("-V"), "xer_trcrpt " XER_VERSION "\n", "", 0);
	for (int i = 0; i < 2; i++) {
		struct capture_run made = RUN(i ? "--help" : "-help");

		cr_expect(strstr(made.out, "Usage: xer_trcrpt [option ...] EXPERIMENT...\n") ==
		          made.out);
		cr_expect_eq(made.status, 0);
		capture_run_fini(&made);
	}
}

Test(trcrpt_program, slips_of_the_command_line)
{
	check(RUN("-h"), "",
	      "xer_trcrpt: no experiment named (xer_trcrpt --help shows the usage)\n", 2);
	check(RUN("-Z"), "",
	      "xer_trcrpt: unknown option -Z (xer_trcrpt --help shows the options)\n", 2);
	check(RUN("-t", TEMPLATES, "/nonexistent.er"), "",
	      "xer_trcrpt: /nonexistent.er: no such experiment\n", 1);
	check(RUN("-h", "-t", "/nonexistent.trc", USER), "",
	      "xer_trcrpt: /nonexistent.trc: No such file or directory\n", 1);
	check(RUN("-h", "-t", "tests", USER), "", "xer_trcrpt: tests: Is a directory\n", 1);
	check(RUN("-h", "-t", "/dev/null", USER), "", "xer_trcrpt: /dev/null: Invalid argument\n",
	      1);
	check(RUN("-t", TEMPLATES, "-o", "/nonexistent/file", USER), "",
	      "xer_trcrpt: /nonexistent/file: No such file or directory\n", 1);
	check(RUN("-c", "-t", TEMPLATES, "-o", "/nonexistent/file"), "",
	      "xer_trcrpt: /nonexistent/file: No such file or directory\n", 1);
	check(RUN("-c", "-t", TEMPLATES, "-o", "/dev/full"), "",
	      "xer_trcrpt: cannot write the output\n", 1);
}

Test(trcrpt_program, templates_are_checked_and_listed)
{
	check(RUN("-c", "-t", TEMPLATES), "6 templates, no errors\n", "", 0);
	check(RUN("-cq", "-t", TEMPLATES), "",
	      "xer_trcrpt: unknown option -cq (xer_trcrpt --help shows the options)\n", 2);
	check(RUN("-c", "-q", "-t", TEMPLATES), "", "", 0);
	check(RUN("-j", "-t", TEMPLATES),
	      "020   Job\n021   Text\n022   \n023   Thread\n024   The end\n025   called\n", "", 0);
}

static char directory[] = "/tmp/xer-trcrpt-XXXXXX";

static void enter(void)
{
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
}

static void leave(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
}

static void expect_file(const char *path, const char *expected)
{
	unsigned long size;
	char *text = answer_file(path, &size);

	cr_expect_str_eq(text, expected, "%s: %s", path, text);
	free(text);
}

Test(trcrpt_files, one_template_is_one, .init = enter, .fini = leave)
{
	put("one", "010 1.0 \"One\" $HD\n");
	check(RUN("-c", "-t", "one"), "1 template, no errors\n", "", 0);
}

Test(trcrpt_files, what_is_wrong_with_templates_is_told_by_line, .init = enter, .fini = leave)
{
	struct capture_run made;

	put("bad", "010 1.0 \"One\" $HD\n\n011 1.0 \"Two\" { $HD\n");
	made = RUN("-c", "-t", "bad");
	cr_expect(strstr(made.err, "bad") == made.err && strstr(made.err, "3") != NULL &&
	                  strstr(made.err, "\nxer_trcrpt: 1 error in the templates\n") != NULL,
	          "%s", made.err);
	cr_expect_eq(made.status, 1);
	capture_run_fini(&made);
	check(RUN("-c", "-q", "-t", "bad"), "", "xer_trcrpt: 1 error in the templates\n", 1);
	put("bad", "010 1.0 \"One\" { $HD\n\n011 1.0 \"Two\" { $HD\n");
	check(RUN("-c", "-q", "-t", "bad"), "", "xer_trcrpt: 2 errors in the templates\n", 1);
}

Test(trcrpt_files, templates_are_updated_and_that_is_taken_back, .init = enter, .fini = leave)
{
	static const char
		before[] = "010 1.0 \"One\" $HD\n\n011 1.0 \"Two\" $HD\n\n013 3.0 \"Old\" $HD\n";
	struct stat st;

	put("templates", before);
	chmod("templates", 0640);
	put("change", "+010 1.1 \"First\" $HD\n\n+012 1.0 \"Three\" $HD\n\n+013 2.0 \"Older\" "
	              "$HD\n\n-011\n");
	check(RUN("-update", "change", "-t", "templates"),
	      "templates: 1 added, 1 replaced, 1 deleted, 1 left as they are; change.undo takes that "
	      "back\n",
	      "", 0);
	check(RUN("-j", "-t", "templates"), "010   First\n012   Three\n013   Old\n", "", 0);
	cr_expect_eq(stat("templates", &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0640u);
	check(RUN("-update", "change.undo", "-t", "templates"),
	      "templates: 2 added, 0 replaced, 2 deleted, 0 left as they are; change.undo.undo "
	      "takes that back\n",
	      "", 0);
	check(RUN("-j", "-t", "templates"), "010   One\n011   Two\n013   Old\n", "", 0);
}

Test(trcrpt_files, an_update_that_is_wrong_changes_nothing, .init = enter, .fini = leave)
{
	static const char before[] = "010 1.0 \"One\" $HD\n";

	put("templates", before);
	put("change", "+010 1.1 \"First\" { $HD\n");
	check(RUN("-q", "-update", "change", "-t", "templates"), "",
	      "xer_trcrpt: nothing was changed\n", 1);
	expect_file("templates", before);
	cr_expect_eq(access("change.undo", F_OK), -1);
	check(RUN("-update", "none", "-t", "templates"), "",
	      "xer_trcrpt: none: No such file or directory\n", 1);
	put("change", "+010 1.1 \"First\" $HD\n");
	check(RUN("-update", "change", "-t", "none"), "",
	      "xer_trcrpt: none: No such file or directory\n", 1);
	mkdir("change.undo", 0755);
	check(RUN("-update", "change", "-t", "templates"), "",
	      "xer_trcrpt: change.undo: Is a directory\n", 1);
	expect_file("templates", before);
}

Test(trcrpt_command, quotes_keep_blanks_and_experiments_are_opened)
{
	answer_check(USER, "trcrpt '-h -t \"" TEMPLATES "\" -d 024:0'",
	             "024   0.007374498    7.374498   The end called hook 024 environment 0040\n",
	             "", 0);
	answer_check(USER, "trcrpt -j -t " TEMPLATES,
	             "020   Job\n021   Text\n022   \n023   Thread\n024   The end\n025   called\n",
	             "", 0);
	answer_check(USER, "trcrpt -c \t-t   " TEMPLATES, "6 templates, no errors\n", "", 0);
	answer_check(USER, "trcrpt -o x", "",
	             "xer_print: trcrpt: experiments, -o and -update belong to xer_trcrpt "
	             "(outfile sets the file)\n",
	             2);
	answer_check(USER, "trcrpt x.er", "",
	             "xer_print: trcrpt: experiments, -o and -update belong to xer_trcrpt "
	             "(outfile sets the file)\n",
	             2);
	answer_check(USER, "trcrpt -Z", "", "xer_print: trcrpt: unknown option -Z\n", 2);
}
