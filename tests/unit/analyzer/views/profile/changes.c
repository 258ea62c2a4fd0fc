/* Tests of analyzer/views/profile/changes.c and analyzer/report/quality/repeats.c: golden
 * experiments as runs that were recorded one after the other. heap_known makes 269 allocations,
 * 22610 bytes; the other program makes 4, 4696 bytes. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[GOLDEN_PATH];

/* Copies of the golden experiment NAME, which begin so many seconds later; all in NAME.erg. */
static void make_runs(const char *name, const int *later_s, int count)
{
	static const char copy[] =
		"rm -rf $new; cp -r $name.er $new;"
		"at=$(sed -n 's/.* real_ns=\"\\([0-9]*\\)\".*/\\1/p' $new/log.xml | head -1);"
		"sed -i \"s/ real_ns=\\\"$at\\\"/ real_ns=\\\"$((at + later * 1000000000))\\\"/\" "
		"$new/log.xml";
	char command[512], path[32];
	FILE *group;

	snprintf(path, sizeof(path), "%s.erg", name);
	group = fopen(path, "w");
	fputs("#analyzer experiment group\n", group);
	for (int i = 0; i < count; i++) {
		snprintf(command, sizeof(command), "name=%s; new=%s%d.er; later=%d; %s", name, name,
		         i, later_s[i], copy);
		cr_assert_eq(system(command), 0);
		fprintf(group, "%s%d.er\n", name, i);
	}
	fclose(group);
}

static void set_up(void)
{
	golden_enter("heap,profile", directory);
	make_runs("heap", (const int[]){10, 20, 30}, 3);
	make_runs("profile", (const int[]){30, 10, 20}, 3);
}

static void tear_down(void)
{
	golden_leave(directory);
}

TestSuite(view_changes, .init = set_up, .fini = tear_down);

static void drop_blank_lines(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++)
		if (*at != '\n' || to == text || to[-1] != '\n')
			*to++ = *at;
	*to = '\0';
}

/* What a command prints of two groups or more from the line on that begins with `from`, without
 * blank lines. */
static void expect(const char *groups, const char *lines, const char *from, const char *expected)
{
	struct answer answer;
	char all[256];
	const char *at;

	snprintf(all, sizeof(all), "%s\n%s", groups, lines);
	answer = answer_of(NULL, all);
	drop_blank_lines(answer.text);
	at = strstr(answer.text, from);
	cr_expect(at && strcmp(at, expected) == 0, "%s\n%s", answer.text, answer.messages);
	cr_expect_eq(answer.status, 0);
	cr_expect_str_empty(answer.messages);
	answer_fini(&answer);
}

#define GROUPS "add_exp heap.erg\nadd_exp profile.erg"

Test(view_changes, numbers_of_things_are_means_of_a_run)
{
	expect(GROUPS, "metrics i.heapalloccnt:e.heapallocbytes\nlimit 5\nchanges", "# heap: ",
	       "# heap: 3 runs, profile: 3 runs\n"
	       "# 0 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Function\n"
	       "less     269        0  0.0000        -269  -269  -269  main\n"
	       "less     269        4  0.0149        -265  -265  -265  <Total>\n"
	       "less     269        4  0.0149        -265  -265  -265  _start\n"
	       "less     269        4  0.0149        -265  -265  -265  libc.so.6+0x27304\n"
	       "less     269        4  0.0149        -265  -265  -265  libc.so.6+0x27249\n"
	       "Exclusive Bytes Allocated, mean of a run\n"
	       "Change   heap  profile   Ratio  Difference    from      to  Function\n"
	       "less    22610     4696  0.2077      -17914  -17914  -17914  <Total>\n"
	       "less     7000        0  0.0000       -7000   -7000   -7000  leak_malloc\n"
	       "less     5480        0  0.0000       -5480   -5480   -5480  use_aligned\n"
	       "less     5000        0  0.0000       -5000   -5000   -5000  use_calloc\n"
	       "more        0     4096       -        4096    4096    4096  libc.so.6+0x758cb\n");
}

