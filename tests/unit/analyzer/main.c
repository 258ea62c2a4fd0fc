/* Tests of the program xer_print: its command line, the files it reads before, and its exit
 * status. */
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAP "tests/golden/heap.er"

int analyzer_main(int argc, char **argv);

static char home[] = "/tmp/xer-home-XXXXXX", rc_path[64];

static void set_up(void)
{
	cr_assert(mkdtemp(home) != NULL);
	setenv("HOME", home, 1);
	snprintf(rc_path, sizeof(rc_path), "%s/.xer_print.rc", home);
	unsetenv("DEBUGINFOD_URLS");
}

static void tear_down(void)
{
	unlink(rc_path);
	rmdir(home);
}

TestSuite(main, .init = set_up, .fini = tear_down, .timeout = 60);

static struct capture_run run(const char *const *words, const char *input)
{
	return capture_main(analyzer_main, words, input);
}
#define WORDS(...) ((const char *const[]){"xer_print", __VA_ARGS__, NULL})

/* Expect that `out` and `err` begin with these texts, and the status. */
static void check(const char *const *words, const char *input, const char *out, const char *err,
                  int status)
{
	struct capture_run made = run(words, input);

	cr_expect(strncmp(made.out, out, strlen(out)) == 0, "%s: %s", words[1], made.out);
	cr_expect(*out != '\0' || made.out[0] == '\0', "%s: %s", words[1], made.out);
	cr_expect(strncmp(made.err, err, strlen(err)) == 0, "%s: %s", words[1], made.err);
	cr_expect(*err != '\0' || made.err[0] == '\0', "%s: %s", words[1], made.err);
	cr_expect_eq(made.status, status, "%s: %d", words[1], made.status);
	capture_run_fini(&made);
}

Test(main, version_and_usage_are_told_by_the_usual_options)
{
	static const char usage[] = "Usage: xer_print [-script FILE | -COMMAND [ARGUMENT]] ... [-] "
				    "EXPERIMENT...\n";

	check(WORDS("-V"), NULL, "xer_print " XER_VERSION "\n", "", 0);
	check(WORDS("--version"), NULL, "xer_print " XER_VERSION "\n", "", 0);
	check(WORDS("-h"), NULL, usage, "", 0);
	check(WORDS("-h", "limit"), NULL, usage, "", 0);
	check(WORDS("-help"), NULL, usage, "", 0);
	check(WORDS("--HELP"), NULL, usage, "", 0);
}

Test(main, help_and_version_are_commands_too)
{
	check(WORDS("-version"), NULL, "xer_print " XER_VERSION "\n", "", 0);
	check(WORDS("-help", "limit"), NULL, "  limit [N] ", "", 0);
	check(WORDS("-help", "-version"), NULL, "Any unambiguous beginning", "", 0);
	check(WORDS("--help", "nothing"), NULL, "", "xer_print: help: unknown command 'nothing'",
	      2);
}

Test(main, commands_run_from_left_to_right)
{
	check(WORDS("-limit", "1", "-sort", "name", "--metrics", "i.heapalloccnt", HEAP), NULL,
	      "Current Sort Metric: Name ( name )\n"
	      "Current metrics: i.heapalloccnt:name\n"
	      "Current Sort Metric: Name ( name )\n",
	      "", 0);
}

Test(main, an_experiment_may_stand_anywhere)
{
	check(WORDS(HEAP, "-metrics"), NULL, "Current metrics: i.heapalloccnt:", "", 0);
	check(WORDS("-metrics", HEAP, "-sort"), NULL, "Current metrics: i.heapalloccnt:", "", 0);
}

Test(main, a_command_line_that_is_wrong_runs_nothing)
{
	check(WORDS("-version", "-nonsense", HEAP), NULL, "",
	      "xer_print: unknown command 'nonsense'", 2);
	check(WORDS("-version", "-limit"), NULL, "", "xer_print: -limit: needs [N]\n", 2);
	/* Behind that is advice, which depends on what is in the working directory. */
	check(WORDS("-functions"), NULL, "", "xer_print: no experiment named", 2);
	check((const char *const[]){"xer_print", NULL}, NULL, "", "xer_print: no experiment named",
	      2);
}

