/* Tests of analyzer/data/newest.c: what is told of a recording whose beginning was dropped. */
#include "analyzer/data/newest.h"

#include "analyzer/views/analysis.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct maker maker;
static struct analysis analysis;
static struct exp_info info;

/* An experiment with these settings, of which 96 MiB until 2.5 s were dropped. */
static void open_with(const char *bytes, const char *ms)
{
	char settings[256];

	maker_create(&maker);
	snprintf(
		settings, sizeof(settings),
		"<setting name=\"keep_bytes\" value=\"%s\"/><setting name=\"keep_ms\" value=\"%s\"/>",
		bytes, ms);
	maker_log(&maker, settings);
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	info = *analysis.dataset.experiments[0].info;
	info.is_kept = 1;
	info.kept_from_s = 2.5;
	info.kept_dropped = 96 << 20;
	analysis.dataset.experiments[0].info = &info;
}

static void end(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

static void expect_text(const char *expected)
{
	char text[256];

	cr_assert_eq(newest_text(&analysis.dataset.experiments[0], text, sizeof(text)), 1);
	cr_expect_str_eq(text, expected);
}

Test(newest, what_was_asked_for_is_told)
{
	open_with("67108864", "0");
	expect_text("the newest 64 MiB: all from 2.500 s on; 96.0 MiB before were dropped");
	end();
	open_with("0", "1500");
	expect_text("the last 1.5 s: all from 2.500 s on; 96.0 MiB before were dropped");
	end();
	open_with("524288", "300000");
	expect_text(
		"the newest 0.5 MiB of the last 300 s: all from 2.500 s on; 96.0 MiB before were dropped");
	info.kept_dropped = 0;
	expect_text("the newest 0.5 MiB of the last 300 s: nothing was dropped");
	end();
}

Test(newest, nothing_is_told_of_a_whole_recording)
{
	char text[256] = "";

	open_with("0", "0");
	info.is_kept = 0;
	cr_expect_eq(newest_text(&analysis.dataset.experiments[0], text, sizeof(text)), 0);
	cr_expect_str_eq(text, "");
	end();
}

static void expect_line(unsigned have, const char *expected)
{
	char *text;
	size_t size;
	FILE *before = analysis.output.out;

	analysis.output.out = open_memstream(&text, &size);
	analysis.dataset.have = have;
	newest_put(&analysis.dataset, &analysis.output);
	fclose(analysis.output.out);
	analysis.output.out = before;
	cr_expect_str_eq(text, expected);
	free(text);
}

Test(newest, reports_begin_with_what_was_dropped)
{
	static const char
		line[] = "# kept: the last 2 s: all from 2.500 s on; 96.0 MiB before were dropped";
	char expected[256];

	open_with("0", "2000");
	snprintf(expected, sizeof(expected), "%s\n", line);
	expect_line(EXP_DATA_PROFILE, expected);
	snprintf(expected, sizeof(expected), "%s; blocks allocated before are not seen\n", line);
	expect_line(EXP_DATA_PROFILE | EXP_DATA_HEAP, expected);
	info.kept_dropped = 0;
	expect_line(EXP_DATA_PROFILE, "");
	info.kept_dropped = 1;
	info.is_kept = 0;
	expect_line(EXP_DATA_PROFILE, "");
	end();
}

Test(newest, of_the_founder_is_where_time_begins)
{
	struct dataset none = {.count = 0};

	open_with("0", "2000");
	cr_expect_eq(newest_from_ns(&analysis.dataset), 2500000000);
	cr_expect_eq(newest_from_ns(&none), 0);
	end();
}

Test(newest, the_first_usage_sample_since_then_counts)
{
	static struct exp_usage usage[] = {
		{.time_s = 1}, {.time_s = 2.4}, {.time_s = 2.5}, {.time_s = 3}};
	static struct exp_data_set data = {.usage = usage, .usage_count = 4};
	struct dataset_experiment at;

	open_with("0", "2000");
	at = analysis.dataset.experiments[0];
	at.whole = &data;
	cr_expect_eq(newest_usage(&at), &usage[2]);
	data.usage_count = 2;
	cr_expect_null(newest_usage(&at));
	data.usage_count = 0;
	cr_expect_null(newest_usage(&at));
	end();
}
