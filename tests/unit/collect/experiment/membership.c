/* membership.c: tests of adding experiments to groups. */
#include "collect/experiment/membership.h"

#include "format/layout.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(membership, .init = scratch_enter, .fini = scratch_leave);

#define HEAD FMT_GROUP_HEAD "\n"

static struct cause cause;
static struct membership membership;

/* Add an experiment called `name` in the directory `place` below the current one ("" for the
 * current one). */
static int add(const char *group, const char *place, const char *name)
{
	static struct experiment_directory experiment;
	char here[PATH_MAX];

	cr_assert(realpath(".", here) != NULL);
	snprintf(experiment.name, sizeof(experiment.name), "%s", name);
	snprintf(experiment.path, sizeof(experiment.path), "%.2000s/%s%s", here, place, name);
	return membership_add(group, &experiment, &membership, &cause);
}

static void check_text(const char *group, const char *expected)
{
	char text[PATH_MAX * 2] = "";
	FILE *file = fopen(group, "r");

	cr_assert(file != NULL);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	cr_assert_str_eq(text, expected);
}

Test(membership, a_new_group_gets_its_head)
{
	cr_assert_eq(membership_check("all.erg", &cause), 0);
	cr_assert_eq(add("all.erg", "", "a.1.er"), 0);
	cr_assert_eq(add("all.erg", "", "a.2.er"), 0);
	check_text("all.erg", HEAD "a.1.er\na.2.er\n");
}

Test(membership, what_is_elsewhere_is_named_by_its_whole_path)
{
	char expected[PATH_MAX], here[PATH_MAX];

	cr_assert_eq(mkdir("groups", 0755), 0);
	cr_assert_eq(add("groups/all.erg", "", "a.1.er"), 0);
	cr_assert_eq(add("groups/all.erg", "groups/", "#b.er"), 0);
	cr_assert(realpath(".", here) != NULL);
	snprintf(expected, sizeof(expected), HEAD "%.2000s/a.1.er\n./#b.er\n", here);
	check_text("groups/all.erg", expected);
}

Test(membership, a_last_line_without_end_is_ended)
{
	scratch_put("all.erg", HEAD "a.er", strlen(HEAD "a.er"), 0644);
	cr_assert_eq(add("all.erg", "", "b.er"), 0);
	check_text("all.erg", HEAD "a.er\nb.er\n");
}

Test(membership, other_files_are_left_alone)
{
	scratch_put("text.erg", "hello\n", 6, 0644);
	cr_assert_eq(membership_check("text.erg", &cause), 125);
	cr_assert_eq(add("text.erg", "", "a.er"), 125);
	check_text("text.erg", "hello\n");
	cr_assert_eq(mkdir("dir.erg", 0755), 0);
	cr_assert_eq(membership_check("dir.erg", &cause), 125);
	cr_assert_str_eq(cause.text, "-g: dir.erg cannot be opened: Is a directory");
	cr_assert_eq(membership_check("x.er", &cause), 125);
	cr_assert_eq(membership_check(".erg", &cause), 125);
	cr_assert_eq(membership_check("d/.erg", &cause), 125);
}

Test(membership, a_path_with_a_line_end_is_refused)
{
	cr_assert_eq(add("all.erg", "", "a\nb.er"), 125);
	cr_assert_eq(access("all.erg", F_OK), -1);
}

Test(membership, withdrawn_lines_are_gone_unless_others_follow)
{
	struct membership first;

	cr_assert_eq(add("all.erg", "", "a.er"), 0);
	first = membership;
	cr_assert_eq(add("all.erg", "", "b.er"), 0);
	membership_withdraw(&membership);
	check_text("all.erg", HEAD "a.er\n");
	cr_assert_eq(add("all.erg", "", "c.er"), 0);
	membership_withdraw(&first);
	check_text("all.erg", HEAD "a.er\nc.er\n");
}

Test(membership, several_programs_add_at_once)
{
	enum { PROGRAMS = 8, LINES = 20 };
	char name[32];
	int lines = 0, status;
	char *line = NULL;
	size_t size;
	FILE *file;

	for (int i = 0; i < PROGRAMS; i++) {
		if (fork() != 0)
			continue;
		for (int j = 0; j < LINES; j++) {
			snprintf(name, sizeof(name), "%d-%d.er", i, j);
			if (add("all.erg", "", name) != 0)
				_exit(1);
			close(membership.fd);
		}
		_exit(0);
	}
	while (wait(&status) > 0)
		cr_assert_eq(status, 0);
	file = fopen("all.erg", "r");
	cr_assert(file && getline(&line, &size, file) > 0);
	cr_assert_str_eq(line, HEAD);
	while (getline(&line, &size, file) > 0) {
		int program, number, len = 0;

		cr_assert(sscanf(line, "%d-%d.er\n%n", &program, &number, &len) == 2 &&
		                  len == (int)strlen(line),
		          "%s", line);
		lines++;
	}
	fclose(file);
	free(line);
	cr_assert_eq(lines, PROGRAMS * LINES);
}

Test(membership, file_size_limit_is_an_error_and_no_signal)
{
	struct rlimit limit, before;
	int status;

	cr_assert(getrlimit(RLIMIT_FSIZE, &before) == 0);
	limit = before;
	limit.rlim_cur = 10;
	cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	status = add("all.erg", "", "a.er");

	cr_assert(setrlimit(RLIMIT_FSIZE, &before) == 0);
	cr_assert_eq(status, 125);
}