Test(main, an_experiment_may_be_opened_by_a_command)
{
	check(WORDS("-open_exp", HEAP, "-limit", "1", "-heapstat"), NULL, "# quality: 528", "", 0);
	check(WORDS("-"), "open_exp " HEAP "\nheapstat\n", "# quality: 528", "", 0);
	check(WORDS("-"), "heapstat\n", "",
	      "xer_print: standard input:1:9: heapstat: no experiment is open", 2);
	check(WORDS("-functions", "tests/golden/heep.er"), NULL, "",
	      "xer_print: tests/golden/heep.er: no such experiment (did you mean tests/golden/heap.er?)",
	      1);
}

Test(main, what_cannot_be_opened_ends_it)
{
	check(WORDS("-version", "/nonexistent.er"), NULL, "",
	      "xer_print: /nonexistent.er: no such experiment\n", 1);
}

Test(main, what_comes_behind_a_slip_is_not_run)
{
	check(WORDS("-limit", "x", "-version", HEAP), NULL, "",
	      "xer_print: limit: 'x' is not a number of rows\n", 2);
	check(WORDS("-outfile", "/nonexistent/out", "-version", HEAP), NULL, "",
	      "xer_print: outfile: /nonexistent/out: No such file or directory\n", 1);
	/* A view without data is not an error of the user. */
	check(WORDS("-ifreq", "-version", HEAP), NULL, "xer_print " XER_VERSION "\n",
	      "xer_print: ifreq: there are no instruction counts", 1);
}

Test(main, the_worst_exit_status_stays)
{
	check(WORDS("-check", "heapleakcnt == 0", "-ifreq", "-version", HEAP), NULL,
	      "# quality: ", "xer_print: 1 of 1 checks failed\n", 3);
	check(WORDS("-ifreq", "-check", "heapleakcnt == 10", HEAP), NULL,
	      "# quality: ", "xer_print: ifreq: ", 1);
}

Test(main, base_and_junit_come_first_wherever_they_stand)
{
	check(WORDS("-check", "heapalloccnt <= 1.00*base", HEAP, "-base", HEAP), NULL,
	      "# quality: ", "", 0);
	check(WORDS("-check", "heapalloccnt == 1", "-quit", HEAP, "-base", "/nonexistent.er"), NULL,
	      "", "xer_print: ", 1);
}

Test(main, quit_ends_it)
{
	check(WORDS("-quit", "-version"), NULL, "", "", 0);
	check(WORDS("-version", "-quit", "-help", "limit"), NULL, "xer_print " XER_VERSION "\n", "",
	      0);
}

