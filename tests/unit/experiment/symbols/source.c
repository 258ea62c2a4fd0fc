/* Source files: the order in which places are tried, and that an archive leads to no other
 * places. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/symbols/source.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct maker maker;
static struct experiment *experiment;
static struct exp_paths *paths;
static char recorded[256];
static unsigned tried;

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file, "%s", path);
	fputs(text, file);
	fclose(file);
}

/* mkdir -p of a file's directory */
static void make_directory(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0777);
		*at = '/';
	}
}

static void set_up(void)
{
	struct exp_cause cause;

	maker_create(&maker);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	paths = exp_paths_create();
	snprintf(recorded, sizeof(recorded), "%s/was/a.c", maker.directory);
}

static void tear_down(void)
{
	exp_paths_destroy(paths);
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(source, .init = set_up, .fini = tear_down);

static void count(void *context, enum exp_source_origin origin, const char *place)
{
	(void)context;
	(void)origin;
	(void)place;
	tried++;
}

static int open_source(struct exp_source *out)
{
	const struct experiment *const experiments[] = {experiment};
	const struct exp_source_query query = {.paths = paths,
	                                       .experiments = experiments,
	                                       .experiment_count = 1,
	                                       .path = recorded,
	                                       .tried = count};

	return exp_source_open(&query, out);
}

static void check(enum exp_source_origin origin, const char *text)
{
	struct exp_source source;

	cr_assert_eq(open_source(&source), 0);
	cr_assert_eq(source.origin, origin);
	cr_assert_str_eq(source.text, text);
	cr_assert_eq(source.size, strlen(text));
	exp_source_fini(&source);
}

Test(source, places_are_tried_in_order)
{
	struct exp_source source;
	char path[512];

	cr_assert_eq(open_source(&source), -ENOENT);
	cr_assert_gt(tried, 2);
	/* found by the search path */
	snprintf(path, sizeof(path), "%s/a.c", maker.path);
	put(path, "searched\n");
	check(EXP_SOURCE_SEARCHED, "searched\n");
	make_directory(recorded);
	put(recorded, "recorded");
	check(EXP_SOURCE_RECORDED, "recorded");
	snprintf(path, sizeof(path), "%s/archives/src%s", maker.path, recorded);
	make_directory(path);
	put(path, "archived");
	check(EXP_SOURCE_ARCHIVED, "archived");
	snprintf(path, sizeof(path), "%s/now", maker.directory);
	mkdir(path, 0777);
	exp_paths_map(paths, maker.directory, path);
	strcat(path, "/was/a.c");
	make_directory(path);
	put(path, "mapped");
	check(EXP_SOURCE_MAPPED, "mapped");
}

/* A report may be of several experiments, which were archived at different times. */
Test(source, the_first_archive_that_has_it_counts)
{
	struct experiment *others[2];
	struct maker makers[2];
	struct exp_cause cause;
	struct exp_source source;
	char path[512];

	for (int i = 0; i < 2; i++) {
		maker_create(&makers[i]);
		cr_assert_eq(maker_open(&makers[i], &others[i], &cause), 0);
	}
	for (int i = 1; i >= 0; i--) {
		const struct experiment *const experiments[] = {experiment, others[0], others[1]};
		const struct exp_source_query query = {.paths = paths,
		                                       .experiments = experiments,
		                                       .experiment_count = 3,
		                                       .path = recorded};

		cr_assert_eq(exp_source_open(&query, &source), i == 1 ? -ENOENT : 0);
		if (i == 0)
			exp_source_fini(&source);
		snprintf(path, sizeof(path), "%s/archives/src%s", makers[i].path, recorded);
		make_directory(path);
		put(path, i == 1 ? "the last one's" : "an earlier one's");
		cr_assert_eq(exp_source_open(&query, &source), 0);
		cr_expect_eq(source.origin, EXP_SOURCE_ARCHIVED);
		cr_expect_str_eq(source.text, i == 1 ? "the last one's" : "an earlier one's");
		exp_source_fini(&source);
	}
	for (int i = 1; i >= 0; i--) {
		experiment_close(others[i]);
		maker_destroy(&makers[i]);
	}
}

Test(source, a_link_out_of_the_archive_is_not_followed)
{
	struct exp_source source;
	char path[512], secret[512];

	snprintf(secret, sizeof(secret), "%s/secret", maker.directory);
	put(secret, "secret");
	snprintf(path, sizeof(path), "%s/archives/src%s", maker.path, recorded);
	make_directory(path);
	cr_assert_eq(symlink(secret, path), 0);
	cr_assert_eq(open_source(&source), -ENOENT);
}
