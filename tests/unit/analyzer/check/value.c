/* Tests of checks on golden experiments: values of totals and functions, the base, checks that
 * cannot be decided, and the report for other programs. heap_known has 269 allocations with 22610
 * bytes. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAP "tests/golden/heap.er"
#define KILLED "tests/golden/killed.er"

#define COLUMNS "result,value,low,high,limit,base,ratio,unit,runs,base_runs,samples,check\n"

static void check(const char *experiment, const char *commands, const char *text,
                  const char *messages, int status)
{
	char lines[512];

	snprintf(lines, sizeof(lines), "printmode csv\n%s", commands);
	answer_check(experiment, lines, text, messages, status);
}

/* A check that holds. */
static void holds(const char *text, const char *row)
{
	char lines[256], expected[256];

	snprintf(lines, sizeof(lines), "check %s", text);
	snprintf(expected, sizeof(expected), COLUMNS "holds,%s,%s\n", row, text);
	check(HEAP, lines, expected, "", 0);
}

Test(check_value, totals_and_functions)
{
	holds("heapalloccnt == 269", "269,269,269,269,,,count,1,,");
	holds("e.heapallocbytes >= 22610", "22610,22610,22610,22610,,,bytes,1,,");
	holds("e.heapalloccnt(leak_malloc) == 7", "7,7,7,7,,,count,1,,");
	holds("e.heapalloccnt(use_strdup) == 0", "0,0,0,0,,,count,1,,");
	holds("i.heapalloccnt(use_strdup) == 30", "30,30,30,30,,,count,1,,");
	holds("e.heapalloccnt(<Total>) == 269", "269,269,269,269,,,count,1,,");
	holds("i.heapallocbytes(<Total>) == 22610", "22610,22610,22610,22610,,,bytes,1,,");
}

Test(check_value, arithmetic)
{
	holds("heapallocbytes / heapalloccnt > 84",
	      "84.0520446096654,84.0520446096654,84.0520446096654,84,,,,1,,");
	holds("2 * heapleakcnt + 1 == 21", "21,21,21,21,,,count,1,,");
	holds("heapalloccnt - heapleakcnt == 259", "259,259,259,259,,,count,1,,");
	holds("heapalloccnt < 1000 - 2 * 300", "269,269,269,400,,,count,1,,");
	check(HEAP, "check heapalloccnt / (heapleakcnt - 10) < 1",
	      COLUMNS "error,,,,,,,,,,,heapalloccnt / (heapleakcnt - 10) < 1\n",
	      "xer_print: check: column 14: division by 0\n", 1);
}

Test(check_value, what_is_not_there_is_not_decided)
{
	check(HEAP, "check totalcpu < 1", COLUMNS "error,,,,,,,s,,,,totalcpu < 1\n",
	      "xer_print: check: column 1: totalcpu: no clock profile data in " HEAP "\n", 1);
	check(HEAP, "check heapalloccnt(leak_maloc) < 1",
	      COLUMNS "error,,,,,,,count,,,,heapalloccnt(leak_maloc) < 1\n",
	      "xer_print: check: column 1: no function 'leak_maloc' in the recorded data (did you "
	      "mean 'leak_malloc'?)\n",
	      1);
	check(HEAP, "check heapalloccnt(nobody) < 1",
	      COLUMNS "error,,,,,,,count,,,,heapalloccnt(nobody) < 1\n",
	      "xer_print: check: column 1: no function 'nobody' in the recorded data\n", 1);
}

Test(check_value, a_base_is_compared_with)
{
	check(KILLED, "base " HEAP "\ncheck heapallocbytes <= 0.2*base",
	      COLUMNS
	      "FAILED,5376,5376,5376,4522,22610,0.2378,bytes,1,1,,heapallocbytes <= 0.2*base\n",
	      "xer_print: 1 of 1 checks failed\n", 3);
	check(KILLED, "base " HEAP "\ncheck heapalloccnt > 5",
	      COLUMNS "holds,122,122,122,5,269,0.4535,count,1,,,heapalloccnt > 5\n", "", 0);
	/* Several bases are added up. */
	check(HEAP, "base " HEAP "\nbase " KILLED "\ncheck heapalloccnt < base",
	      COLUMNS "holds,269,269,269,391,391,0.6880,count,1,1,,heapalloccnt < base\n", "", 0);
	/* A function that only one of the two has. */
	check(KILLED, "base " HEAP "\ncheck heapalloccnt(leak_malloc) <= base",
	      COLUMNS "holds,0,0,0,7,7,0.0000,count,1,1,,heapalloccnt(leak_malloc) <= base\n", "",
	      0);
	check(HEAP, "base " KILLED "\ncheck heapalloccnt(leak_malloc) <= base",
	      COLUMNS "FAILED,7,7,7,0,0,,count,1,1,,heapalloccnt(leak_malloc) <= base\n",
	      "xer_print: 1 of 1 checks failed\n", 3);
}

