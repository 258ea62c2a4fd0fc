/* Names of processes without a collector: from the logs of their parents if these mention them,
 * else by which process forked which. */
#include "experiment/open/sampled.h"

#include "experiment/table/index.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUNDER = 42, NEVER = 0, S = 1000000000, IMAGES_MAX = 16 };

#define MONO_CLOCK(ns) \
	"<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" mono_ns=\"" #ns \
	"\"/>\n"

static struct maker maker;
static struct experiment *founder;
static struct exp_sampled sampled;
static struct exp_sampled_image images[IMAGES_MAX];

static void set_up(void)
{
	maker_create(&maker);
	sampled.images = images;
}

static void tear_down(void)
{
	free(sampled.by_time);
	sampled = (struct exp_sampled){.images = images};
	experiment_close(founder);
	maker_destroy(&maker);
}

TestSuite(sampled_names, .init = set_up, .fini = tear_down);

/* Times in seconds. */
static void image(uint64_t pid, uint64_t parent, uint64_t forked, uint64_t executed, uint64_t began)
{
	images[sampled.count++] = (struct exp_sampled_image){.pid = pid,
	                                                     .parent = parent,
	                                                     .forked = forked * S,
	                                                     .executed = executed,
	                                                     .began = began * S,
	                                                     .until = UINT64_MAX,
	                                                     .log = EXP_INDEX_NONE};
}

/* Name the images with a founder's log of these elements. */
static void name_by(const char *elements)
{
	char text[4096];

	snprintf(text, sizeof(text), MONO_CLOCK(1000000000) "%s", elements);
	maker_log(&maker, text);
	cr_assert_eq(maker_open(&maker, &founder, &(struct exp_cause){""}), 0);
	exp_sampled_settle(&sampled);
	cr_assert_eq(exp_sampled_order(&sampled), 0);
	cr_assert_eq(exp_sampled_name(founder, &sampled), 0);
}

/* The lineage of the image that a pid had at a time in seconds. */
static const char *lineage(uint64_t pid, uint64_t time)
{
	const struct exp_sampled_image *found = exp_sampled_at(&sampled, pid, time * S);

	return !found ? "none" : !found->lineage ? "unnamed" : found->lineage;
}

Test(sampled_names, a_child_that_its_maker_told_of_has_the_name_it_was_given)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, FOUNDER, 2, 0, 2);
	image(51, FOUNDER, 3, 0, 3);
	name_by("<event kind=\"fork\" pid=\"51\" lineage=\"_f7\"/><event kind=\"fork\" pid=\"50\" lineage=\"_c3\" reason=\"odd\"/>");
	cr_expect_str_eq(lineage(FOUNDER, 1), "");
	cr_expect_str_eq(lineage(50, 2), "_c3");
	cr_expect_str_eq(lineage(51, 3), "_f7");
	cr_expect_str_eq(exp_sampled_at(&sampled, 50, 2ull * S)->reason, "odd");
	cr_expect_null(exp_sampled_at(&sampled, 51, 3ull * S)->reason);
	cr_expect_eq(exp_sampled_at(&sampled, FOUNDER, S)->log, 0);
	cr_expect_eq(exp_sampled_at(&sampled, 50, 2ull * S)->log, EXP_INDEX_NONE);
}

Test(sampled_names, children_of_nobodys_log_are_numbered_in_order_of_time)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(60, FOUNDER, 4, 0, 4);
	image(50, FOUNDER, 5, 0, 5);
	image(70, 60, 6, 0, 6);
	name_by("");
	cr_expect_str_eq(lineage(60, 4), "_f1");
	cr_expect_str_eq(lineage(50, 5), "_f2");
	cr_expect_str_eq(lineage(70, 6), "_f1_f1");
}

Test(sampled_names, a_number_that_the_log_has_given_is_passed_over)
{
	struct maker child;

	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, FOUNDER, 2, 0, 2);
	image(51, FOUNDER, 3, 0, 3);
	maker_descendant(&maker, "_f1", MONO_CLOCK(2500000000), &child);
	name_by("");
	cr_expect_str_eq(lineage(50, 2), "_f2");
	cr_expect_str_eq(lineage(51, 3), "_f3");
}