#define NOTES \
	"# heap: 3 runs, profile: 3 runs\n" \
	"# 0 rows were tested; on average at most 0.75 % of the changes are false\n"

/* The programs of the groups are one row, whatever their names. */
Test(view_changes, load_objects_are_the_sums_of_their_functions)
{
	expect(GROUPS, "metrics i.heapalloccnt:e.heapalloccnt\nobjectchanges", "# heap: ",
	       NOTES
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Load Object\n"
	       "less     269        4  0.0149        -265  -265  -265  <Total>\n"
	       "less     269        4  0.0149        -265  -265  -265  heap_known\n"
	       "less     269        4  0.0149        -265  -265  -265  libc.so.6\n"
	       "more       0        2       -           2     2     2  ld-linux-x86-64.so.2\n"
	       "Exclusive Allocations, mean of a run\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Load Object\n"
	       "less     269        4  0.0149        -265  -265  -265  <Total>\n"
	       "less     239        1  0.0042        -238  -238  -238  heap_known\n"
	       "less      30        1  0.0333         -29   -29   -29  libc.so.6\n"
	       "more       0        2       -           2     2     2  ld-linux-x86-64.so.2\n");
}

/* A run of the second group did 4 of 269 pieces: its values count 67.25 times. */
#define PER_PIECE \
	NOTES \
	"Exclusive Allocations, mean of a run for as much work as one of the first group\n" \
	"Change  heap  profile   Ratio  Difference     from       to  Load Object\n" \
	"less     239    67.25  0.2814     -171.75  -171.75  -171.75  heap_known\n" \
	"more       0    134.5       -       134.5    134.5    134.5  ld-linux-x86-64.so.2\n" \
	"more      30    67.25  2.2417       37.25    37.25    37.25  libc.so.6\n" \
	"same     269      269  1.0000           0        0        0  <Total>\n"

Test(view_changes, values_are_for_as_much_work_as_the_first_group_did)
{
	expect(GROUPS, "metrics e.heapalloccnt\nper 269,4\nobjectchanges", "# heap: ", PER_PIECE);
	expect(GROUPS, "metrics e.heapalloccnt\nper heapalloccnt\nobjectchanges",
	       "# heap: ", PER_PIECE);
	expect(GROUPS, "metrics e.heapalloccnt\nper heapalloccnt(main)\nobjectchanges",
	       "# heap: ", PER_PIECE);
}

Test(view_changes, a_run_that_did_no_work_stays_as_it_is)
{
	expect(GROUPS,
	       "metrics e.heapalloccnt\nper heapalloccnt(leak_malloc)\nlimit 1\nobjectchanges",
	       "# per: ",
	       "# per: run 1 of profile did no work that is counted\n"
	       "# per: run 2 of profile did no work that is counted\n"
	       "# per: run 3 of profile did no work that is counted\n" NOTES
	       "Exclusive Allocations, mean of a run for as much work as one of the first group\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Load Object\n"
	       "less     269        4  0.0149        -265  -265  -265  <Total>\n");
}

Test(view_changes, the_same_runs_have_no_changes)
{
	cr_assert_eq(
		system("sed s/profile/same/ profile.erg >same.erg; for i in 0 1 2; do cp -r profile$i.er same$i.er; done"),
		0);
	expect("add_exp profile.erg\nadd_exp same.erg",
	       "metrics i.heapalloccnt:i.totalcpu\nlimit 2\nchanges", "# profile: ",
	       "# profile: 3 runs, same: 3 runs\n"
	       "# 0 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  profile  same   Ratio  Difference  from  to  Function\n"
	       "same          4     4  1.0000           0     0   0  <Total>\n"
	       "same          4     4  1.0000           0     0   0  _start\n"
	       "Inclusive Total CPU Time, mean of a run\n"
	       "Change  profile   same  Ratio  Difference  from  to  Function\n"
	       "          0.304  0.304   1.00       0.000     -   -  <Total>\n"
	       "          0.301  0.301   1.00       0.000     -   -  libc.so.6+0x1098eb\n");
}

