/* Tests of the header of an experiment: problems, and facts about samplers and counters. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct maker maker;

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(header, .init = set_up, .fini = tear_down);

#define PERIOD "<setting name=\"sampler_ns\" value=\"1000000\"/>\n"
#define CPU_SECOND "<count name=\"sampler_cpu_ns\" value=\"1000000000\"/>\n"
/* A sampler needs to know when the clock of its samples was read. */
#define CLOCK \
	"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" " \
	"real_ns=\"1700000000000000000\" mono_ns=\"1000000\"/>\n"
#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"5000000000\"/>\n"

/* Expect that the header has these lines, one after the other. */
static void has(const char *elements, const char *lines)
{
	struct answer answer;

	maker_log(&maker, elements);
	answer = answer_of(maker.path, "header");
	cr_expect(strstr(answer.text, lines) != NULL, "%s\nis not in\n%s", lines, answer.text);
	answer_fini(&answer);
}

/* The same for lines that come directly after others. */
static void has_after(const char *elements, const char *before, const char *lines)
{
	char both[512];

	snprintf(both, sizeof(both), "%s%s", before, lines);
	has(elements, both);
}

Test(header, an_experiment_without_troubles_says_so)
{
	has(EXIT, "\nWarnings   none\n");
}

Test(header, warnings_losses_and_unrecorded_programs_are_troubles)
{
	has("<event kind=\"warning\" time=\"1500000000\" text=\"be &lt;warned&gt;\"/>\n"
	    "<event kind=\"loss\" time=\"2000000000\" stream=\"heaptrace\" reason=\"disk full\" "
	    "errno=\"28\"/>\n"
	    "<event kind=\"loss\" time=\"2000000000\" stream=\"profile\" reason=\"full\" "
	    "errno=\"0\"/>\n"
	    "<event kind=\"unrecorded\" time=\"3000000000\" path=\"/bin/st\" lineage=\"_f1_x1\" "
	    "reason=\"it is static\" outside=\"1\"/>\n" EXIT,
	    "\nWarnings\n"
	    "  at 0.500 s: be <warned>\n"
	    "  at 1.000 s: data lost in heaptrace: disk full (errno 28)\n"
	    "  at 1.000 s: data lost in profile: full\n"
	    "  at 2.000 s: not recorded: /bin/st: it is static; --sampler samples it from "
	    "outside\n\n");
}

Test(header, lost_events_are_told_by_their_counters)
{
	has("<count name=\"lost_heap\" value=\"5\"/><count name=\"lost_profile\" value=\"0\"/>"
	    "<count name=\"samples\" value=\"3\"/>\n" EXIT,
	    "\nWarnings\n  5 events lost: heap\n\n");
}

Test(header, the_status_says_how_it_ended)
{
	has("<event kind=\"exit\" time=\"11000000000\" code=\"7\" cpu_ns=\"5\"/>\n",
	    "\nStatus     ended, exit code 7\n");
	has("<event kind=\"exec\" time=\"2000000000\" path=\"/bin/next\" lineage=\"_x1\"/>\n",
	    "\nStatus     executed another program, _x1: /bin/next\n");
	has("<event kind=\"exec\" time=\"2000000000\" path=\"/bin/next\"/>\n",
	    "\nStatus     executed another program, not recorded: /bin/next\n");
}

Test(header, what_the_sampler_did_is_told_by_its_counts)
{
	has("<setting name=\"sampler_ns\" value=\"1000000\"/>"
	    "<setting name=\"sampler_timers\" value=\"1\"/>\n" EXIT,
	    "\nSampler    period 1000 us: the system refused it, timers took the samples\n");
	has("<setting name=\"sampler_ns\" value=\"500000\"/>\n" EXIT,
	    "\nSampler    period 500 us: there are no counts: nothing was sampled, or it is not yet "
	    "complete\n");
}

/* 900 samples of 1 ms in 1 s, 10 us each. */
Test(header, shares_of_samples_are_those_of_the_cpu_time)
{
	static const char counts[] = "<count name=\"sampler_cpu_ns\" value=\"1000000000\"/>\n"
				     "<count name=\"sampler_samples\" value=\"900\"/>\n"
				     "<count name=\"lost_sampler\" value=\"4\"/>\n"
				     "<count name=\"lost_sampler_room\" value=\"3\"/>\n"
				     "<count name=\"sampler_throttled\" value=\"2\"/>\n"
				     "<count name=\"sampler_cost_ns\" value=\"10000\"/>\n"
				     "<count name=\"sampler_beside_ns\" value=\"50000000\"/>\n"
				     "<count name=\"sampler_one_frame\" value=\"9\"/>\n"
				     "<count name=\"sampler_cut_stacks\" value=\"18\"/>\n"
				     "<count name=\"sampler_bad_stacks\" value=\"5\"/>\n"
				     "<count name=\"sampler_archiver_samples\" value=\"100\"/>\n";
	char elements[1024];

	snprintf(elements, sizeof(elements), "%s%s", PERIOD EXIT, counts);
	has(elements,
	    "\nSampler    period 1000 us, 900 samples (100 of xer_archive, left out of tables) of "
	    "1.000 s of CPU time: 900 a second, 90.0 % of those asked for; 7 lost, throttled 2 "
	    "times\n"
	    "           a sample took about 10.0 us from the program (measured afterwards): 0.9 % "
	    "of that time; the helper beside it used 5.0 %\n"
	    "           stacks by frame pointers: 1.0 % have one frame only, 2.0 % are cut at a "
	    "wrong address; 5 without any frame dropped\n"
	    "Format ");
}

