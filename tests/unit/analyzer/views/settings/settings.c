/* Tests of the commands that change what is shown: their error messages, and what they print
 * without an argument. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAP "tests/golden/heap.er"

/* Lines of commands and what they print. */
static void shows(const char *lines, const char *text)
{
	answer_check(HEAP, lines, text, "", 0);
}

/* A line that is refused. */
static void fails(const char *line, const char *message)
{
	answer_check(HEAP, line, "", message, 2);
}

Test(settings, each_is_shown_by_its_command_alone)
{
	shows("limit\nlimit 12\nlimit\nlimit 0\nlimit",
	      "Current limit: 0\nCurrent limit: 12\nCurrent limit: 0\n");
	shows("name\nname short\nname\nname MANGLED:soname\nname\nname long\nname\nname "
	      "long:nosoname\nname",
	      "Current name: long:nosoname\nCurrent name: short:nosoname\n"
	      "Current name: mangled:soname\nCurrent name: long:soname\n"
	      "Current name: long:nosoname\n");
	shows("viewmode\nviewmode expert\nviewmode\nviewmode Machine\nviewmode\nviewmode user\n"
	      "viewmode",
	      "Current viewmode: user\nCurrent viewmode: expert\nCurrent viewmode: machine\n"
	      "Current viewmode: user\n");
	shows("sthresh\nsthresh 100\nsthresh\ndthresh\ndthresh 0\ndthresh",
	      "Current sthresh: 75\nCurrent sthresh: 100\nCurrent dthresh: 75\nCurrent dthresh: "
	      "0\n");
	shows("context\ncontext 3\ncontext\ncontext ALL\ncontext\ncontext auto\ncontext",
	      "Current context: auto\nCurrent context: 3\nCurrent context: all\n"
	      "Current context: auto\n");
	shows("asmsyntax\nasmsyntax INTEL\nasmsyntax\nasmsyntax att\nasmsyntax",
	      "Current asmsyntax: att\nCurrent asmsyntax: intel\nCurrent asmsyntax: att\n");
	shows("printmode\nprintmode text\nprintmode", "Current printmode: text\n"
	                                              "Current printmode: text\n");
	shows("filters\nfilters HSIZE > 5\nfilters\nfilters all\nfilters",
	      "Current filters: all\nCurrent filters: HSIZE > 5\nCurrent filters: all\n");
	shows("time\ntime 0-1ms\ntime\ntime all\ntime",
	      "Current time: all\nCurrent time: 0-1ms\nCurrent time: all\n");
	answer_check(HEAP,
	             "add_exp tests/golden/killed.er\ncompare\ncompare delta\ncompare\ncompare "
	             "ON\ncompare\ncompare ratio\ncompare\ncompare off\ncompare",
	             "Current compare: off\nCurrent compare: delta\nCurrent compare: on\n"
	             "Current compare: ratio\nCurrent compare: off\n",
	             "", 0);
	answer_check(HEAP, "compare on\ncompare", "Current compare: on\n",
	             "xer_print: compare: there is one group only: nothing to compare it with "
	             "yet\n",
	             0);
}

Test(settings, search_paths_and_maps_are_shown_together)
{
	shows("setpath /a:/b\naddpath /c\npathmap /old /new\nsetpath\npathmap",
	      "Current search path: /a:/b:/c\nCurrent path map: /old -> /new\n"
	      "Current search path: /a:/b:/c\nCurrent path map: /old -> /new\n");
}

Test(settings, slips_are_told_and_change_nothing)
{
	fails("limit x", "xer_print: limit: 'x' is not a number of rows\n");
	fails("limit 5x", "xer_print: limit: '5x' is not a number of rows\n");
	fails("limit -1", "xer_print: limit: '-1' is not a number of rows\n");
	fails("limit 99999999999999999999",
	      "xer_print: limit: '99999999999999999999' is not a number of rows\n");
	fails("name odd",
	      "xer_print: name: 'odd' is not long, short or mangled, with :soname or :nosoname\n");
	fails("name long:odd", "xer_print: name: 'long:odd' is not long, short or mangled, with "
	                       ":soname or :nosoname\n");
	fails("name lon",
	      "xer_print: name: 'lon' is not long, short or mangled, with :soname or :nosoname\n");
	fails("viewmode odd", "xer_print: viewmode: 'odd' is not user, expert or machine\n");
	fails("asmsyntax odd", "xer_print: asmsyntax: 'odd' is not att or intel\n");
	fails("sthresh x", "xer_print: sthresh: 'x' is not a percentage from 0 to 100\n");
	fails("sthresh 101", "xer_print: sthresh: '101' is not a percentage from 0 to 100\n");
	fails("dthresh 5x", "xer_print: dthresh: '5x' is not a percentage from 0 to 100\n");
	fails("context x", "xer_print: context: 'x' is not a number of lines, all or auto\n");
	fails("context 3x", "xer_print: context: '3x' is not a number of lines, all or auto\n");
	fails("printmode odd",
	      "xer_print: printmode: 'odd' is not text, html, markdown, json, csv, tsv or a "
	      "character that separates columns\n");
	fails("compare odd", "xer_print: compare: 'odd' is not off, on, delta or ratio\n");
	fails("en_desc odd", "xer_print: en_desc: 'odd' is not on, off or =REGEX\n");
	fails("pathmap /old", "xer_print: pathmap: needs [OLD-PREFIX NEW-PREFIX]\n");
	answer_check(HEAP, "limit 3\nlimit x\nlimit", "Current limit: 3\n",
	             "xer_print: limit: 'x' is not a number of rows\n", 2);
}

