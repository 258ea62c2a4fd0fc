/* Tests of analyzer/report/quality/absent.c: processes without an experiment, and their CPU time.
 */
#include "analyzer/report/quality/absent.h"

#include "analyzer/command.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct maker maker, child;
static struct analysis analysis;
static char text[1024];

static void set_up(void)
{
	maker_create(&maker);
	analysis_init(&analysis);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(absent, .init = set_up, .fini = tear_down);

#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"1000000000\"/>\n"
#define MAKES(kind, lineage) \
	"<event kind=\"" kind "\" time=\"2000000000\" lineage=\"" lineage "\"/>\n"
#define WAITED(ns) "<event kind=\"usage\" time=\"3000000000\" children_ns=\"" ns "\"/>\n"
#define FOLLOW(value) "<setting name=\"follow\" value=\"" value "\"/>\n"

static void open_with(const char *elements)
{
	maker_log(&maker, elements);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
}

/* "LINEAGE PATH REASON" for each process that is absent. */
static const char *absences(void)
{
	const struct dataset_experiment *at = &analysis.dataset.experiments[0];
	struct absent absent;

	text[0] = '\0';
	for (size_t i = 0; i < at->info->event_count; i++)
		if (absent_find(&analysis.dataset, at, &at->info->events[i], &absent))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s|%s|%s\n",
			         absent.lineage, absent.path, absent.reason);
	return text;
}

Test(absent, a_child_that_left_nothing_is_absent)
{
	open_with(MAKES("fork", "_f1") MAKES("_Fork", "_f2") MAKES("vfork", "_f3")
	                  MAKES("clone", "_c1") MAKES("forkpty", "_f4") MAKES("exec", "_x1") EXIT);
	cr_expect_str_eq(absences(),
	                 "_f1|a child|it left no experiment\n"
	                 "_f2|a child|it left no experiment\n"
	                 "_f3|a child|it left no experiment\n"
	                 "_c1|a child|it left no experiment\n"
	                 "_f4|a child|it left no experiment\n"
	                 "_x1|a child|it left no experiment\n",
	                 "%s", text);
}

Test(absent, what_may_have_made_none_tells_of_none)
{
	open_with(MAKES("posix_spawn", "_f1") "<event kind=\"fork\" time=\"2000000000\"/>\n" EXIT);
	cr_expect_str_eq(absences(), "", "%s", text);
}

Test(absent, a_program_that_could_not_be_recorded_is_with_its_reason)
{
	open_with(MAKES("fork",
	                "_f1") "<event kind=\"unrecorded\" time=\"2000000000\" "
	                       "path=\"/bin/st\" lineage=\"_f1_x1\" reason=\"it is static\"/>\n"
	                       "<event kind=\"unrecorded\" time=\"2000000000\"/>\n" EXIT);
	cr_expect_str_eq(absences(), "_f1_x1|/bin/st|it is static\n?|?|?\n", "%s", text);
}

Test(absent, the_path_of_a_program_is_told)
{
	open_with(FOLLOW("=sh") "<event kind=\"exec\" time=\"2000000000\" lineage=\"_x1\" "
	                        "path=\"/bin/false\"/>\n" EXIT);
	cr_expect_str_eq(absences(), "_x1|/bin/false|-F leaves it out, or it left no experiment\n",
	                 "%s", text);
}

/* _f1 has one; _f2 has one of a descendant; _f10 is not _f1. */
Test(absent, what_has_an_experiment_is_not_absent)
{
	maker_descendant(&maker, "_f1", NULL, &child);
	maker_descendant(&maker, "_f2_x1", NULL, &child);
	open_with(MAKES("fork", "_f1") MAKES("fork", "_f2") MAKES("fork", "_f10")
	                  MAKES("fork", "_f") EXIT);
	cr_expect_str_eq(absences(),
	                 "_f10|a child|it left no experiment\n_f|a child|it left no experiment\n",
	                 "%s", text);
}

Test(absent, the_children_of_a_process_that_runs_may_still_begin)
{
	open_with(MAKES("fork", "_f1"));
	cr_expect_str_eq(absences(), "_f1|a child|it left no experiment\n", "%s", text);
	((struct exp_info *)analysis.dataset.experiments[0].info)->status = EXP_RUNNING;
	cr_expect_str_eq(absences(), "", "%s", text);
}

/* Of a program that was sampled from outside there is an experiment, though it was not recorded. */
Test(absent, what_was_sampled_from_outside_is_not_absent)
{
	struct exp_info *info;

	maker_descendant(&maker, "_f1_x1", NULL, &child);
	open_with("<event kind=\"unrecorded\" time=\"2000000000\" path=\"/bin/st\" "
	          "lineage=\"_f1_x1\" reason=\"it is static\"/>\n" EXIT);
	info = (struct exp_info *)analysis.dataset.experiments[1].info;
	cr_expect_str_eq(absences(), "_f1_x1|/bin/st|it is static\n", "%s", text);
	info->outside = "/bin/st";
	cr_expect_str_eq(absences(), "", "%s", text);
	for (size_t i = 0; i < 2; i++) {
		const struct dataset_experiment *at = &analysis.dataset.experiments[i];

		cr_expect_eq(absent_is_outside(&analysis.dataset, at, "_f1_x1"), 1);
		cr_expect_eq(absent_is_outside(&analysis.dataset, at, "_f1"), 0);
		cr_expect_eq(absent_is_outside(&analysis.dataset, at, ""), 0);
		cr_expect_eq(absent_is_outside(&analysis.dataset, at, NULL), 0);
	}
	info->outside = NULL;
}

