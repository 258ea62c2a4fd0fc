/* Processes grouped by their programs, in the order of their CPU time. */
#include "analyzer/report/programs.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { COUNT = 6 };

static struct exp_info infos[COUNT] = {
	{.program = "/b", .cpu_ns = 10, .duration_s = 3, .status = EXP_ENDED},
	{.program = "/slow", .cpu_ns = 50, .duration_s = 2, .status = EXP_DIED},
	{.program = "/b", .cpu_ns = 15, .duration_s = 1, .status = EXP_ENDED, .exit_code = 2},
	{.program = "/a", .cpu_ns = 25, .duration_s = 1, .status = EXP_ENDED, .exit_code = 1},
	{.program = "/last", .cpu_ns = 1, .duration_s = 1, .status = EXP_ENDED},
	{.program = "", .cpu_ns = 30, .duration_s = 1, .status = EXP_ENDED},
};

static struct dataset make(struct dataset_experiment *experiments)
{
	for (size_t i = 0; i < COUNT; i++)
		experiments[i] = (struct dataset_experiment){
			.info = &infos[i], .is_selected = 1, .founder = i < 3 ? 1 : 2};
	return (struct dataset){.experiments = experiments, .count = COUNT, .focus = DATASET_ALL};
}

Test(programs, most_time_comes_first_and_equals_by_name)
{
	static const char *const order[] = {"/slow", "?", "/a", "/b", "/last"};
	struct dataset_experiment experiments[COUNT];
	const struct dataset dataset = make(experiments);
	struct program *programs;

	cr_assert_eq(programs_gather(&dataset, 0, &programs), 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect_str_eq(programs[i].path, order[i], "%zu: %s", i, programs[i].path);
	cr_expect_eq(programs[0].died, 1);
	cr_expect_eq(programs[0].failed, 0);
	cr_expect_eq(programs[2].failed, 1);
	cr_expect_eq(programs[3].processes, 2);
	cr_expect_eq(programs[3].cpu_ns, 25);
	cr_expect_eq(programs[3].failed, 1);
	cr_expect_eq(programs[3].died, 0);
	cr_expect_eq(programs[3].wall_s, 4);
	cr_expect_eq(programs[3].longest_s, 3);
	free(programs);
}

Test(programs, of_one_founder_are_its_descendants)
{
	struct dataset_experiment experiments[COUNT];
	const struct dataset dataset = make(experiments);
	struct program *programs;

	cr_assert_eq(programs_gather(&dataset, 1, &programs), 2);
	cr_expect_str_eq(programs[0].path, "/slow");
	cr_expect_str_eq(programs[1].path, "/b");
	cr_expect_eq(programs[1].processes, 2);
	free(programs);
}