Test(settings, metrics_and_order_are_told_when_they_change)
{
	shows("metrics e.heapalloccnt:i.heapleakcnt",
	      "Current metrics: e.heapalloccnt:i.heapleakcnt:name\n"
	      "Current Sort Metric: Exclusive Allocations ( e.heapalloccnt )\n");
	shows("sort e.heapleakbytes\nsort",
	      "Current Sort Metric: Exclusive Bytes Leaked ( e.heapleakbytes )\n"
	      "Current Sort Metric: Exclusive Bytes Leaked ( e.heapleakbytes )\n");
	fails("metrics i.heapalloccnt:qqq",
	      "xer_print: metrics: column 16: 'qqq' is not a metric (metric_list lists them)\n");
	fails("sort qqq", "xer_print: sort: column 1: 'qqq' is not a metric (metric_list lists "
	                  "them)\n");
	fails("sort -qqq", "xer_print: sort: column 2: 'qqq' is not a metric (metric_list lists "
	                   "them)\n");
	answer_check(HEAP, "sort totalcpu", "",
	             "xer_print: sort: 'totalcpu': no clock profile data in these "
	             "experiments\n",
	             1);
	answer_check(HEAP, "metrics i.totalcpu", "",
	             "xer_print: metrics: 'i.totalcpu': no clock "
	             "profile data in these experiments\n",
	             1);
}

Test(settings, programs_get_no_word_of_settings)
{
	shows("printmode json\nlimit\nmetrics i.heapalloccnt\nsort name\nfilters\ncontext", "");
}

Test(settings, for_programs_the_metrics_are_a_table)
{
	struct answer answer = answer_of(HEAP,
	                                 "printmode csv\nmetrics e.heapalloccnt:name\nmetric_list");

	cr_expect(strstr(answer.text, "metric,meaning,shown,sorted\n"
	                              "heapalloccnt,Allocations,1,1\n"
	                              "heapallocbytes,Bytes Allocated,0,0\n"
	                              "heapleakcnt,Leaks,0,0\n") == answer.text,
	          "%s", answer.text);
	cr_expect(strstr(answer.text, "\nsize,Size,0,0\naddress,PC Address,0,0\nname,Name,1,0\n") !=
	                  NULL,
	          "%s", answer.text);
	answer_fini(&answer);
}

Test(settings, defaults_are_for_what_is_opened_next)
{
	answer_check(NULL,
	             "dmetrics e.heapalloccnt:i.heapallocbytes\ndsort name\nopen_exp " HEAP
	             "\nmetrics",
	             "Current metrics: e.heapalloccnt:i.heapallocbytes:name\n"
	             "Current Sort Metric: Name ( name )\n",
	             "", 0);
	/* None of these files exists. */
	answer_check(NULL, "dmetrics e.totalcpu\ndsort e.totalcpu\nopen_exp " HEAP "\nsort",
	             "Current Sort Metric: Inclusive Bytes Allocated ( i.heapallocbytes )\n", "",
	             0);
	fails("dmetrics e.heapalloccnt:qqq",
	      "xer_print: dmetrics: column 16: 'qqq' is not a metric (metric_list lists them)\n");
	fails("dsort qqq",
	      "xer_print: dsort: column 1: 'qqq' is not a metric (metric_list lists them)\n");
	fails("dsort -qqq",
	      "xer_print: dsort: column 2: 'qqq' is not a metric (metric_list lists them)\n");
}

Test(settings, descendants_are_opened_as_the_rc_file_says)
{
	static const char list[] = "\nopen_exp tests/golden/children.er\nprintmode csv\nexp_list";
	static const struct {
		const char *line;
		size_t rows;
	} choices[] = {
		{"en_desc on", 4},
		{"en_desc off", 1},
		{"en_desc =alone_static", 3},
		{"en_desc =_f1", 2},
		{"en_desc =f1", 1},
		{"en_desc =_f.*", 4},
		{"en_desc on\nen_desc =_f1\nen_desc =x\nen_desc OFF", 1},
	};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		char lines[256];
		struct answer answer;
		size_t rows = 0;

		snprintf(lines, sizeof(lines), "%s%s", choices[i].line, list);
		answer = answer_of(NULL, lines);
		for (const char *at = answer.text; (at = strchr(at, '\n')); at++)
			rows += at[1] != '\0' && strncmp(at + 2, ",1,", 3) == 0;
		cr_expect_eq(rows, choices[i].rows, "%s: %s", lines, answer.text);
		cr_expect_eq(answer.status, 0);
		cr_expect_str_empty(answer.messages);
		answer_fini(&answer);
	}
	/* The C library gives the reason. */
	struct answer wrong = answer_of(NULL, "en_desc =(");
	cr_expect(strstr(wrong.messages, "xer_print: en_desc: not a regular expression: ") ==
	          wrong.messages);
	cr_expect_eq(wrong.status, 2);
	answer_fini(&wrong);
}

