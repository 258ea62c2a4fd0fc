/* Tests of analyzer/report/idle.c. */
#include "analyzer/report/idle.h"

#include "format/record.h"

#include <criterion/criterion.h>

static const struct exp_thread threads[] = {
	{.tid = 10}, {.tid = 11, .time_s = 1}, {.tid = 12, .time_s = 1}};
static struct exp_wait waits[2];
static const struct exp_data_set set = {.threads = threads,
                                        .thread_count = 3,
                                        .wall = {.longest = waits, .longest_count = 2}},
				 part;
static struct dataset_experiment process = {.whole = &set, .data = &set, .id = 1, .is_selected = 1};

/* Of the second thread, from 1.01 s to 11 s, for work that did not come. */
static struct exp_wait idle_wait(void)
{
	return (struct exp_wait){.tid = 11,
	                         .time_s = 11,
	                         .span_ns = 9990000000,
	                         .wait_ns = 9990000000,
	                         .error = EXP_SYNC_OPEN,
	                         .state = FMT_wall_state_COND,
	                         .family = FMT_wait_family_SYNC,
	                         .func = FMT_sync_func_COND_WAIT};
}

Test(idle, is_who_waits_for_work_all_its_life)
{
	struct exp_wait wait = idle_wait();

	cr_expect(idle_is(&process, &wait));
	wait.state = FMT_wall_state_POLL;
	wait.family = FMT_wait_family_CALL;
	cr_expect(idle_is(&process, &wait));
}

Test(idle, is_not_who_worked_or_stands_for_the_program)
{
	struct exp_wait wait = idle_wait();

	wait.span_ns = 9800000000;
	cr_expect(!idle_is(&process, &wait), "it did something for 2 %%");
	wait = idle_wait();
	wait.error = 0;
	cr_expect(!idle_is(&process, &wait), "what it waited for came");
	wait = idle_wait();
	wait.tid = 10;
	wait.span_ns = 11000000000;
	cr_expect(!idle_is(&process, &wait), "the first thread");
	wait = idle_wait();
	wait.tid = 99;
	cr_expect(!idle_is(&process, &wait), "an unknown one");
}

Test(idle, is_not_who_waits_for_a_lock_a_thread_or_others)
{
	struct exp_wait wait = idle_wait();

	wait.func = FMT_sync_func_JOIN;
	cr_expect(!idle_is(&process, &wait));
	wait.func = FMT_sync_func_BARRIER_WAIT;
	cr_expect(!idle_is(&process, &wait));
	wait = idle_wait();
	wait.state = FMT_wall_state_LOCK;
	cr_expect(!idle_is(&process, &wait));
	wait.state = FMT_wall_state_SLEEP;
	cr_expect(!idle_is(&process, &wait));
}

Test(idle, nobody_is_with_filters)
{
	struct exp_wait wait = idle_wait();
	struct dataset_experiment filtered = process;

	filtered.data = &part;
	cr_expect(!idle_is(&filtered, &wait));
}

Test(idle, all_of_them_are_found)
{
	const struct dataset dataset = {.experiments = &process, .count = 1, .focus = DATASET_ALL};
	const struct dataset_experiment *at = NULL;
	size_t index = 0;

	waits[0] = idle_wait();
	waits[0].error = 0;
	waits[1] = idle_wait();
	cr_expect_eq(idle_next(&dataset, &at, &index), &waits[1]);
	cr_expect_eq(at, &process);
	cr_expect_null(idle_next(&dataset, &at, &index));
}
