/* Tests of the export of clock samples as files of the thread sampler. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/xer-regions-XXXXXX";
static char command[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(directory));
	snprintf(command, sizeof(command), "export sampler %s", directory);
}

static void tear_down(void)
{
	char line[64];

	snprintf(line, sizeof(line), "rm -rf %s", directory);
	cr_assert_eq(system(line), 0);
}

TestSuite(export_sampler, .init = set_up, .fini = tear_down);

/* What xer_print shows of the records of a file; the caller finishes it. */
static struct answer dump(const char *name)
{
	char line[96];

	snprintf(line, sizeof(line), "fxt_dump %s/%s", directory, name);
	return answer_of(NULL, line);
}

static size_t count(const char *text, const char *word)
{
	size_t found = 0;

	for (; (text = strstr(text, word)); text++)
		found++;
	return found;
}

/* Threads 21760 and 21761 used 150.465 and 150.783 ms on CPU 1, the first 3.215 ms on CPU 0
 * (tests/golden/expected/profile.lists); a period is 997 us. */
Test(export_sampler, a_sample_stands_for_each_period_of_cpu_time)
{
	struct answer answer;

	answer_check("tests/golden/profile.er", command, "", "", 0);
	answer = dump("cpu1.fxt");
	cr_expect_eq(answer.status, 0);
	cr_expect(strstr(answer.text,
	                 "magic number number 374634566\n"
	                 "00000008 provider info id 2 name \"cpu1\"\n"
	                 "00000018 initialization ticks_per_second 1000000000\n") != NULL,
	          "%.300s", answer.text);
	cr_expect_eq(count(answer.text, " thread 21759/21760 "), 150);
	cr_expect_eq(count(answer.text, " thread 21759/21761 "), 151);
	cr_expect_eq(count(answer.text, "\n"), 4 + 301, "%zu", count(answer.text, "\n"));
	/* work_c, split, and the two frames of the C library around each thread. */
	cr_expect(strstr(answer.text,
	                 " time 5713086056746 thread 21759/21761 size 32 0x55878a100a47 "
	                 "0x55878a100bd6 0x7f8843ee51f5 0x7f8843f658ec\n") != NULL);
	answer_fini(&answer);
	answer = dump("cpu0.fxt");
	cr_expect(strstr(answer.text, " provider info id 1 name \"cpu0\"\n") != NULL);
	cr_expect_eq(count(answer.text, " thread 21759/21759 "), 3);
	cr_expect_eq(count(answer.text, "\n"), 4 + 3);
	answer_fini(&answer);
}

static uint64_t time_of(const char *line)
{
	return strtoull(strstr(line, " time ") + strlen(" time "), NULL, 10);
}

Test(export_sampler, samples_are_in_order_of_time)
{
	struct answer answer;
	uint64_t before = 0;

	answer_check("tests/golden/profile.er", command, "", "", 0);
	answer = dump("cpu1.fxt");
	for (const char *at = answer.text; (at = strstr(at, " large blob")); at++) {
		uint64_t ns = time_of(at);

		cr_expect_geq(ns, before);
		before = ns;
	}
	answer_fini(&answer);
}

/* Thread 21761 was sampled when it had used 8.1 ms. */
Test(export_sampler, the_samples_of_one_stand_a_period_behind_each_other)
{
	struct answer answer;

	answer_check("tests/golden/profile.er", command, "", "", 0);
	answer = dump("cpu1.fxt");
	for (uint64_t ns = 5713085059746; ns <= 5713092038746; ns += 997000) {
		char text[64];

		snprintf(text, sizeof(text), " time %llu thread 21759/21761 ",
		         (unsigned long long)ns);
		cr_expect(strstr(answer.text, text) != NULL, "%s", text);
	}
	answer_fini(&answer);
}

Test(export_sampler, files_that_are_there_stay)
{
	char path[64], line[96];
	struct stat st;

	snprintf(path, sizeof(path), "%s/cpu1.fxt", directory);
	fclose(fopen(path, "w"));
	snprintf(line, sizeof(line), "xer_print: export: %s: File exists\n", directory);
	answer_check("tests/golden/profile.er", command, "", line, 1);
	cr_expect_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_size, 0);
}

Test(export_sampler, without_clock_samples_there_is_nothing)
{
	answer_check("tests/golden/heap.er", command, "",
	             "xer_print: export: no clock samples to export\n", 1);
	answer_check("tests/golden/profile.er", "export sampler /nonexistent", "",
	             "xer_print: export: /nonexistent: No such file or directory\n", 1);
}
