/* Tests of analyzer/arguments.c: the arguments of commands on a command line. Those in a line are
 * tested with the lines, in command.c. */
#include "analyzer/arguments.h"

#include <criterion/criterion.h>
#include <errno.h>

static int take(const char *name, const char *first, const char *second,
                struct command_argument *out)
{
	char *words[] = {(char *)first, (char *)second};
	char error[512];

	return arguments_take(command_find(name, error, sizeof(error)), words,
	                      second ? 2 : first != NULL, out);
}

Test(arguments, arguments_are_taken_by_arity)
{
	struct command_argument argument;

	cr_assert_eq(take("functions", "test.1.er", NULL, &argument), 0);
	cr_assert_eq(take("limit", "5", "test.1.er", &argument), 1);
	cr_assert_eq(take("limit", NULL, NULL, &argument), -EINVAL);
	cr_assert_eq(take("fsingle", "main", "test.1.er", &argument), 1);
	cr_assert_eq(argument.number, 0);
	cr_assert_eq(take("fsingle", "main", "2", &argument), 2);
	cr_assert_eq(argument.number, 2);
	cr_assert_str_eq(argument.text, "main");
	cr_assert_eq(take("header", "test.1.er", NULL, &argument), 0);
	cr_assert_eq(take("header", "1", "test.1.er", &argument), 1);
}

Test(arguments, optional_metrics_do_not_eat_the_experiment)
{
	struct command_argument argument;

	cr_assert_eq(take("metrics", "test.1.er", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "test.1.er/", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "-functions", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "e.totalcpu:i.user", "test.1.er", &argument), 1);
	cr_assert_eq(take("metrics", "nonsense", "test.1.er", &argument), 1);
	cr_assert_eq(take("sort", "-e.user", "test.1.er", &argument), 1);
}

Test(arguments, lists_and_numbers_of_experiments_may_be_left_out)
{
	struct command_argument argument;

	cr_expect_eq(take("threads", "1,3-5", "test.1.er", &argument), 1);
	cr_expect_str_eq(argument.text, "1,3-5");
	cr_expect_eq(take("threads", "2:1+3", NULL, &argument), 1);
	cr_expect_eq(take("threads", "1x", NULL, &argument), 0);
	cr_expect_eq(take("threads", "x1", NULL, &argument), 0);
	cr_expect_eq(take("threads", NULL, NULL, &argument), 0);
	cr_expect_eq(take("threads", "", NULL, &argument), 0);
	cr_expect_null(argument.text);
	cr_expect_eq(take("header", "ALL", "test.1.er", &argument), 1);
	cr_expect_str_eq(argument.text, "ALL");
	cr_expect_eq(take("header", "12", NULL, &argument), 1);
	cr_expect_eq(argument.number, 12);
	cr_expect_eq(take("header", "1x", NULL, &argument), 0);
	cr_expect_eq(take("header", "", NULL, &argument), 0);
	cr_expect_eq(take("header", NULL, NULL, &argument), 0);
}

Test(arguments, ranges_and_threads_may_be_left_out)
{
	struct command_argument argument;

	cr_expect_eq(take("timeline", "test.1.er", NULL, &argument), 0);
	cr_expect_null(argument.text);
	cr_expect_eq(take("timeline", "1.5-2", "test.1.er", &argument), 1);
	cr_expect_str_eq(argument.text, "1.5-2");
	cr_expect_null(argument.second);
	cr_expect_eq(take("timeline", "200ms-", "2:1,3+4:all", &argument), 2);
	cr_expect_str_eq(argument.second, "2:1,3+4:all");
	cr_expect_eq(take("timeline", "ALL", "all", &argument), 2);
	cr_expect_eq(take("timeline", "-3", "allocs.er", &argument), 1);
	cr_expect_eq(take("timeline", "-functions", NULL, &argument), 0);
	cr_expect_eq(take("timeline", "s-1", NULL, &argument), 0);
	cr_expect_eq(take("timeline", "run-1", NULL, &argument), 0);
	cr_expect_eq(take("timeline", "1", NULL, &argument), 0);
}

Test(arguments, grains_stand_before_lists)
{
	struct command_argument argument;

	cr_expect_eq(take("seconds", "-grain", "10ms", &argument), 2);
	cr_expect_str_eq(argument.second, "10ms");
	cr_expect_null(argument.text);
	cr_expect_eq(take("seconds", "1-2", "test.1.er", &argument), 1);
	cr_expect_str_eq(argument.text, "1-2");
	cr_expect_eq(take("seconds", "-grain", NULL, &argument), -EINVAL);
	cr_expect_eq(take("seconds", "-functions", NULL, &argument), 0);
}

Test(arguments, pairs_take_two_words_or_none)
{
	struct command_argument argument;

	cr_expect_eq(take("pathmap", "/old", "/new", &argument), 2);
	cr_expect_str_eq(argument.text, "/old");
	cr_expect_str_eq(argument.second, "/new");
	cr_expect_eq(take("pathmap", "/old", NULL, &argument), -EINVAL);
	cr_expect_eq(take("export", NULL, NULL, &argument), -EINVAL);
}

Test(arguments, metrics_that_begin_with_a_sign_are_metrics)
{
	struct command_argument argument;

	cr_expect_eq(take("sort", "-e.totalcpu", "test.1.er", &argument), 1);
	cr_expect_eq(take("sort", "-limit", "5", &argument), 0);
	cr_expect_eq(take("metrics", "/tmp", NULL, &argument), 0, "a file that is there");
	cr_expect_eq(take("metrics", "/nonexistent", NULL, &argument), 1);
	cr_expect_eq(take("metrics", ".er", NULL, &argument), 1, "no name of an experiment");
	cr_expect_eq(take("metrics", "a.er", NULL, &argument), 0);
	cr_expect_eq(take("metrics", NULL, NULL, &argument), 0);
}