Test(sampled_names, programs_that_a_process_executes_count_from_its_name)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, FOUNDER, 2, 0, 2);
	image(50, FOUNDER, 2, 1, 3);
	image(50, FOUNDER, 2, 4, 4);
	image(51, FOUNDER, 5, 2, 6);
	name_by("");
	cr_expect_str_eq(lineage(50, 2), "_f1");
	cr_expect_str_eq(lineage(50, 3), "_f1_x1");
	cr_expect_str_eq(lineage(50, 4), "_f1_x4");
	cr_expect_str_eq(lineage(51, 6), "_f2_x2", "the first program had no samples");
}

/* What posix_spawn and unrecorded elements name is already the first program. */
Test(sampled_names, a_name_of_a_spawned_child_is_that_of_its_program)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, FOUNDER, 2, 1, 3);
	image(51, FOUNDER, 4, 1, 5);
	image(52, FOUNDER, 6, 2, 7);
	name_by("<event kind=\"posix_spawn\" pid=\"50\" lineage=\"_c1\"/><event kind=\"fork\" pid=\"51\" lineage=\"_f2\"/>"
	        "<event kind=\"unrecorded\" pid=\"52\" lineage=\"_c3\" reason=\"static\"/>");
	cr_expect_str_eq(lineage(50, 3), "_c1");
	cr_expect_str_eq(lineage(51, 5), "_f2_x1");
	cr_expect_str_eq(lineage(52, 7), "_c3_x1");
}

Test(sampled_names, of_a_number_that_came_again_the_last_child_counts)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, FOUNDER, 9, 0, 9);
	name_by("<event kind=\"fork\" pid=\"50\" lineage=\"_f1\"/><event kind=\"fork\" pid=\"50\" lineage=\"_f2\"/>");
	cr_expect_str_eq(lineage(50, 9), "_f2");
}

Test(sampled_names, what_is_no_lineage_names_nobody)
{
	static const char *const bad[] = {"f1", "_f1;", "_", "_q1"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[256];

		if (i > 0) {
			tear_down();
			set_up();
		}
		image(FOUNDER, 0, NEVER, 1, 1);
		image(50, FOUNDER, 2, 0, 2);
		snprintf(text, sizeof(text), "<event kind=\"fork\" pid=\"50\" lineage=\"%s\"/>",
		         bad[i]);
		name_by(text);
		cr_expect_str_eq(lineage(50, 2), "_f1", "'%s': %s", bad[i], lineage(50, 2));
	}
}

Test(sampled_names, whose_maker_is_not_known_has_no_name)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(50, 99, 2, 0, 2);
	image(51, 50, 3, 0, 3);
	image(52, 0, NEVER, 0, 4);
	name_by("");
	cr_expect_str_eq(lineage(50, 2), "unnamed");
	cr_expect_str_eq(lineage(51, 3), "unnamed");
	cr_expect_str_eq(lineage(52, 4), "unnamed");
}

/* 43 is recorded: it is the image that existed when its collector began. */
Test(sampled_names, a_recorded_process_is_the_image_of_its_start)
{
	struct maker child;

	image(FOUNDER, 0, NEVER, 1, 1);
	image(43, FOUNDER, 2, 0, 2);
	image(43, FOUNDER, 2, 1, 4);
	image(43, FOUNDER, 2, 2, 8);
	image(50, 43, 5, 0, 5);
	maker_descendant(&maker, "_f1_x1", MONO_CLOCK(5000000000), &child);
	name_by("");
	cr_expect_eq(exp_sampled_at(&sampled, 43, 4ull * S)->log, 1);
	cr_expect_eq(exp_sampled_at(&sampled, 43, 8ull * S)->log, EXP_INDEX_NONE);
	cr_expect_str_eq(lineage(43, 4), "_f1_x1");
	cr_expect_str_eq(lineage(43, 8), "_f1_x2");
	cr_expect_str_eq(lineage(50, 5), "_f1_x1_f1");
}

