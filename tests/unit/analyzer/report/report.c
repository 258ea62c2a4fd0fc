/* Tests of what many reports have in common: commands as they can be typed, ends of processes,
 * times. */
#include "analyzer/report/report.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command of these words, up to a NULL. */
static struct exp_info command_of(const char *const *words)
{
	struct exp_info info = {.argv = words};

	while (words[info.argc])
		info.argc++;
	return info;
}

static void expect_command(const char *expected, const char *const *words)
{
	const struct exp_info info = command_of(words);
	char *text = report_command(&info);

	cr_expect_str_eq(text, expected, "%s", text);
	free(text);
}
#define EXPECT_COMMAND(expected, ...) expect_command(expected, (const char *[]){__VA_ARGS__, NULL})

Test(report, a_command_can_be_typed)
{
	EXPECT_COMMAND("./prog", "./prog");
	EXPECT_COMMAND("./prog -n 3 /a_b/c.txt", "./prog", "-n", "3", "/a_b/c.txt");
	EXPECT_COMMAND("sh -c 'sleep 1'", "sh", "-c", "sleep 1");
	EXPECT_COMMAND("echo ''", "echo", "");
	EXPECT_COMMAND("echo 'it'\\''s' 'a$b' '*' 'a;b'", "echo", "it's", "a$b", "*", "a;b");
	EXPECT_COMMAND("echo ''\\'''\\''' 'a'\\'''", "echo", "''", "a'");
}

Test(report, empty_words_behind_a_title_are_counted)
{
	EXPECT_COMMAND("'redis-server *:6379' '' (3 times)", "redis-server *:6379", "", "", "");
	EXPECT_COMMAND("a '' b '' (4 times)", "a", "", "b", "", "", "", "");
	EXPECT_COMMAND("a '' '' '' b '' ''", "a", "", "", "", "b", "", "");
}

static void expect_cut(const char *word, size_t kept, int is_cut)
{
	const struct exp_info info = command_of((const char *[]){word, NULL});
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_put_command_cut(out, &info);
	fclose(out);
	cr_expect_eq(size, kept + (is_cut ? 3 : 0), "%zu", size);
	cr_expect_eq(strncmp(text, word, kept), 0);
	cr_expect_eq(strcmp(text + kept, is_cut ? "..." : ""), 0, "%s", text);
	free(text);
}

Test(report, a_long_command_is_cut_behind_a_character)
{
	char word[130] = "";

	memset(word, 'x', 120);
	expect_cut(word, 120, 0);
	word[120] = 'y';
	expect_cut(word, 120, 1);
}

static const char *status_of(struct exp_info info, int killed_by)
{
	static char text[64];
	const struct dataset_experiment at = {.info = &info, .killed_by = killed_by};

	cr_assert_eq(report_status(&at, text, sizeof(text)), text);
	return text;
}

Test(report, how_a_process_ended_is_told)
{
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_RUNNING}, 0), "running");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_DIED}, 0), "died");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_DIED}, SIGSEGV),
	                 "killed by SIGSEGV");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_DIED}, SIGHUP),
	                 "killed by SIGHUP");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_DIED}, 40),
	                 "killed by signal 40");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_EXECED}, 0),
	                 "executed another program");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_SNAPSHOT}, 0), "running then");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_DETACHED}, 0), "detached");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_ENDED, .exit_code = 0}, 0),
	                 "ended, exit code 0");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_ENDED, .exit_code = 255}, 0),
	                 "ended, exit code 255");
	cr_expect_str_eq(status_of((struct exp_info){.status = EXP_ENDED, .exit_code = -1}, 0),
	                 "ended");
}

/* In binary fractions, so that the sums are exact. */
Test(report, wall_time_is_from_the_first_start_to_the_last_end)
{
	const struct exp_info infos[] = {
		{.start_real_ns = 8000000000, .duration_s = 2},
		{.start_real_ns = 7500000000, .duration_s = 1},
		{.start_real_ns = 9000000000, .duration_s = 1.25},
		{.start_real_ns = 8500000000, .duration_s = 0.5},
	};
	struct dataset_experiment experiments[4];
	struct dataset dataset = {.experiments = experiments, .focus = DATASET_ALL};
	static const double expected[] = {0, 2, 2.5, 2.75, 2.75};

	for (unsigned i = 0; i < 4; i++)
		experiments[i] = (struct dataset_experiment){
			.info = &infos[i], .id = i + 1, .is_selected = 1};
	for (dataset.count = 0; dataset.count <= 4; dataset.count++)
		cr_expect_eq(report_wall_seconds(&dataset), expected[dataset.count], "of %zu: %f",
		             (size_t)dataset.count, report_wall_seconds(&dataset));
	cr_expect_eq(report_seconds(1250000000), 1.25);
}

Test(report, cpu_time_is_the_end_s_then_the_last_sample_s)
{
	const struct exp_data_set set = {.quality = {.cpu_ns = 7, .sampled_ns = 9}};
	struct exp_info info = {.cpu_ns = 5};
	struct dataset_experiment at = {.info = &info, .data = &set, .whole = &set};

	cr_expect_eq(report_cpu_ns(&at), 5);
	info.cpu_ns = 0;
	cr_expect_eq(report_cpu_ns(&at), 7);
	info.outside = "static";
	info.cpu_ns = 5;
	cr_expect_eq(report_cpu_ns(&at), 9, "of samples from outside alone");
	at.whole = NULL;
	cr_expect_eq(report_cpu_ns(&at), 5);
	info.cpu_ns = 0;
	at.data = NULL;
	cr_expect_eq(report_cpu_ns(&at), 0, "nothing is known");
}