Test(main, without_commands_they_are_read_from_standard_input)
{
	check(WORDS(HEAP), "version\nlimit\nquit\nversion\n",
	      "xer_print " XER_VERSION "\nCurrent limit: 0\n", "", 0);
	check(WORDS("-limit", "3", "-", "-sort", HEAP), "limit\n",
	      "Current limit: 3\nCurrent Sort Metric: Inclusive Bytes", "", 0);
	check(WORDS("-script", "-", HEAP), "version\n", "xer_print " XER_VERSION "\n", "", 0);
	check(WORDS(HEAP), "limit x\nversion\n", "xer_print " XER_VERSION "\n",
	      "xer_print: standard input:1:7: limit: 'x' is not a number of rows\n", 2);
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	cr_assert(file != NULL);
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

Test(main, scripts_run_scripts)
{
	char script[64], text[128];

	snprintf(script, sizeof(script), "%s/script", home);
	put(script, "  version # and no more\n\n# nothing\n-limit 3\nlimit\nnonsense\n", 0644);
	check(WORDS("-script", script, "-sort", HEAP), NULL,
	      "xer_print " XER_VERSION "\nCurrent limit: 3\nCurrent Sort Metric: ", "xer_print: ",
	      2);
	snprintf(text, sizeof(text), "version\nscript %s\n", script);
	put(script, text, 0644);
	struct capture_run made = run(WORDS("-script", script), NULL);
	cr_expect_eq(strlen(made.out), 16 * strlen("xer_print " XER_VERSION "\n"), "%s", made.out);
	cr_expect(strstr(made.err, ": scripts nested too deep\n") != NULL, "%s", made.err);
	cr_expect_eq(made.status, 1);
	capture_run_fini(&made);
	unlink(script);
	check(WORDS("-script", script, "-version"), NULL, "xer_print " XER_VERSION "\n",
	      "xer_print: script: /tmp/xer-home-", 1);
	check(WORDS("-script", home), NULL, "", "xer_print: script: /tmp/xer-home-", 1);
}

Test(main, settings_of_rc_files_come_first)
{
	put(rc_path, "limit 7\ndsort name\n", 0644);
	check(WORDS("-sort", HEAP), NULL, "Current Sort Metric: Name ( name )\n", "", 0);
	check(WORDS("-", HEAP), "limit\n", "Current limit: 7\n", "", 0);
	check(WORDS("-rc", "off", "-sort", HEAP), NULL, "Current Sort Metric: Inclusive Bytes", "",
	      0);
	put(rc_path, "functions\nlimit 8\n", 0644);
	check(WORDS("-", HEAP), "limit\n", "Current limit: 8\n", "xer_print: ", 2);
	put(rc_path, "quit\n", 0644);
	check(WORDS("-version"), NULL, "xer_print " XER_VERSION "\n", "", 0);
}

Test(main, named_rc_files_are_read_alone_wherever_they_stand)
{
	char own[64];

	snprintf(own, sizeof(own), "%s/own", home);
	put(rc_path, "limit 7\n", 0644);
	put(own, "dsort name\n", 0666);
	check(WORDS("-sort", "-", HEAP, "-rc", own), "limit\n",
	      "Current Sort Metric: Name ( name )\nCurrent limit: 0\n", "", 0);
	unlink(own);
	check(WORDS("-version", "-rc", own), NULL, "xer_print " XER_VERSION "\n",
	      "xer_print: rc: /tmp/xer-home-", 1);
}

Test(main, rc_files_that_others_may_write_are_passed_over)
{
	static const char limit[] = "Current limit: 0\n";

	put(rc_path, "limit 7\n", 0666);
	check(WORDS("-", HEAP), "limit\n", limit, "xer_print: /tmp/xer-home-", 0);
	chmod(rc_path, 0644);
	chmod(home, 0777);
	check(WORDS("-", HEAP), "limit\n", limit, "xer_print: /tmp/xer-home-", 0);
	chmod(home, 0700);
	unlink(rc_path);
	mkdir(rc_path, 0755);
	check(WORDS("-", HEAP), "limit\n", limit, "xer_print: /tmp/xer-home-", 0);
	rmdir(rc_path);
	setenv("HOME", "relative", 1);
	check(WORDS("-", HEAP), "limit\n", limit, "", 0);
	unsetenv("HOME");
	check(WORDS("-", HEAP), "limit\n", limit, "", 0);
}

Test(main, an_rc_file_that_is_found_twice_is_read_once)
{
	char *before = getcwd(NULL, 0);

	put(rc_path, "nonsense\n", 0644);
	cr_assert_eq(chdir(home), 0);
	struct capture_run made = run(WORDS("-version"), NULL);
	const char *first = strstr(made.err, "unknown command");
	cr_expect(first && !strstr(first + 1, "unknown command"), "%s", made.err);
	capture_run_fini(&made);
	cr_assert_eq(chdir(before), 0);
	free(before);
}

Test(main, an_export_to_standard_output_has_nothing_else_in_it)
{
	check(WORDS("-sort", "heapleakbytes", "-export", "folded", "-", HEAP), NULL,
	      "heap_known;_start;libc.so.6+0x27304;libc.so.6+0x27249;main;leak_calloc 1500\n", "",
	      0);
	check(WORDS("-folded-root", "pid", "-sort", "heapleakbytes", "-export", "folded", "-",
	            HEAP),
	      NULL,
	      "heap_known 21769;_start;libc.so.6+0x27304;libc.so.6+0x27249;main;leak_calloc 1500\n",
	      "", 0);
}

Test(main, the_root_of_folded_stacks_is_shown_and_checked)
{
	check(WORDS(HEAP), "folded-root\n", "Current folded-root: program\n", "", 0);
	check(WORDS("-folded-root", "tid", HEAP), NULL, "",
	      "xer_print: folded-root: 'tid' is not program or pid\n", 2);
}

Test(main, output_that_cannot_be_written_is_a_failure)
{
	check(WORDS("-outfile", "/dev/full", "-version"), NULL, "",
	      "xer_print: cannot write the output\n", 1);
}

Test(main, it_opens_as_many_files_as_it_may)
{
	struct rlimit limit = {0}, low;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 64;
	setrlimit(RLIMIT_NOFILE, &low);
	check(WORDS("-version"), NULL, "xer_print ", "", 0);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &low), 0);
	cr_expect_eq(low.rlim_cur, limit.rlim_max);
}

Test(main, it_is_xer_trcrpt_by_that_name)
{
	check((const char *const[]){"/usr/bin/xer_trcrpt", "--version", NULL}, NULL,
	      "xer_trcrpt " XER_VERSION "\n", "", 0);
}