Test(sampled_names, an_image_that_had_ended_is_not_the_recorded_one)
{
	struct maker child;

	image(FOUNDER, 0, NEVER, 1, 1);
	image(43, FOUNDER, 2, 1, 2);
	images[1].ended = 4ull * S;
	maker_descendant(&maker, "_f1_x1", MONO_CLOCK(5000000000), &child);
	name_by("");
	cr_expect_eq(exp_sampled_at(&sampled, 43, 2ull * S)->log, EXP_INDEX_NONE);
	cr_expect_str_neq(lineage(43, 2), "_f1_x1", "somebody has that name");
}

/* The founder's process may have existed before, and executes other programs later. */
Test(sampled_names, the_founder_is_the_first_program_of_its_process)
{
	image(FOUNDER, 0, NEVER, 1, 1);
	image(FOUNDER, 0, NEVER, 2, 7);
	name_by("");
	cr_expect_str_eq(lineage(FOUNDER, 1), "");
	cr_expect_str_eq(lineage(FOUNDER, 7), "_x1");
}

/* 143 outside is 43 inside, where 44 is its child. */
Test(sampled_names, in_another_namespace_logs_tell_of_inner_numbers)
{
	struct maker child;

	image(FOUNDER, 0, NEVER, 1, 1);
	image(143, FOUNDER, 2, 1, 3);
	images[1].inner = 43;
	image(144, 143, 6, 0, 6);
	images[2].inner = 44;
	image(145, 143, 7, 0, 7);
	images[3].inner = 45;
	maker_descendant(
		&maker, "_f1_x1",
		MONO_CLOCK(4000000000) "<event kind=\"fork\" pid=\"44\" lineage=\"_f1_x1_f5\"/>",
		&child);
	name_by("");
	cr_expect_str_eq(lineage(143, 3), "_f1_x1");
	cr_expect_str_eq(lineage(144, 6), "_f1_x1_f5");
	cr_expect_str_eq(lineage(145, 7), "_f1_x1_f1");
	cr_expect_eq(exp_sampled_at(&sampled, 144, 6ull * S)->is_inside, 1);
	cr_expect_eq(exp_sampled_at(&sampled, FOUNDER, S)->is_inside, 0);
}

/* The pid outside is lower than the founder's: pids have started again. */
Test(sampled_names, of_several_with_one_inner_number_the_last_to_begin_before_the_log_counts)
{
	struct maker child;

	image(7, FOUNDER, 2, 1, 3);
	images[0].inner = 43;
	image(8, FOUNDER, 2, 1, 5);
	images[1].inner = 43;
	images[1].ended = 6ull * S;
	image(9, FOUNDER, 2, 1, 4);
	images[2].inner = 43;
	image(10, FOUNDER, 2, 1, 9);
	images[3].inner = 43;
	image(FOUNDER, 0, NEVER, 1, 1);
	maker_descendant(&maker, "_f1_x1", MONO_CLOCK(7000000000), &child);
	name_by("");
	cr_expect_eq(exp_sampled_at(&sampled, 9, 4ull * S)->log, 1);
	cr_expect_eq(exp_sampled_at(&sampled, 7, 3ull * S)->log, EXP_INDEX_NONE);
	cr_expect_eq(exp_sampled_at(&sampled, 8, 5ull * S)->log, EXP_INDEX_NONE);
	cr_expect_eq(exp_sampled_at(&sampled, 10, 9ull * S)->log, EXP_INDEX_NONE);
}

Test(sampled_names, an_inner_number_of_the_first_image_counts_too)
{
	struct maker child;

	image(7, FOUNDER, 2, 1, 3);
	images[0].inner = 43;
	image(FOUNDER, 0, NEVER, 1, 1);
	maker_descendant(&maker, "_f1_x1", MONO_CLOCK(7000000000), &child);
	name_by("");
	cr_expect_eq(exp_sampled_at(&sampled, 7, 3ull * S)->log, 1);
	cr_expect_str_eq(lineage(7, 3), "_f1_x1");
}