Test(view_changes, rows_for_programs_have_their_metric)
{
	expect(GROUPS, "printmode json\nmetrics e.heapallocbytes\nlimit 2\nchanges",
	       "  {\"name\": \"changes\"",
	       "  {\"name\": \"changes\",\n"
	       "   \"columns\": [\n"
	       "    {\"key\": \"metric\", \"heading\": \"Metric\", \"kind\": \"text\", \"unit\": \"\"},\n"
	       "    {\"key\": \"change\", \"heading\": \"Change\", \"kind\": \"text\", \"unit\": \"\"},\n"
	       "    {\"key\": \"before\", \"heading\": \"heap\", \"kind\": \"number\", \"unit\": \"bytes\"},\n"
	       "    {\"key\": \"after\", \"heading\": \"profile\", \"kind\": \"number\", \"unit\": \"bytes\"},\n"
	       "    {\"key\": \"ratio\", \"heading\": \"Ratio\", \"kind\": \"number\", \"unit\": \"\"},\n"
	       "    {\"key\": \"difference\", \"heading\": \"Difference\", \"kind\": \"number\", \"unit\": \"bytes\"},\n"
	       "    {\"key\": \"low\", \"heading\": \"from\", \"kind\": \"number\", \"unit\": \"bytes\"},\n"
	       "    {\"key\": \"high\", \"heading\": \"to\", \"kind\": \"number\", \"unit\": \"bytes\"},\n"
	       "    {\"key\": \"function\", \"heading\": \"Function\", \"kind\": \"text\", \"unit\": \"\"}],\n"
	       "   \"rows\": [\n"
	       "    [\"e.heapallocbytes\", \"less\", 22610, 4696, 0.2077, -17914, -17914, -17914, \"<Total>\"],\n"
	       "    [\"e.heapallocbytes\", \"less\", 7000, 0, 0.0000, -7000, -7000, -7000, \"leak_malloc\"]]}],\n"
	       " \"next\": [],\n"
	       " \"text\": []}\n");
}

Test(view_changes, experiments_that_overlap_are_one_run)
{
	make_runs("heap", (const int[]){0, 0, 10}, 3);
	expect(GROUPS, "metrics i.heapalloccnt\nlimit 1\nchanges", "# heap: ",
	       "# heap: 2 runs, profile: 3 runs\n"
	       "# 15 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap  profile  Ratio  Difference  from  to  Function\n"
	       "more       0        4      -           4     4   4  main\n");
}

Test(view_changes, other_commands_are_one_run)
{
	cr_assert_eq(system("sed -i 's/heap2/profile2/' heap.erg"), 0);
	expect(GROUPS, "metrics i.heapalloccnt\nlimit 1\nchanges", "# heap: ",
	       "# heap: 1 run, profile: 2 runs\n"
	       "# 0 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "# one run does not tell how runs differ: xcollect --repeat records several\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Function\n"
	       "less     542        4  0.0074        -538  -538  -538  <Total>\n");
}

Test(view_changes, three_groups_are_two_pairs)
{
	cr_assert_eq(system("cp -r heap0.er x.er"), 0);
	expect(GROUPS "\nadd_exp x.er", "metrics i.heapalloccnt\nlimit 1\nchanges", "# heap: ",
	       "# heap: 3 runs, profile: 3 runs\n"
	       "# 0 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap  profile   Ratio  Difference  from    to  Function\n"
	       "less     269        0  0.0000        -269  -269  -269  main\n"
	       "# heap: 3 runs, x: 1 run\n"
	       "# 0 rows were tested; on average at most 0.75 % of the changes are false\n"
	       "# one run does not tell how runs differ: xcollect --repeat records several\n"
	       "Inclusive Allocations, mean of a run\n"
	       "Change  heap    x   Ratio  Difference  from  to  Function\n"
	       "same     269  269  1.0000           0     0   0  <Total>\n");
}

Test(view_changes, one_group_has_nothing_to_be_compared_with)
{
	struct answer answer = answer_of("profile.er", "changes");

	cr_expect_str_eq(
		answer.messages,
		"xer_print: changes: there is one group only: nothing to compare it with\n");
	cr_expect_eq(answer.status, 2);
	answer_fini(&answer);
}
