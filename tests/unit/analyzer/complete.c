/* Tests of what may stand next in a line. */
#include "analyzer/complete.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct analysis analysis;

static void open_experiment(void)
{
	analysis_init(&analysis);
	cr_assert_eq(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output,
	                          "tests/golden/profile.er"),
	             0);
	analysis_set_defaults(&analysis);
}

static void close_experiment(void)
{
	analysis_fini(&analysis);
}

TestSuite(complete, .init = open_experiment, .fini = close_experiment, .timeout = 20);

/* The words that complete a line, with blanks between them; where they begin to differ from it, in
 * brackets. */
static void check(const char *line, const char *expected)
{
	struct words words = {.after = ' '};
	char all[4096] = "";

	complete_line(&analysis, line, strlen(line), &words);
	words_sort(&words);
	for (size_t i = 0; i < words.count && strlen(all) < 2000; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i > 0 ? " " : "",
		         words.words[i]);
	cr_expect_str_eq(all, expected, "%s: %s", line, all);
	words_fini(&words);
}

Test(complete, commands_stand_first)
{
	check("calls", "calls");
	check("  calltr", "calltree");
	check("-callt", "calltree");
	check("CTRE", "ctree");
	check("nosuch", "");
	check("help filt", "filters");
	check("nosuch x", "");
}

Test(complete, functions_are_those_of_the_experiment)
{
	check("csingle work_", "work_a work_b work_c work_d");
	check("csingle 'work_a", "work_a");
	check("csing sp", "split");
	check("fsingle nosuch", "");
}

Test(complete, words_of_an_argument_are_those_of_its_text)
{
	check("compare ", "delta off on ratio");
	check("viewmode e", "expert");
	check("printmode j", "json");
	check("limit ", "");
	check("export call", "callgrind");
	check("export folded-", "folded-threads");
}

Test(complete, metrics_go_on_behind_the_last_one)
{
	check("metrics e.totalc", "e.totalcpu");
	check("metrics e.totalcpu:i.%total", "i.%totalcpu");
	check("metrics i.heapleak", "i.heapleakbytes i.heapleakcnt");
	check("sort -e.us", "e.user");
	check("check 'i.totalc", "i.totalcpu");
}

Test(complete, expressions_have_words_and_in_quotes_names_of_values)
{
	check("filters THR", "THRID THRNAME");
	check("filters PID == 3 && thrn", "THRNAME");
	check("filters HTYPE == \"mall", "malloc");
	check("filters IOFN", "");
}

Test(complete, paths_are_those_of_files)
{
	check("open_exp tests/golden/profi", "tests/golden/profile.er");
	check("script tests/run-dem", "tests/run-demo");
	check("export folded tests/run-dem", "tests/run-demo");
	check("setpath tests/gold", "tests/golden/");
}

Test(complete, without_an_experiment_there_are_no_functions)
{
	analysis_fini(&analysis);
	analysis_init(&analysis);
	check("csingle w", "");
	check("funct", "functions");
}
