/* lineage.c: tests of descendants' names. */
#include "format/lineage.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(lineage, steps_append_and_parse)
{
	char text[LINEAGE_MAX] = "";

	cr_assert(lineage_append(text, 'f', 3) == 0);
	cr_assert(lineage_append(text, 'x', 1) == 0);
	cr_assert(lineage_append(text, 'c', 4294967295u) == 0);
	cr_assert_str_eq(text, "_f3_x1_c4294967295");
	cr_assert(lineage_parse(text) == strlen(text));
	cr_assert(lineage_parse("_f3_x1.er") == 6);
}

Test(lineage, bad_steps_are_refused)
{
	char text[LINEAGE_MAX] = "_f1";

	cr_assert(lineage_append(text, 'f', 0) == -EINVAL);
	cr_assert(lineage_append(text, 'g', 1) == -EINVAL);
	cr_assert_str_eq(text, "_f1");
}

Test(lineage, too_long_is_refused_unchanged)
{
	char text[LINEAGE_MAX] = "";
	char before[LINEAGE_MAX];
	int status = 0;

	while (status == 0) {
		strcpy(before, text);
		status = lineage_append(text, 'f', 1234567);
	}
	cr_assert(status == -ENAMETOOLONG);
	cr_assert_str_eq(text, before);
	cr_assert(strlen(text) < LINEAGE_MAX);
}

Test(lineage, images_of_a_process_are_counted)
{
	char text[LINEAGE_MAX] = "";

	cr_assert(lineage_next_image(text) == 0);
	cr_assert_str_eq(text, "_x1");
	cr_assert(lineage_append(text, 'f', 9) == 0);
	cr_assert(lineage_next_image(text) == 0);
	cr_assert_str_eq(text, "_x1_f9_x1");
	for (int i = 2; i <= 20; i++)
		cr_assert(lineage_next_image(text) == 0);
	cr_assert_str_eq(text, "_x1_f9_x20");
}

Test(lineage, counting_up_changes_the_last_step)
{
	char text[LINEAGE_MAX] = "_x1_c9";

	cr_assert(lineage_count_up(text) == 0);
	cr_assert_str_eq(text, "_x1_c10");
	cr_assert(lineage_count_on(text, 4990) == 0);
	cr_assert_str_eq(text, "_x1_c5000");
	text[0] = '\0';
	cr_assert(lineage_count_up(text) == -EINVAL);
}

Test(lineage, counting_up_past_the_longest_changes_nothing)
{
	char text[LINEAGE_MAX] = "";
	char before[LINEAGE_MAX];

	while (strlen(text) + 4 < LINEAGE_MAX)
		cr_assert(lineage_append(text, 'c', 9) == 0);
	while (strlen(text) < LINEAGE_MAX - 1)
		strcat(text, "9");
	strcpy(before, text);
	cr_assert(lineage_count_up(text) == -ENAMETOOLONG);
	cr_assert_str_eq(text, before);
}

Test(lineage, grammar)
{
	static const char *const good[] = {"_f1.er", "_f10_x2.er", "_c1_f1_x1.er"};
	static const char *const bad[] = {"",        ".er",       "_f.er",  "_f0.er",  "_f01.er",
	                                  "_g1.er",  "f1.er",     "_f1",    "_f1.er2", "_f1_.er",
	                                  "_f1.erx", "../_f1.er", "_f1/.er"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_assert(lineage_is_experiment(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(!lineage_is_experiment(bad[i]), "%s", bad[i]);
}

Test(lineage, ancestors_come_first_then_forks_by_number)
{
	static const char *const order[] = {"",    "_f1",    "_f1_x1", "_f2", "_f2_f1_x1", "_f10",
	                                    "_c1", "_c1_f1", "_c9",    "_x1", "_x1_f1"};
	enum { COUNT = sizeof(order) / sizeof(order[0]) };

	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++) {
			int sign = lineage_compare(order[i], order[j]);

			cr_assert_eq((sign > 0) - (sign < 0), (i > j) - (i < j), "%s and %s",
			             order[i], order[j]);
		}
	cr_assert_eq(lineage_compare("_f1.er", "_f1"), 0);
}

Test(lineage, depth_counts_steps)
{
	cr_assert_eq(lineage_depth(""), 0u);
	cr_assert_eq(lineage_depth("_f3_x1.er"), 2u);
}

Test(lineage, ranks_of_an_mpi_job_have_names_of_their_own)
{
	char name[32];

	cr_assert(lineage_rank_name(name, sizeof(name), 0) == 0);
	cr_assert_str_eq(name, "M_r0.er");
	cr_assert(lineage_rank_name(name, sizeof(name), 4294967295u) == 0);
	cr_assert_str_eq(name, "M_r4294967295.er");
	cr_assert(lineage_rank_name(name, 8, 10) == -ENAMETOOLONG);
	cr_assert(lineage_is_experiment("M_r12.er"));
	cr_assert(lineage_depth("M_r12") == 0);
	cr_assert(lineage_parse("M_r12.er") == 5);
	cr_assert_not(lineage_is_experiment("M_r.er"));
	cr_assert_not(lineage_is_experiment("M_r01.er"));
	cr_assert_not(lineage_is_experiment("M_r1_f1.er"));
	cr_assert(lineage_compare("M_r2", "M_r10") < 0);
	cr_assert(lineage_compare("M_r10", "_f1") < 0);
	cr_assert(lineage_compare("_f1", "M_r10") > 0);
	cr_assert(lineage_compare("M_r3", "M_r3") == 0);
}
