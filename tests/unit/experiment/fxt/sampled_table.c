/* The table of images: sorted, one for all records of an image, and found by pid and time. */
#include "experiment/fxt/sampled_table.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)
#define NEAR (10 * MS)

static struct exp_sampled_image images[16];
static struct exp_sampled sampled = {.images = images};

static void add(uint64_t pid, uint64_t forked, uint64_t executed, uint64_t began)
{
	images[sampled.count++] = (struct exp_sampled_image){.pid = pid,
	                                                     .forked = forked,
	                                                     .executed = executed,
	                                                     .began = began,
	                                                     .until = UINT64_MAX};
}

Test(sampled_table, images_stand_by_pid_and_beginning_and_end_with_the_next)
{
	add(7, 100 * MS, 1, 500 * MS);
	add(9, 100 * MS, 0, 100 * MS);
	add(7, 100 * MS, 0, 100 * MS);
	exp_sampled_settle(&sampled);
	cr_assert_eq(sampled.count, 3);
	cr_expect_eq(images[0].executed, 0);
	cr_expect_eq(images[0].until, 500 * MS);
	cr_expect_eq(images[1].until, UINT64_MAX, "the next one is another process");
	cr_expect_eq(images[2].pid, 9);
	cr_assert_eq(exp_sampled_order(&sampled), 0);
	cr_expect_eq(sampled.by_time[0], &images[0], "the lower pid of two");
	cr_expect_eq(sampled.by_time[1], &images[2]);
	cr_expect_eq(sampled.by_time[2], &images[1]);
	free(sampled.by_time);
}

Test(sampled_table, what_is_told_of_one_image_within_a_moment_is_one)
{
	static const struct {
		uint64_t forked, executed, began;
		size_t count;
	} rows[] = {
		{1000 * MS, 1, 2000 * MS, 1},
		{1000 * MS + NEAR - 1, 1, 2000 * MS + NEAR - 1, 1},
		{1000 * MS - NEAR + 1, 1, 2000 * MS - NEAR + 1, 1},
		{1000 * MS + NEAR, 1, 2000 * MS, 2},
		{1000 * MS, 1, 2000 * MS + NEAR, 2},
		{1000 * MS, 2, 2000 * MS, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sampled.count = 0;
		add(7, 1000 * MS, 1, 2000 * MS);
		images[0].sampled = 1;
		add(7, rows[i].forked, rows[i].executed, rows[i].began);
		images[1].parent = 3;
		images[1].name = (struct exp_sampled_text){"late", 4};
		exp_sampled_settle(&sampled);
		cr_assert_eq(sampled.count, rows[i].count, "row %zu", i);
		if (sampled.count > 1)
			continue;
		cr_expect_eq(images[0].parent, 3, "what one lacks the other has");
		cr_expect_eq(images[0].sampled, 1);
		cr_expect_eq(images[0].name.size, 4);
	}
}

Test(sampled_table, an_image_is_found_by_a_time_that_it_was_there)
{
	add(5, 0, 0, 10);
	add(7, MS, 0, 100);
	add(7, MS, 1, 200);
	add(9, MS, 0, 50);
	cr_expect_eq(exp_sampled_at(&sampled, 7, 100), &images[1]);
	cr_expect_eq(exp_sampled_at(&sampled, 7, 199), &images[1]);
	cr_expect_eq(exp_sampled_at(&sampled, 7, 200), &images[2]);
	cr_expect_eq(exp_sampled_at(&sampled, 7, UINT64_MAX), &images[2]);
	cr_expect_null(exp_sampled_at(&sampled, 7, 99));
	cr_expect_null(exp_sampled_at(&sampled, 6, 500));
	cr_expect_null(exp_sampled_at(&sampled, 4, 500));
	cr_expect_eq(exp_sampled_at(&sampled, 9, 50), &images[3]);
	cr_expect_eq(exp_sampled_at(&sampled, 5, 10), &images[0]);
}

Test(sampled_table, the_image_before_is_of_the_same_process)
{
	add(7, 1000 * MS, 0, 1000 * MS);
	add(7, 1000 * MS, 1, 1500 * MS);
	add(7, 2100 * MS, 0, 2100 * MS); /* the pid was used again */
	cr_expect_null(exp_sampled_before(&sampled, &images[0]));
	cr_expect_eq(exp_sampled_before(&sampled, &images[1]), &images[0]);
	cr_expect_null(exp_sampled_before(&sampled, &images[2]));
	cr_expect(exp_sampled_is_same_process(&images[0], &images[1]));
	cr_expect_not(exp_sampled_is_same_process(&images[1], &images[2]));
}

Test(sampled_table, what_was_forked_to_become_an_archiver_is_one)
{
	add(5, 0, 1, 0);
	add(7, 100 * MS, 0, 100 * MS);
	add(7, 100 * MS, 1, 300 * MS);
	images[2].archiver = 1;
	images[2].parent = 5;
	add(8, 100 * MS, 0, 100 * MS);
	exp_sampled_settle(&sampled);
	cr_expect_eq(images[1].archiver, 1);
	cr_expect_eq(images[0].archiver, 0, "its maker has executed a program");
	cr_expect_eq(images[3].archiver, 0);
}

Test(sampled_table, who_makes_an_archiver_without_a_program_of_its_own_is_one)
{
	add(7, 100 * MS, 0, 100 * MS);
	add(8, 200 * MS, 1, 300 * MS);
	images[1].archiver = 1;
	images[1].parent = 7;
	exp_sampled_settle(&sampled);
	cr_expect_eq(images[0].archiver, 1);
}