/* ---- CPU time: that of children that were waited for, without those that have experiments: each
 * has 5 s ---- */

static uint64_t absent_ms(const char *elements)
{
	open_with(elements);
	return absent_cpu_ns(&analysis.dataset) / 1000000;
}

Test(absent, all_that_was_waited_for_is_absent_without_experiments)
{
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") WAITED("2000000000") WAITED("3000000000") EXIT),
	             3000);
}

Test(absent, the_time_of_children_with_experiments_is_known)
{
	maker_descendant(&maker, "_f1", NULL, &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") MAKES("fork", "_f2") WAITED("7000000000") EXIT),
	             2000);
}

/* Less than 5 ms may be the ends of processes. */
Test(absent, a_little_more_than_is_known_is_nothing)
{
	maker_descendant(&maker, "_f1", NULL, &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") MAKES("fork", "_f2") WAITED("5004999999") EXIT),
	             0);
}

Test(absent, five_milliseconds_more_are_something)
{
	maker_descendant(&maker, "_f1", NULL, &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") MAKES("fork", "_f2") WAITED("5005000000") EXIT),
	             5);
}

Test(absent, alone_they_are_something_too)
{
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") WAITED("5000000") EXIT), 5);
}

Test(absent, with_no_child_absent_nothing_is)
{
	maker_descendant(&maker, "_f1", NULL, &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") WAITED("9000000000") EXIT), 0);
}

Test(absent, who_left_children_out_does_not_miss_them)
{
	cr_expect_eq(absent_ms(FOLLOW("off") MAKES("fork", "_f1") WAITED("3000000000") EXIT), 0);
}

Test(absent, nor_who_left_some_out)
{
	cr_expect_eq(absent_ms(FOLLOW("=sh") MAKES("fork", "_f1") WAITED("3000000000") EXIT), 0);
}

/* Of a process and its child, which also waited, the process's own count is the whole one. */
Test(absent, what_a_child_waited_for_is_counted_once)
{
	maker_descendant(&maker, "_f1", MAKES("fork", "_f1_f1") WAITED("1000000000"), &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") MAKES("fork", "_f2") WAITED("8000000000") EXIT),
	             3000);
}

/* The process itself waited for nobody: its child's count is told. */
Test(absent, what_only_a_child_waited_for_is_counted)
{
	maker_descendant(&maker, "_f1", MAKES("fork", "_f1_f1") WAITED("1000000000"), &child);
	cr_expect_eq(absent_ms(MAKES("fork", "_f1") EXIT), 1000);
}

/* _x1 is the same process with another program: its time is not that of a child. */
Test(absent, a_later_program_of_the_same_process_is_no_child)
{
	maker_descendant(&maker, "_x1", NULL, &child);
	maker_descendant(&maker, "_x1_f1", NULL, &child);
	cr_expect_eq(absent_ms(MAKES("exec", "_x1") MAKES("fork", "_f1") WAITED("7000000000") EXIT),
	             2000);
}

Test(absent, of_a_tree_that_is_open_in_part_nothing_is_known)
{
	maker_descendant(&maker, "_f1", MAKES("fork", "_f1_f1") WAITED("3000000000"), &child);
	maker_log(&maker, MAKES("fork", "_f1") EXIT);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, child.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
	cr_expect_eq(absent_cpu_ns(&analysis.dataset), 0);
}

/* ---- in the line of the quality: it is part of the CPU time ---- */

static void put_samples(void)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	struct maker_stream stream;
	uint32_t id;

	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS + 1, 4096);
	for (uint64_t i = 0; i < 5; i++)
		maker_clock(&stream, MAKER_START_TICKS + 100000000 * (i + 1), FMT_clock_state_USER,
		            100000000, id);
	maker_stream_put(&maker, &stream, "profile");
}

Test(absent, the_quality_names_it)
{
	struct answer answer;

	put_samples();
	maker_log(&maker, MAKES("fork", "_f1") WAITED("1000000000") EXIT);
	answer = answer_of(maker.path, "functions");
	cr_expect(strstr(answer.text, "# quality: CPU time covered 25.0 % (0.50 of 2.00 s), 1.00 s "
	                              "of it in processes that left no experiment, 5 samples, "),
	          "%s", answer.text);
	answer_fini(&answer);
	answer = answer_of(maker.path, "printmode json\nfunctions");
	cr_expect(strstr(answer.text, "[0.500000000, 2.000000000, 1.000000000, 5, ") != NULL, "%s",
	          answer.text);
	answer_fini(&answer);
}