Test(header, code_without_frame_pointers_is_told_where_a_quarter_of_the_stacks_shows_it)
{
	static const char less[] = PERIOD EXIT CPU_SECOND
		"<count name=\"sampler_samples\" value=\"1000\"/>\n"
		"<count name=\"sampler_one_frame\" value=\"200\"/>\n"
		"<count name=\"sampler_cut_stacks\" value=\"50\"/>\n";
	static const char more[] = PERIOD EXIT CPU_SECOND
		"<count name=\"sampler_samples\" value=\"1000\"/>\n"
		"<count name=\"sampler_one_frame\" value=\"200\"/>\n"
		"<count name=\"sampler_cut_stacks\" value=\"51\"/>\n"
		"<count name=\"sampler_in_kernel\" value=\"0\"/>\n";

	has(less, "; 0 without any frame dropped\nFormat ");
	has(more, "; 0 without any frame dropped; none taken in system calls: the system forbade "
	          "that\n           code without frame pointers: for whole stacks record with "
	          "--sampler=1m,stack\n");
}

/* Of an experiment whose helper did not count those. */
Test(header, stacks_that_were_not_counted_are_none)
{
	has(PERIOD EXIT CPU_SECOND "<count name=\"sampler_samples\" value=\"100\"/>\n",
	    "           stacks by frame pointers: 0.0 % have one frame only, 0.0 % are cut at a "
	    "wrong address; 0 without any frame dropped\nFormat ");
}

Test(header, stacks_with_more_frames_than_a_record_has_are_told)
{
	has(PERIOD EXIT CPU_SECOND "<count name=\"sampler_samples\" value=\"1000\"/>\n"
	                           "<count name=\"sampler_deep_stacks\" value=\"1\"/>\n",
	    "; 0 without any frame dropped\n"
	    "           0.1 % have more than 64 frames and are cut there\nFormat ");
}

Test(header, counters_tell_their_events_and_their_samples)
{
	has("<setting name=\"counters\" value=\"page-faults,10 cs,1\"/>\n" EXIT
	    "<count name=\"counter0_samples\" value=\"13\"/>\n"
	    "<count name=\"counter0_counted\" value=\"136\"/>\n"
	    "<count name=\"lost_counter0\" value=\"2\"/>\n"
	    "<count name=\"lost_counter0_room\" value=\"1\"/>\n",
	    "\nCounter    page-faults: every 10, 136 counted, 130 in samples, 3 samples lost\n"
	    "Counter    cs: every 1, its helper has not reported yet how many\n");
}

