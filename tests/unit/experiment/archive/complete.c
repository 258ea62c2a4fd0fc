/* Tests of experiment/archive/complete.c: the files of a process that had nothing to record. */
#include "experiment/archive/complete.h"

#include "tests/unit/experiment/make_experiment.h"

#include "experiment/base/internal.h"

#include "format/fdr.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct maker maker;

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(complete, .init = set_up, .fini = tear_down);

#define SETTING "<setting name=\"profile_us\" value=\"10000\"/>\n"
#define EXIT(time) "<event kind=\"exit\" time=\"" time "\" code=\"0\"/>\n"
#define USAGE(time) \
	"<usage time=\"" time "\" cpu_ns=\"60\" user_ns=\"20\" system_ns=\"40\" " \
	"maxrss_kib=\"3\" minflt=\"4\" majflt=\"5\" inblock=\"6\" oublock=\"7\" nvcsw=\"8\" " \
	"nivcsw=\"9\"/>\n"
#define END EXIT("3500000000") USAGE("3500000000")

static struct experiment *open_it(void)
{
	struct experiment *experiment;
	struct exp_cause cause;

	maker.warnings = 0;
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	return experiment;
}

static void complete_it(void)
{
	struct experiment *experiment = open_it();

	cr_assert_eq(exp_complete(experiment), 0);
	experiment_close(experiment);
}

static int has_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", maker.path, name);
	return access(path, F_OK) == 0;
}

static char *text_of(const char *name)
{
	char path[256], *text = calloc(1, 4096);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", maker.path, name);
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	cr_assert_lt(fread(text, 1, 4095, file), 4095);
	fclose(file);
	return text;
}

static void check_usage(const struct exp_data_set *set)
{
	const struct exp_usage *first = &set->usage[0], *last = &set->usage[1];

	cr_assert_eq(set->usage_count, 2);
	cr_expect_eq(first->cpu_ns + first->user_ns + first->maxrss_kib, 0);
	cr_expect_eq(first->threads, 1);
	cr_expect_eq(first->reason, FMT_sample_reason_START);
	cr_expect_eq(last->cpu_ns, 60);
	cr_expect_eq(last->user_ns, 20);
	cr_expect_eq(last->system_ns, 40);
	cr_expect_eq(last->maxrss_kib, 3);
	cr_expect_eq(last->minflt, 4);
	cr_expect_eq(last->majflt, 5);
	cr_expect_eq(last->inblock, 6);
	cr_expect_eq(last->oublock, 7);
	cr_expect_eq(last->nvcsw, 8);
	cr_expect_eq(last->nivcsw, 9);
	cr_expect_eq(last->threads, 1);
	cr_expect_eq(last->reason, FMT_sample_reason_END);
}

/* Other readers of the format take the length of a buffer from the file's header. */
static void check_head(void)
{
	struct fdr_header header;
	struct fdr_prologue prologue;
	unsigned char bytes[FDR_HEADER_SIZE + FDR_PROLOGUE_SIZE];
	char path[sizeof(maker.path) + 16];
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "%s/overview", maker.path);
	file = fopen(path, "r");
	cr_assert_not_null(file);
	cr_assert_eq(fread(bytes, sizeof(bytes), 1, file), 1);
	cr_assert_eq(fstat(fileno(file), &status), 0);
	fclose(file);
	cr_assert_eq(fdr_header_get(bytes, &header), 0);
	cr_assert_eq(fdr_prologue_get(bytes + FDR_HEADER_SIZE, &prologue), 0);
	cr_expect_eq(header.buffer_size, (uint64_t)status.st_size - FDR_HEADER_SIZE);
	cr_expect_eq(prologue.extent_left, (uint64_t)status.st_size - FDR_HEADER_SIZE);
	cr_expect_eq(prologue.tsc, MAKER_START_TICKS);
	cr_expect_eq(prologue.wall_ns, 1000000000);
	cr_expect_eq(header.cycle_frequency, MAKER_HZ);
}

