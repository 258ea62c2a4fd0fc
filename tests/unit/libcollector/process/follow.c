/* Which descendants are followed, by their lineage and by the program that they run. */
#include "libcollector/process/follow.h"

#include "libcollector/base/collector.h"
#include "libcollector/object/map.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void want(const char *pattern)
{
	snprintf(col.descriptor.follow, sizeof(col.descriptor.follow), "%s", pattern);
}

TestSuite(follow, .init = scratch_open, .fini = scratch_remove, .timeout = 30);

Test(follow, without_a_pattern_all_are_wanted)
{
	want("on");
	cr_expect_eq(follow_wants(""), 1);
	cr_expect_eq(follow_wants("_f1"), 1);
	want("all");
	cr_expect_eq(follow_wants("_f1_x1"), 1);
}

Test(follow, a_lineage_is_matched)
{
	map_open_program();
	want("=^_f1(_x[0-9]+)?$");
	cr_expect_eq(follow_wants("_f1"), 1);
	cr_expect_eq(follow_wants("_f1_x12"), 1);
	cr_expect_eq(follow_wants("_f2"), 0);
	cr_expect_eq(follow_wants("_f1_f1"), 0);
	cr_expect_eq(follow_wants(""), 1, "the founder is always wanted");
}

/* This one is called libcollector, and its path has that name's folder. */
Test(follow, so_is_the_name_of_the_program)
{
	map_open_program();
	want("=^libcollector$");
	cr_expect_eq(follow_wants("_f1"), 1);
}

Test(follow, but_not_its_folder)
{
	map_open_program();
	want("=^unit|/");
	cr_expect_eq(follow_wants("_f1"), 0);
}

Test(follow, what_is_no_pattern_matches_nothing)
{
	map_open_program();
	want("=(");
	cr_expect_eq(follow_wants("_f1"), 0);
	cr_expect_eq(follow_wants("("), 0);
	cr_expect_eq(follow_wants(""), 1);
}