/* A sampler that has its directory, but no counts, once the process has ended. */
Test(header, a_helper_that_has_not_told_its_counts_is_a_trouble)
{
	static const char untold[] = "\nWarnings\n  a helper that samples (--sampler, -h) ended "
				     "before it wrote its counts: samples may be missing\n\n";
	char path[sizeof(maker.path) + 16];

	snprintf(path, sizeof(path), "%s/sampler", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	has(PERIOD CLOCK EXIT, untold);
	has(PERIOD CLOCK EXIT "<count name=\"sampler_samples\" value=\"0\"/>\n",
	    "\nWarnings   none\n");
	snprintf(path, sizeof(path), "%s/counter0", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	has(PERIOD "<setting name=\"counters\" value=\"page-faults,10\"/>\n" CLOCK EXIT, untold);
}

/* More of the stack can be copied, up to 56 KB, if more than a quarter of the stacks end too early;
 * and only if any of it is copied at all. */
Test(header, a_larger_copy_is_advised_where_a_quarter_of_the_stacks_is_cut)
{
	static const struct {
		unsigned kb, cut;
		const char *advice; /* NULL: none */
	} rows[] = {{0, 26, NULL},
	            {1, 25, NULL},
	            {1, 26, "1 KB that were copied, --sampler=1m,stack:2 finds more"},
	            {8, 100, "8 KB that were copied, --sampler=1m,stack:16 finds more"},
	            {27, 26, "27 KB that were copied, --sampler=1m,stack:54 finds more"},
	            {28, 26, "28 KB that were copied, --sampler=1m,stack:56 finds more"},
	            {55, 26, "55 KB that were copied, --sampler=1m,stack:56 finds more"},
	            {56, 25, NULL},
	            {56, 100, NULL}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char elements[512], advice[160] = "";

		snprintf(elements, sizeof(elements),
		         PERIOD "<setting name=\"sampler_stack\" value=\"%u\"/>\n" EXIT CPU_SECOND
		                "<count name=\"sampler_samples\" value=\"100\"/>\n"
		                "<count name=\"sampler_one_frame\" value=\"0\"/>\n"
		                "<count name=\"sampler_cut_stacks\" value=\"%u\"/>\n",
		         rows[i].kb * 1024, rows[i].cut);
		if (rows[i].advice)
			snprintf(advice, sizeof(advice),
			         "           where they are longer than the %s\n", rows[i].advice);
		else if (rows[i].kb == 0)
			strcpy(advice,
			       "           code without frame pointers: for whole stacks record "
			       "with --sampler=1m,stack\n");
		strcat(advice, "Format ");
		has_after(elements, "; 0 without any frame dropped\n", advice);
	}
}

#define SETTING(name, value) "<setting name=\"" name "\" value=\"" value "\"/>\n"

Test(header, settings_are_told_in_words_and_what_is_off_is_left_out)
{
	has(SETTING("profile_us", "10007") SETTING("profile_clock", "perf") SETTING("sync", "on")
	            SETTING("sync_threshold_ns", "0") SETTING("io", "off") SETTING("follow", "off")
	                    EXIT,
	    "\nSettings   clock-profiling, interval = 10007 us, clock = perf; heap tracing;\n"
	    "           synchronization tracing; no descendant processes\nClock ");
	has(SETTING("heap_mean", "524288") SETTING("from_ms", "200")
	            SETTING("limit_bytes", "2097152") SETTING("user_start", "off") EXIT,
	    "\nSettings   heap tracing, a block in 524288 bytes; user events off at the start; "
	    "from 200 ms;\n           limit = 2 MiB\nClock ");
}

Test(header, settings_without_words_are_told_by_name)
{
	has(SETTING("lantern", "g{io}[n") SETTING("torch", "off") SETTING("command", "xcollect")
	            SETTING("io", "on") EXIT,
	    "\nSettings   heap tracing; I/O tracing; lantern = g{io}[n\nClock ");
}

/* A founder and so many children with the same warning, and what a command prints of them. */
static struct answer answer_of_family(unsigned children, const char *command)
{
	struct maker child;
	char lineage[16];

	maker_log(&maker, EXIT);
	for (unsigned i = 1; i <= children; i++) {
		snprintf(lineage, sizeof(lineage), "_f%u", i);
		maker_descendant(&maker, lineage,
		                 i == 1 ? "<event kind=\"warning\" time=\"3000000000\" "
		                          "text=\"the child is alone\"/>\n"
		                        : "<event kind=\"warning\" time=\"2000000000\" "
		                          "text=\"it is cold\"/>\n",
		                 &child);
	}
	return answer_of(maker.path, command);
}

static void family_has(unsigned children, const char *command, const char *lines)
{
	struct answer answer = answer_of_family(children, command);

	cr_expect(strstr(answer.text, lines) != NULL, "%s\nis not in\n%s", lines, answer.text);
	answer_fini(&answer);
}

Test(header, descendants_have_a_line_each_and_their_warnings_once)
{
	family_has(3, "header",
	           "\nDescendants: 3 (header ID describes one, header all every one)\n"
	           "   ID        PID    Start s     Wall s      CPU s  Status                  "
	           "Command\n"
	           "    2         43      0.000     10.000      5.000  ended, exit code 0      "
	           "child\n"
	           "    3         43      0.000     10.000      5.000  ended, exit code 0      "
	           "child\n"
	           "    4         43      0.000     10.000      5.000  ended, exit code 0      "
	           "child\n"
	           "Warnings of descendants\n"
	           "  2 processes, the first is 3: it is cold\n"
	           "  process 2: the child is alone\n");
}

Test(header, many_descendants_have_a_line_for_each_program)
{
	family_has(61, "header",
	           "\nDescendants: 61 (header ID describes one, header all every one, exp_list "
	           "lists them)\n"
	           "Processes       CPU s      Wall s  Program\n"
	           "       61     305.000     610.000  /bin/child\n"
	           "Warnings of descendants\n"
	           "  60 processes, the first is 3: it is cold\n");
}

Test(header, one_is_described_by_its_number_and_every_one_by_all)
{
	struct answer one = answer_of_family(2, "header 3"), all;
	size_t count = 0;

	cr_expect(strstr(one.text, "\nProcess    pid 43, ") != NULL, "%s", one.text);
	cr_expect_null(strstr(one.text, "Descendants"));
	answer_fini(&one);
	all = answer_of(maker.path, "header all");
	for (const char *at = all.text; (at = strstr(at, "\nProcess    pid ")); at++)
		count++;
	cr_expect_eq(count, 3);
	cr_expect_null(strstr(all.text, "Descendants"));
	answer_fini(&all);
}

Test(header, programs_have_the_sums_of_their_processes)
{
	family_has(3, "printmode ,\nprograms",
	           "\n3,15.000000000,30.000000000,10.000000000,0,0,/bin/child\n");
}
