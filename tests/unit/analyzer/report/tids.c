/* Tests of analyzer/report/tids.c. */
#include "analyzer/report/tids.h"

#include <criterion/criterion.h>

enum { SECOND = 1000000000 };

/* Two processes of one tree, of which the second one had the id of a thread that the first one had
 * had before; and one of another tree. */
static const struct exp_thread one[] = {{.tid = 10}, {.tid = 11, .time_s = 1}},
			       two[] = {{.tid = 20}, {.tid = 11, .time_s = 0.5}},
			       apart[] = {{.tid = 30}};
static const struct exp_data_set sets[] = {{.threads = one, .thread_count = 2},
                                           {.threads = two, .thread_count = 2},
                                           {.threads = apart, .thread_count = 1}};
static struct exp_info infos[] = {
	{.status = EXP_ENDED, .duration_s = 10},
	{.status = EXP_ENDED, .duration_s = 2, .start_real_ns = 5 * (int64_t)SECOND},
	{.status = EXP_ENDED, .duration_s = 10}};
static struct dataset_experiment experiments[] = {
	{.info = &infos[0], .whole = &sets[0], .id = 1, .is_selected = 1},
	{.info = &infos[1], .whole = &sets[1], .id = 2, .founder = 1, .is_selected = 1},
	{.info = &infos[2], .whole = &sets[2], .id = 3, .is_selected = 1}};
static const struct dataset dataset = {.experiments = experiments, .count = 3, .last_id = 3};

/* The id of the experiment of a thread that ran in these tenths of a second, 0: none. */
static unsigned experiment_of(unsigned of, uint32_t tid, int64_t from, int64_t to)
{
	enum { TENTH = SECOND / 10 };
	struct tids *tids = tids_create(&dataset);
	struct tids_thread found = tids_find(tids, &experiments[of - 1], tid, from * TENTH,
	                                     to * TENTH);

	tids_destroy(tids);
	cr_expect(!found.at || found.at->whole->threads[found.number].tid == tid);
	return found.at ? found.at->id : 0;
}

Test(tids, is_the_last_one_that_had_begun)
{
	cr_expect_eq(experiment_of(1, 11, 0, 9), 0);
	cr_expect_eq(experiment_of(1, 11, 0, 10), 1);
	cr_expect_eq(experiment_of(1, 11, 54, 54), 1);
	cr_expect_eq(experiment_of(1, 11, 54, 55), 2);
	cr_expect_eq(experiment_of(2, 11, 54, 55), 2);
	cr_expect_eq(experiment_of(1, 12, 0, 90), 0);
}

Test(tids, is_one_of_a_process_that_had_not_ended)
{
	cr_expect_eq(experiment_of(1, 11, 70, 75), 2);
	cr_expect_eq(experiment_of(1, 11, 71, 75), 1);
	cr_expect_eq(experiment_of(1, 20, 71, 75), 0);
	infos[1].status = EXP_DIED;
	cr_expect_eq(experiment_of(1, 20, 71, 75), 2, "its end is not known");
}

Test(tids, is_one_of_the_same_tree)
{
	cr_expect_eq(experiment_of(1, 30, 0, 50), 0);
	cr_expect_eq(experiment_of(3, 30, 0, 50), 3);
}