/* Before and after: the files say what the log says. */
Test(complete, the_overview_has_the_usage_at_start_and_end)
{
	const struct exp_data_set *set;
	struct experiment *experiment;
	char *map;

	maker_log(&maker, SETTING END);
	experiment = open_it();
	cr_assert_eq(experiment_load(experiment, &set), 0);
	check_usage(set);
	experiment_close(experiment);
	complete_it();
	cr_assert(has_file("overview") && has_file("map.xml"));
	cr_expect(!has_file("JAVA_CLASSES") && !has_file(".overview.new") && !has_file(".map.new"));
	check_head();
	map = text_of("map.xml");
	cr_expect_str_eq(map,
	                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<map version=\"1.0\">\n"
	                 "</map>\n",
	                 "%s", map);
	free(map);
	experiment = open_it();
	cr_assert_eq(experiment_load(experiment, &set), 0);
	check_usage(set);
	cr_expect_eq(set->thread_count, 1);
	cr_expect_eq(set->threads[0].tid, 42);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
	experiment_close(experiment);
}

Test(complete, what_is_there_stays)
{
	static const char map[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				  "<map version=\"1.0\"><!-- kept --></map>\n";
	char *text;

	maker_log(&maker, SETTING END);
	maker_put(&maker, "map.xml", map, sizeof(map) - 1);
	complete_it();
	cr_expect(has_file("overview"), "the other one is made");
	text = text_of("map.xml");
	cr_expect_str_eq(text, map);
	free(text);
}

Test(complete, a_damaged_experiment_stays_as_it_is)
{
	char *text;

	maker_log(&maker, SETTING END);
	maker_put(&maker, "map.xml", "kept", 4);
	complete_it();
	cr_expect(!has_file("overview"));
	text = text_of("map.xml");
	cr_expect_str_eq(text, "kept");
	free(text);
}

Test(complete, without_usage_nothing_is_known)
{
	maker_log(&maker, SETTING EXIT("3500000000"));
	complete_it();
	cr_expect(!has_file("overview") && !has_file("map.xml"));
}

Test(complete, an_end_before_the_start_is_not_written)
{
	maker_log(&maker, EXIT("3500000000") USAGE("999999999"));
	complete_it();
	cr_expect(!has_file("overview"));
	maker_log(&maker, EXIT("3500000000") USAGE("1000000000"));
	complete_it();
	cr_expect(has_file("overview"));
}

/* ---- without samples, all CPU time is that of the end ---- */

static void expect_sampled(const char *elements, uint64_t ns)
{
	const struct exp_data_set *set;
	struct experiment *experiment;

	maker_log(&maker, elements);
	experiment = open_it();
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(set->quality.sampled_ns, ns);
	for (size_t i = 0; i < set->thread_count; i++)
		cr_expect_eq(set->threads[i].cpu_ns, ns);
	experiment_close(experiment);
}

Test(complete, without_samples_the_time_at_the_end_is_that_of_the_profile)
{
	expect_sampled(SETTING END, 60);
	expect_sampled("<setting name=\"profile_us\" value=\"0\"/>\n" END, 0);
	expect_sampled(END, 0);
	expect_sampled(SETTING EXIT("3500000000"), 0);
}

/* Each class once, in order of the names, with its source file; what would break a line is left
 * out. */
Test(complete, the_classes_of_java_methods_are_listed)
{
	static const char map[] =
		"<map version=\"1.0\">\n"
		" <method id=\"1\" class=\"b/Second\" name=\"f\" signature=\"()V\" source=\"Sec\\x09ond.java\"/>\n"
		" <method id=\"2\" class=\"a/First\" name=\"f\" signature=\"()V\"/>\n"
		" <method id=\"3\" class=\"b/Second\" name=\"g\" signature=\"()V\" source=\"Sec\\x09ond.java\"/>\n"
		" <method id=\"4\" class=\"c/Third two\" name=\"f\" signature=\"()V\" source=\"Third.java\"/>\n"
		" <method id=\"5\" class=\"a/First\" name=\"g\" signature=\"()V\"/>\n"
		"</map>\n";
	char *text;

	maker_put(&maker, FMT_FILE_MAP, map, sizeof(map) - 1);
	complete_it();
	text = text_of("JAVA_CLASSES");
	cr_expect_str_eq(text, "a/First\nb/Second\tSecond.java\nc/Third two\tThird.java\n");
	free(text);
}

Test(complete, without_java_methods_there_is_no_list)
{
	complete_it();
	cr_expect_not(has_file("JAVA_CLASSES"));
}
