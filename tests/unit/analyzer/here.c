/* Tests of the experiments of the working directory. */
#include "analyzer/here.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char before[4096], directory[] = "/tmp/here.XXXXXX";

static void enter(void)
{
	cr_assert_not_null(getcwd(before, sizeof(before)));
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
}

static void leave(void)
{
	char command[64];

	cr_assert_eq(chdir(before), 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(here, .init = enter, .fini = leave, .timeout = 20);

/* An experiment whose log was written at `second`; 0: without a log. */
static void put(const char *name, long second)
{
	const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
	char path[64];
	int fd;

	cr_assert_eq(mkdir(name, 0755), 0);
	if (second == 0)
		return;
	snprintf(path, sizeof(path), "%s/log.xml", name);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	cr_assert(fd >= 0 && futimens(fd, times) == 0);
	close(fd);
}

Test(here, the_latest_is_the_one_that_was_written_last)
{
	char latest[NAME_MAX + 1] = "";

	cr_expect_eq(here_experiments(latest), 0);
	put("test.1.er", 300);
	cr_expect_eq(here_experiments(latest), 1);
	cr_expect_str_eq(latest, "test.1.er");
	put("test.2.er", 500);
	put("test.3.er", 400);
	cr_expect_eq(here_experiments(latest), 3);
	cr_expect_str_eq(latest, "test.2.er");
}

Test(here, other_directories_are_no_experiments)
{
	char latest[NAME_MAX + 1] = "";

	put("empty.er", 0);
	put(".er", 900);
	put("test.1.er.old", 900);
	put("test", 900);
	cr_expect_eq(here_experiments(latest), 0);
	cr_expect_str_empty(latest);
}
