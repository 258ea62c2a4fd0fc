/* Tests of analyzer/command.c: names of commands and their arguments on a command line. */
#include "analyzer/command.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const char *name_of(const char *word)
{
	char error[512];
	const struct command *command = command_find(word, error, sizeof(error));

	return command ? command->name : NULL;
}

static void refuse(const char *word, const char *expected)
{
	char error[512] = "";

	cr_assert(!command_find(word, error, sizeof(error)));
	cr_assert(strstr(error, expected) != NULL, "%s: %s", word, error);
}

Test(command, names_aliases_and_case)
{
	cr_assert_str_eq(name_of("functions"), "functions");
	cr_assert_str_eq(name_of("FUNCTIONS"), "functions");
	cr_assert_str_eq(name_of("gprof"), "callers-callees");
	cr_assert_str_eq(name_of("ctree"), "calltree");
	cr_assert_str_eq(name_of("obj_list"), "objects");
	cr_assert_str_eq(name_of("exit"), "quit");
}

Test(command, unambiguous_beginnings_are_enough)
{
	cr_assert_str_eq(name_of("func"), "functions");
	cr_assert_str_eq(name_of("callt"), "calltree");
	cr_assert_str_eq(name_of("leak"), "leaks");
	cr_assert_str_eq(name_of("heaps"), "heapstat");
}

Test(command, ambiguous_beginnings_are_refused_with_the_choices)
{
	refuse("f", "functions fsummary fsingle");
	refuse("metric", "metrics");
	refuse("", "unknown");
}

Test(command, slips_get_the_nearest_command)
{
	refuse("functons", "did you mean 'functions'?");
	refuse("laeks", "did you mean 'leaks'?");
	refuse("zzzzzzzzzz", "unknown command 'zzzzzzzzzz'");
}

static int take(const char *name, const char *first, const char *second,
                struct command_argument *out)
{
	char *words[] = {(char *)first, (char *)second};
	char error[512];

	return command_take_words(command_find(name, error, sizeof(error)), words,
	                          second ? 2 : first != NULL, out);
}

Test(command, arguments_are_taken_by_arity)
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

Test(command, optional_metrics_do_not_eat_the_experiment)
{
	struct command_argument argument;

	cr_assert_eq(take("metrics", "test.1.er", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "test.1.er/", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "-functions", NULL, &argument), 0);
	cr_assert_eq(take("metrics", "e.totalcpu:i.user", "test.1.er", &argument), 1);
	cr_assert_eq(take("metrics", "nonsense", "test.1.er", &argument), 1);
	cr_assert_eq(take("sort", "-e.user", "test.1.er", &argument), 1);
}
