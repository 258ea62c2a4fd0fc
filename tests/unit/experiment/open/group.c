/* group.c: tests of reading experiment groups. */
#include "experiment/open/group.h"
#include "format/layout.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD FMT_GROUP_HEAD "\n"

static struct maker maker;
static char path[256];

static void set_up(void)
{
	maker_create(&maker);
	snprintf(path, sizeof(path), "%s/all.erg", maker.directory);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(group, .init = set_up, .fini = tear_down);

/* The members that were read, "line:path " each, with paths relative to the maker's directory; and
 * warnings. */
struct seen {
	char members[512], warnings[512];
	unsigned refused; /* line to refuse, 0: none */
};

static int take(void *context, const char *member, unsigned line)
{
	struct seen *seen = context;
	size_t len = strlen(seen->members), prefix = strlen(maker.directory);

	if (strncmp(member, maker.directory, prefix) == 0 && member[prefix] == '/')
		member += prefix + 1;
	snprintf(seen->members + len, sizeof(seen->members) - len, "%u:%.60s ", line, member);
	return line == seen->refused ? -EINVAL : 0;
}

static void warn(void *context, const char *message)
{
	struct seen *seen = context;
	size_t len = strlen(seen->warnings);

	snprintf(seen->warnings + len, sizeof(seen->warnings) - len, "%s|", message);
}

static int read_group(const char *text, size_t len, struct seen *seen)
{
	const struct exp_group_reader reader = {take, seen, {warn, seen}};
	struct exp_cause cause = {""};
	FILE *file = fopen(path, "w");
	int rc;

	cr_assert(file && fwrite(text, 1, len, file) == len && fclose(file) == 0);
	rc = experiment_group_read(path, &reader, &cause);
	cr_assert((rc < 0) == (cause.text[0] != '\0'));
	return rc;
}

Test(group, paths_begin_where_the_group_is)
{
	static const char text[] = HEAD "a.er\n/b/c.er\nd/e.er";
	struct seen seen = {.members = ""};

	cr_assert_eq(read_group(text, strlen(text), &seen), 0);
	cr_assert_str_eq(seen.members, "2:a.er 3:/b/c.er 4:d/e.er ");
}

Test(group, comments_blanks_and_foreign_line_ends_mean_nothing)
{
	static const char text[] = FMT_GROUP_HEAD "\r\n\r\n# a.er\n   \nb c.er \t\r\n\n";
	struct seen seen = {.members = ""};

	cr_assert_eq(read_group(text, strlen(text), &seen), 0);
	cr_assert_str_eq(seen.members, "5:b c.er ");
}

Test(group, bad_lines_are_counted_and_named)
{
	static const char text[] = HEAD "a\0b.er\nrefused.er\nc.er\n";
	struct seen seen = {.refused = 3};

	cr_assert_eq(read_group(text, sizeof(text) - 1, &seen), 2);
	cr_assert_str_eq(seen.members, "3:refused.er 4:c.er ");
	cr_assert(strstr(seen.warnings, "all.erg: line 2: not a path|") != NULL, "%s",
	          seen.warnings);
}

Test(group, a_path_that_is_too_long_is_a_bad_line)
{
	size_t len = strlen(HEAD) + PATH_MAX + 10;
	char *text = malloc(len + 1);
	struct seen seen = {.members = ""};

	cr_assert(text != NULL);
	memset(text, 'x', len);
	memcpy(text, HEAD, strlen(HEAD));
	cr_assert_eq(read_group(text, len, &seen), 1);
	cr_assert_str_eq(seen.members, "");
	free(text);
}

Test(group, every_cut_is_read_or_refused)
{
	static const char text[] = HEAD "a.er\nb.er\n";

	for (size_t len = 0; len <= strlen(text); len++) {
		struct seen seen = {.members = ""};
		int rc = read_group(text, len, &seen);

		cr_assert_eq(rc, len < strlen(FMT_GROUP_HEAD) ? -EBADMSG : 0, "%zu: %d", len, rc);
	}
}

Test(group, only_files_of_the_suffix_are_groups)
{
	char directory[256];

	snprintf(directory, sizeof(directory), "%s/d.erg", maker.directory);
	cr_assert_eq(mkdir(directory, 0755), 0);
	cr_assert_not(experiment_group_is(directory));
	cr_assert_not(experiment_group_is(maker.path));
	cr_assert_not(experiment_group_is(".erg"));
	cr_assert(experiment_group_is("/nowhere.erg"));
}