Test(check_value, a_base_that_does_not_fit_is_refused)
{
	check(HEAP, "check heapalloccnt <= base", "",
	      "xer_print: check: 'heapalloccnt <= base' needs a base (base EXPERIMENT names one)\n",
	      2);
	check(HEAP, "base " KILLED "\nfilters HSIZE > 5\ncheck heapalloccnt <= base", "",
	      "xer_print: check: events are chosen by filters, which the base would not have\n", 2);
	check(HEAP, "base /nonexistent.er\ncheck heapalloccnt <= base", "",
	      "xer_print: /nonexistent.er: no such experiment\n"
	      "xer_print: check: the base /nonexistent.er cannot be read\n",
	      1);
	check(HEAP, "base " HEAP "\ncheck heapalloccnt == base\nbase " HEAP,
	      COLUMNS "holds,269,269,269,269,269,1.0000,count,1,1,,heapalloccnt == base\n",
	      "xer_print: base: the base experiments were read already\n", 2);
	check(HEAP, "check heapalloccnt <", "",
	      "xer_print: check: column 15: expected a metric, a number or base\n", 2);
}

Test(check_value, filters_choose_what_is_checked)
{
	check(HEAP, "filters HSIZE == 10\ncheck heapalloccnt == 100",
	      COLUMNS "holds,100,100,100,100,,,count,1,,,heapalloccnt == 100\n", "", 0);
}

Test(check_value, several_checks_are_one_table)
{
	check(HEAP, "check heapleakcnt == 10; heapleakcnt < 10; heapleakbytes == 8500",
	      COLUMNS "holds,10,10,10,10,,,count,1,,,heapleakcnt == 10\n"
	              "FAILED,10,10,10,10,,,count,1,,,heapleakcnt < 10\n"
	              "holds,8500,8500,8500,8500,,,bytes,1,,,heapleakbytes == 8500\n",
	      "xer_print: 1 of 3 checks failed\n", 3);
}

Test(check_value, all_checks_so_far_are_one_report_for_other_programs)
{
	char path[] = "/tmp/xer-junit-XXXXXX", lines[128];
	unsigned long size;
	char *text;

	close(mkstemp(path));
	snprintf(lines, sizeof(lines),
	         "junit %s\ncheck heapleakcnt == 10; heapleakcnt < 10\ncheck totalcpu < 1", path);
	struct answer answer = answer_of(HEAP, lines);
	cr_expect_eq(answer.status, 3);
	answer_fini(&answer);
	text = answer_file(path, &size);
	cr_expect_str_eq(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites tests=\"3\" failures=\"1\" errors=\"1\">\n"
		"  <testsuite name=\"xer_print check\" tests=\"3\" failures=\"1\" errors=\"1\" "
		"skipped=\"0\" time=\"0\">\n"
		"    <testcase classname=\"" HEAP "\" name=\"heapleakcnt == 10\" "
		"time=\"0\">\n      <system-out>value 10\nlow 10\nhigh 10\nlimit 10\nunit count\n"
		"runs 1\n</system-out>\n    </testcase>\n"
		"    <testcase classname=\"" HEAP "\" name=\"heapleakcnt &lt; 10\" time=\"0\">\n"
		"      <failure type=\"check\" message=\"it is 10, the limit is 10\"/>\n"
		"      <system-out>value 10\nlow 10\nhigh 10\nlimit 10\nunit count\nruns 1\n"
		"</system-out>\n    </testcase>\n"
		"    <testcase classname=\"" HEAP "\" name=\"totalcpu &lt; 1\" time=\"0\">\n"
		"      <error type=\"data\" message=\"column 1: totalcpu: no clock profile data in " HEAP
		"\"/>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
		"%s", text);
	free(text);
	unlink(path);
	answer = answer_of(HEAP, "junit /nonexistent/file\ncheck heapleakcnt == 10");
	cr_expect_str_eq(answer.messages,
	                 "xer_print: junit: /nonexistent/file: No such file or directory\n");
	cr_expect_eq(answer.status, 1);
	answer_fini(&answer);
	answer = answer_of(HEAP, "junit /dev/full\ncheck heapleakcnt == 10");
	cr_expect_str_eq(answer.messages, "xer_print: junit: /dev/full: cannot be written\n");
	answer_fini(&answer);
}