Test(settings, other_tools_settings_are_taken_in_silence)
{
	shows("tabs functions\nrtabs x\ntlmode depth=5\ntldata x\npreload_libdirs x", "");
}

Test(settings, classes_of_comments)
{
	shows("scc inline:version:cf:t=30\nsthresh\ndcc hex:nosrc:t=5\ndthresh\ncc basic\nsthresh",
	      "Current sthresh: 30\nCurrent dthresh: 5\nCurrent sthresh: 30\n");
	shows("cc all:t=7\nsthresh\ndthresh", "Current sthresh: 7\nCurrent dthresh: 7\n");
	fails("scc hex", "xer_print: scc: 'hex' is no class of comments (inline, version, cf, "
	                 "basic, all, none)\n");
	fails("dcc inline:odd", "xer_print: dcc: 'odd' is no class of comments (inline, version, "
	                        "cf, basic, all, none, src, nosrc, hex, nohex)\n");
	fails("cc t=101", "xer_print: cc: 't=101' is no class of comments (inline, version, cf, "
	                  "basic, all, none, src, nosrc, hex, nohex)\n");
	answer_check(HEAP, "scc loop", "",
	             "xer_print: scc: GCC and clang leave no comments of class loop in debug "
	             "information\n",
	             0);
}

Test(settings, filters_are_told_where_they_are_wrong)
{
	fails("filters HSIZE >",
	      "xer_print: filters: column 8: a value expected where the expression ends\n");
	fails("filters (HSIZE",
	      "xer_print: filters: column 7: ')' expected where the expression ends\n");
	fails("filters FOO == 1",
	      "xer_print: filters: column 1: unknown word 'FOO' (did you mean 'HOOK'?)\n");
	fails("time 2-1", "xer_print: time: column 4: the range ends before it begins\n");
	fails("time x", "xer_print: time: column 1: a time expected, as in 1.5-2 or 200ms-\n");
	fails("thread_select 1,x",
	      "xer_print: thread_select: column 3: a number expected, as in 1,3-5 or 2:1,3\n");
}

/* The two columns of object_list that change, for the objects of the golden experiment. */
static void expect_objects(const char *commands, const char *shown)
{
	static const char names[][24] = {"heap_known", "[vdso]", "libcollector.so", "libc.so.6",
	                                 "ld-linux-x86-64.so.2"};
	char lines[256], expected[64] = "";
	struct answer answer;

	snprintf(lines, sizeof(lines), "%s\nprintmode csv\nobject_list", commands);
	answer = answer_of(HEAP, lines);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[32];
		const char *line;

		snprintf(name, sizeof(name), ",%.24s,", names[i]);
		line = strstr(answer.text, name);
		cr_assert(line, "%s in %s", name, answer.text);
		strncat(expected, line - 4, 1);
	}
	cr_expect_str_eq(expected, shown, "%s: %s", commands, answer.text);
	cr_expect_str_eq(answer.messages, "");
	answer_fini(&answer);
}

Test(settings, objects_have_a_path_and_the_name_at_its_end)
{
	expect_objects("limit 0", "sssss");
	expect_objects("object_hide heap_known", "hssss");
	expect_objects("object_hide /tmp/xer-golden/heap_known", "hssss");
	expect_objects("object_hide /tmp/xer-golden/gone/libc.so.6,[vdso]", "shshs");
	expect_objects("object_hide all", "hhhhh");
	expect_objects("object_hide ALL\nobject_show libc.so.6", "hhhsh");
	expect_objects("object_select libc.so.6,heap_known", "shhsh");
	expect_objects("object_select libc.so.6\nobjects_default", "sssss");
	fails("object_hide gone/libc.so.6",
	      "xer_print: object_hide: column 1: no load object 'gone/libc.so.6' (did "
	      "you mean 'libc.so.6'?)\n");
	fails("object_show heap_known,libc.so.5",
	      "xer_print: object_show: column 12: no load object 'libc.so.5' (did you mean "
	      "'libc.so.6'?)\n");
	fails("object_select [vdsp]", "xer_print: object_select: column 1: no load object '[vdsp]' "
	                              "(did you mean '[vdso]'?)\n");
}
